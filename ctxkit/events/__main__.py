"""`python -m ctxkit.events COMMON_DIR`: the worker, without the command line's imports. Hooks start this."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ctxkit.events.worker import drain, yield_to_people

yield_to_people()
common_dir = Path(sys.argv[1])
try:
    drain(common_dir, os.environ)
except OSError as error:  # another user's lock or requests; unlogged, the hook would say that ctxkit did not start
    import time

    from ctxkit import log

    log.append(common_dir, 'error', f'the worker cannot work here: {error}', time.time())
