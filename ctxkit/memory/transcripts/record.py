"""The normalised record that every reader produces, and the bounded streaming of JSON lines that most build on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_TEXT_CHARS = 100_000
MAX_TOOL_CHARS = 4_000
MAX_KEPT_CHARS = 32 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024


class Message(NamedTuple):
    """One message of a conversation, whichever agent wrote it.

    `role` is user, assistant, tool_call, tool_result, summary or meta. `human` is true only for text that a person
    typed. `ts` is epoch seconds or None. Tool results are cut in the middle to MAX_TOOL_CHARS; `text` of a tool call is
    the command or the arguments. Nothing here is redacted: whoever keeps a text redacts it first.
    """

    agent: str
    session_id: str
    msg_id: str
    parent_id: str | None
    seq: int
    ts: float | None
    role: str
    text: str
    tool_name: str | None
    tool_call_id: str | None
    is_error: bool | None
    human: bool
    sidechain: bool
    source_path: str
    byte_offset: int


@dataclass
class SessionInfo:
    """One conversation: where it is, whose it is, and what could not be read (filled in while it is read).

    `kind` is main, subagent or headless. `size` and `mtime_ns` are the watermark: equal values mean nothing new.
    `offset` is the byte after the last record read; a file longer than MAX_FILE_BYTES is read on from there.
    """

    agent: str
    session_id: str
    path: str
    size: int
    mtime_ns: int
    cwd: str = ''
    cwds: tuple[str, ...] = ()
    git_branch: str | None = None
    started: float | None = None
    updated: float | None = None
    kind: str = 'main'
    parent_session: str | None = None
    agent_version: str = ''
    memory_off: bool = False
    skipped_lines: int = 0
    unknown_types: Counter[str] = field(default_factory=Counter)
    offset: int = 0
    truncated: bool = False


class Candidate(NamedTuple):
    """A place that may hold a conversation, found without opening it; `key` tells several in one file apart."""

    agent: str
    path: str
    key: str
    size: int
    mtime_ns: int


def candidate(agent: str, path: Path | str, key: str = '') -> Candidate | None:
    """The candidate for a regular file, or None where there is none (vanished, a folder)."""
    import os
    import stat

    try:
        found = os.stat(path)
    except OSError:
        return None
    return Candidate(agent, str(path), key, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def start(found: Candidate, session_id: str) -> SessionInfo:
    """A SessionInfo with the watermark of its candidate."""
    return SessionInfo(found.agent, session_id, found.path, found.size, found.mtime_ns, updated=found.mtime_ns / 1e9)


def records(info: SessionInfo, offset: int = 0, limit: int = MAX_FILE_BYTES) -> Iterator[tuple[int, dict[str, Any]]]:
    """Stream (byte offset, object) of a JSON-lines file from `offset`; bad and over-long lines are counted, not fatal.

    Lines end at 0x0A alone. A last line without its end is taken if it is whole, else left for the next run;
    `info.offset` stands after the last line that was dealt with.
    """
    with open(info.path, 'rb') as stream:
        stream.seek(offset)
        position, rest, skipping = offset, b'', False
        while position - offset < limit:
            block = stream.read(BLOCK_BYTES)
            if not block:
                break
            parts = (rest + block).split(b'\n')
            rest = parts.pop()
            for part in parts:
                here, position = position, position + len(part) + 1
                if skipping or len(part) > MAX_LINE_BYTES:
                    skipping = False
                    info.skipped_lines += 1
                else:
                    yield from _record(info, here, part)
                info.offset = position
            if len(rest) > MAX_LINE_BYTES:
                position, rest, skipping = position + len(rest), b'', True
        else:
            info.truncated = True
            return
        if rest and not skipping:
            for found in _record(info, position, rest, last=True):
                info.offset = position + len(rest)
                yield found


def _record(info: SessionInfo, offset: int, line: bytes, last: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    if not line.strip():
        return
    try:
        value = json.loads(line.decode('utf-8-sig', 'replace'))
    except (ValueError, RecursionError):
        if not last:
            info.skipped_lines += 1
        return
    if isinstance(value, dict):
        yield offset, value
    else:
        info.skipped_lines += 1


def head(path: str, lines: int = 200, limit: int = 2 * 1024 * 1024) -> Iterator[dict[str, Any]]:
    """The first objects of a JSON-lines file, for a look at who wrote it; never raises for what is in the file."""
    probe = SessionInfo('', '', path, 0, 0)
    try:
        for number, (_, value) in enumerate(records(probe, limit=limit)):
            if number >= lines:
                return
            yield value
    except OSError:
        return


def epoch(value: Any) -> float | None:
    """Epoch seconds of an ISO-8601 text, of epoch seconds or of epoch milliseconds; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) / 1000 if value > 1e11 else float(value)
    if not isinstance(value, str) or not value:
        return None
    text = value.strip().replace('Z', '+00:00')
    if '.' in text:  # Python 3.10 takes three or six digits of a second, the programs write any number
        text = re.sub(r'\.(\d+)', lambda m: '.' + m[1][:6].ljust(6, '0'), text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (OverflowError, OSError):
        return None


def clip(text: str, limit: int) -> str:
    """`text` cut in the middle to `limit` characters: the first 60 % and the last 40 %."""
    if len(text) <= limit:
        return text
    first = int(limit * 0.6)
    return f'{text[:first]}\n[… {len(text) - limit} characters left out …]\n{text[first - limit :]}'


def blocks(content: Any, kinds: tuple[str, ...] = ('text', 'input_text', 'output_text')) -> str:
    """The text of a message content: a string, a block, or a list of blocks of the given types."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ''
    out = []
    for block in content:
        if isinstance(block, str):
            out.append(block)
        elif isinstance(block, dict) and block.get('type', 'text') in kinds and isinstance(block.get('text'), str):
            out.append(block['text'])
    return '\n'.join(out)


def command_of(arguments: Any) -> str:
    """What a tool call did, as text: the shell command where there is one, else the arguments as JSON."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return clip(arguments, MAX_TOOL_CHARS)
    if isinstance(arguments, dict):
        for name in ('command', 'cmd', 'script'):
            value = arguments.get(name)
            if isinstance(value, list):
                parts = [str(part) for part in value]
                shell = len(parts) > 2 and parts[0].rsplit('/', 1)[-1] in ('bash', 'sh', 'zsh')
                return clip(parts[-1] if shell else ' '.join(parts), MAX_TOOL_CHARS)
            if isinstance(value, str):
                return clip(value, MAX_TOOL_CHARS)
    if arguments is None:
        return ''
    return clip(json.dumps(arguments, ensure_ascii=False), MAX_TOOL_CHARS)


class Kept:
    """Collects the messages of one conversation within the caps."""

    def __init__(self, info: SessionInfo) -> None:
        self.info, self.messages, self.chars = info, list[Message](), 0

    def add(
        self,
        role: str,
        text: str,
        *,
        msg_id: str,
        ts: float | None,
        offset: int,
        human: bool = False,
        parent: str | None = None,
        tool: str | None = None,
        call: str | None = None,
        error: bool | None = None,
        sidechain: bool = False,
    ) -> None:
        """Keep a message, cut to its cap; once MAX_KEPT_CHARS are held the rest is left out and said so."""
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
                parent,
                len(self.messages),
                ts,
                role,
                text,
                tool,
                call,
                error,
                human,
                sidechain,
                self.info.path,
                offset,
            )
        )
