"""The normalized record that every reader produces, whichever agent wrote the conversation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ctxkit.memory.transcripts.fields import MAX_TOOL_CHARS, clip

MAX_TEXT_CHARS = 100_000
MAX_KEPT_CHARS = 32 * 1024 * 1024


class Message(NamedTuple):
    """One message of a conversation, whichever agent wrote it.

    `role` is user, assistant, tool_call, tool_result, summary or meta. `human` is True only for text that a person
    typed. `ts` is epoch seconds or None. Tool results are cut in the middle to MAX_TOOL_CHARS; `text` of a tool call is
    the command or the arguments. What a subagent said is left out. Nothing here is redacted: whoever keeps a text
    redacts it first.
    """

    agent: str
    session_id: str
    msg_id: str
    seq: int
    ts: float | None
    role: str
    text: str
    tool_name: str | None
    tool_call_id: str | None
    is_error: bool | None
    human: bool


@dataclass
class SessionInfo:
    """One conversation: its file, its owner, and what could not be read (filled in while it is read).

    `kind` is main, subagent or headless. `size` and `mtime_ns` are the watermark: equal values mean nothing new.
    `offset` is the byte after the last record read; reading a file longer than MAX_FILE_BYTES continues there.
    `parent_session` is the conversation whose beginning this one repeats.
    """

    agent: str
    session_id: str
    path: str
    size: int
    mtime_ns: int
    cwd: str = ''
    git_branch: str | None = None
    started: float | None = None
    kind: str = 'main'
    parent_session: str | None = None
    memory_off: bool = False
    skipped_lines: int = 0
    unknown_types: Counter[str] = field(default_factory=Counter)
    offset: int = 0
    truncated: bool = False


class Candidate(NamedTuple):
    """A place that may hold a conversation, found without opening it; `key` distinguishes several in one file."""

    agent: str
    path: str
    key: str
    size: int
    mtime_ns: int


def candidate(agent: str, path: Path) -> Candidate | None:
    """The candidate for a regular file, or None if `path` is none (vanished, a folder)."""
    import os
    import stat

    try:
        found = os.stat(path)
    except OSError:
        return None
    return Candidate(agent, str(path), '', found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def start(found: Candidate, session_id: str) -> SessionInfo:
    """A SessionInfo with the watermark of its candidate."""
    return SessionInfo(found.agent, session_id, found.path, found.size, found.mtime_ns)


class Kept:
    """Collects the messages of one conversation within the size limits."""

    def __init__(self, info: SessionInfo) -> None:
        self.info, self.messages, self.chars = info, list[Message](), 0

    def add(
        self,
        role: str,
        text: str,
        *,
        msg_id: str,
        ts: float | None,
        human: bool = False,
        tool: str | None = None,
        call: str | None = None,
        error: bool | None = None,
    ) -> None:
        """Keep a message, cut to its limit. Beyond MAX_KEPT_CHARS in all, leave it out and set `info.truncated`."""
        if self.chars > MAX_KEPT_CHARS:
            self.info.truncated = True
            return
        text = clip(text, MAX_TOOL_CHARS if role in ('tool_call', 'tool_result') else MAX_TEXT_CHARS)
        self.chars += len(text)
        self.messages.append(
            Message(
                self.info.agent,
                self.info.session_id,
                msg_id,
                len(self.messages),
                ts,
                role,
                text,
                tool,
                call,
                error,
                human,
            )
        )
