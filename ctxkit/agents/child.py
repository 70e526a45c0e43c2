"""Work that must outlive an agent's hook: done by a ctxkit process of its own that nobody waits for."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from ctxkit.agents import on_disk
from ctxkit.agents.payload import Payload
from ctxkit.safety.children import command, start_detached

MAX_CONTENT = 20_000  # characters; they fit in a pipe, so that the hook never waits for the reader


def start(folder: Path, args: list[str], data: str) -> None:
    """Start `ctxkit ARGS` in `folder` with `data` on its standard input and return at once. Never raises."""
    with contextlib.suppress(OSError):
        start_detached(command('ctxkit', *args), folder, stdin_data=data.encode('utf-8', 'replace'))


def log_message(folder: Path, session: str, role: str, content: str) -> None:
    """Pass one message of a conversation to `ctxkit session log`."""
    if session and content.strip():
        message = {'session_id': session, 'role': role, 'content': content[:MAX_CONTENT]}
        start(folder, ['session', 'log'], json.dumps(message, ensure_ascii=False) + '\n')


def judge_later(given: Payload, agent: str, session: str, folder: Path) -> None:
    """Have separate processes judge and log the answer in the hook's input; does nothing where ctxkit is not set up."""
    repo = on_disk.find_tree(folder)
    if repo is not None and repo.data_dir.is_dir() and given.answer:
        session = given.session or session
        start(repo.root, ['feedback', '--agent', agent, '--session', session], given.answer)
        log_message(repo.root, session, 'assistant', given.answer)
