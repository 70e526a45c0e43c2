"""A model that is a command, and a run of memory that asks it."""

from __future__ import annotations

import json
import sys

from helpers_memory import NOW, enabled

from ctxkit import repo as repos
from ctxkit.memory.run import run
from ctxkit.settings import Settings

MEMORIES = Settings().memories


def answering(tmp_path, body) -> str:
    """A command that writes its prompt down and answers with `body`."""
    script = tmp_path / 'answer.py'
    script.write_text(
        f'import sys\nopen({str(tmp_path / "prompt")!r}, "a").write(sys.stdin.read())\nprint({json.dumps(body)!r})\n'
    )
    return f'"{sys.executable}" "{script}"'


def go(place, command, **changes):
    """Run both phases over the repository of `place` with `command` as the model."""
    root, home, environ = place
    settings = enabled(default_command=command, **changes)
    return run(repos.find(root), settings, home, environ, NOW, everything=True)
