"""Turn a bug into a log file that can be attached to an issue, and one line for the person."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from ctxkit import __version__

KEEP = 10


def report(error: BaseException, argv: Sequence[str]) -> str:
    """Write the traceback and versions, in Markdown without secrets, to the cache folder; return the line to print."""
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable

    what = printable(redact(f'{type(error).__name__}: {error}'))[:300]
    said = ''.join(traceback.format_exception(type(error), error, error.__traceback__))
    text = '\n'.join(
        [
            '### ctxkit failed unexpectedly',
            '',
            '```',
            f'ctxkit {__version__}',
            f'python {sys.version.split()[0]} ({sys.executable})',
            f'system {platform.platform()}',
            f'command {" ".join(argv)}',
            '```',
            '',
            '```',
            said.rstrip(),
            '```',
            '',
        ]
    )
    home = os.path.expanduser('~')
    try:
        file = _file()
        cleaned = redact(text).replace(home, '~') if len(home) > 1 else redact(text)
        file.write_text(cleaned, 'utf-8', errors='backslashreplace')
    except OSError as problem:
        return f'ctxkit: this is a bug in ctxkit ({what}); its log could not be written ({problem.strerror})'
    return f'ctxkit: this is a bug in ctxkit ({what}); please attach {file} to an issue'


def _file() -> Path:
    from ctxkit.places import cache_dir

    folder = cache_dir(os.environ) / 'crashes'
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob('*.md'))[:-KEEP]:
        old.unlink(missing_ok=True)
    return folder / f'{time.strftime("%Y%m%d-%H%M%S", time.gmtime())}-{os.getpid()}.md'
