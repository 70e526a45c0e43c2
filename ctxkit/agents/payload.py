"""The input that an agent's hook gets on standard input, in one shape for all agents."""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WAIT = 1.0  # seconds; a hook that never closes its standard input must not hang the agent
MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Payload:
    """A hook's input; each field is '' where the agent does not give it."""

    session: str = ''
    event: str = ''
    cwd: str = ''
    prompt: str = ''
    answer: str = ''
    source: str = ''  # how the conversation began: `startup`, `resume`, `compact`

    def start(self, default: Path) -> Path:
        """The folder that the hook names; `default` if it names none that exists."""
        folder = Path(self.cwd)
        return folder if self.cwd and folder.is_absolute() and folder.is_dir() else default


def read(stream: int | None = None) -> str:
    """Standard input to its end, '' from a terminal. After WAIT seconds it returns what has come so far."""
    handle = 0 if stream is None else stream
    if stream is None and (sys.stdin is None or sys.stdin.isatty()):
        return ''
    parts: list[bytes] = []

    def drain() -> None:
        try:
            while part := os.read(handle, 1 << 16):
                if sum(map(len, parts)) < MAX_BYTES:
                    parts.append(part)
        except OSError:
            return

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    reader.join(WAIT)
    return b''.join(parts).decode('utf-8', 'replace')


def parse(raw: str) -> Payload:
    """The fields of a hook's JSON, under the names that the different agents use. Other text gives an empty Payload."""
    try:
        data: Any = json.loads(raw) if raw.lstrip()[:1] == '{' else {}
    except (ValueError, RecursionError):
        data = {}

    def first(*names: str) -> str:
        return next((data[name] for name in names if isinstance(data.get(name), str)), '')

    roots = data.get('workspace_roots')
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ''
    return Payload(
        first('session_id', 'conversation_id', 'sessionId', 'thread_id'),
        first('hook_event_name', 'hookEventName', 'event'),
        first('cwd') or root,
        first('prompt', 'user_prompt'),
        first('last_assistant_message', 'prompt_response', 'answer', 'text'),
        first('source'),
    )
