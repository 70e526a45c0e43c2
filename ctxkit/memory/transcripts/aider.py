"""aider: one append-only Markdown file a work tree, `.aider.chat.history.md`, with all its sessions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from ctxkit.memory.transcripts.json_lines import MAX_FILE_BYTES, MAX_LINE_BYTES
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start
from ctxkit.repo import git

AGENT = 'aider'
NAME = '.aider.chat.history.md'
_START = re.compile(rb'^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$')
_FENCE = re.compile(r'^(```+|~~~+)')


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The sessions in each work tree's history file, unless git tracks the file: then it came with the clone, and
    somebody else typed its text."""
    del home
    named = environ.get('AIDER_CHAT_HISTORY_FILE')
    for file in [Path(named)] if named else [root / NAME for root in roots if not is_tracked(root)]:
        yield from at(file)


def is_tracked(root: Path) -> bool:
    """Whether git tracks the history file of a work tree."""
    return (root / NAME).is_file() and bool(git(root, 'ls-files', '-z', '--', NAME, check=False))


def at(path: Path) -> Iterator[Candidate]:
    """The sessions of one history file. Only the last one grows, so only it changes its watermark."""
    place = candidate(AGENT, path)
    if place is None or path.suffix != '.md':
        return
    try:
        starts = list(_starts(path))
    except OSError:
        return
    for number, (begin, _) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else place.size
        changed = place.mtime_ns if number + 1 == len(starts) else int(starts[number + 1][1] * 1e9)
        yield Candidate(AGENT, str(path), f'{begin}', end - begin, changed)


def _starts(path: Path) -> Iterator[tuple[int, float]]:
    """(byte offset, time) of each session."""
    offset = 0
    with open(path, 'rb') as stream:
        for line in _lines(stream.fileno(), 0, MAX_FILE_BYTES):
            match = _START.match(line)
            moment = _local(match) if match else None
            if moment is not None:
                yield offset, moment
            offset += len(line)


def _lines(handle: int, begin: int, limit: int) -> Iterator[bytes]:
    with open(handle, 'rb', closefd=False) as stream:
        stream.seek(begin)
        read = 0
        while read < limit and (line := stream.readline(min(MAX_LINE_BYTES, limit - read))):
            read += len(line)
            yield line


def _local(begun: re.Match[bytes]) -> float | None:
    """The time in a start line, in epoch seconds; None if it is invalid, and then the line begins no session."""
    try:
        return datetime.fromisoformat(begun[1].decode('ascii')).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def describe(found: Candidate) -> SessionInfo | None:
    """The session of a start line, which is all that identifies it; the folder of the file is the work tree."""
    begin = int(found.key) if found.key.isdigit() else 0
    with open(found.path, 'rb') as stream:
        stream.seek(begin)
        match = _START.match(stream.readline(200))
    begun = _local(match) if match else None
    if match is None or begun is None:
        return None
    moment = match[1].decode('ascii')
    ident = sha256(f'{os.path.basename(os.path.dirname(found.path))}\0{moment}\0{begin}'.encode('utf-8', 'replace'))
    info = start(found, ident.hexdigest()[:16])
    info.cwd = str(Path(found.path).parent)
    info.started = begun
    info.offset = begin
    return info


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """What the person typed (`####`) and what the model answered; blockquotes come from aider itself and are left out.

    There are no ids, and no times but the start's: a message is identified by its text and its ordinal.
    """
    begin = offset or info.offset
    kept = Kept(info)
    mode, held, fence = '', list[str](), ''
    position = begin

    def flush() -> None:
        text = '\n'.join(held).strip()
        held.clear()
        if not text or mode == 'quote' or (mode == 'user' and (text.startswith('/') or text == '<blank>')):
            return
        ident = sha256(f'{info.session_id}\0{len(kept.messages)}\0{text}'.encode('utf-8', 'replace')).hexdigest()[:16]
        kept.add(
            'user' if mode == 'user' else 'assistant',
            text,
            msg_id=ident,
            ts=info.started,
            human=mode == 'user',
        )

    with open(info.path, 'rb') as stream:
        for number, raw in enumerate(_lines(stream.fileno(), begin, min(info.size or MAX_FILE_BYTES, MAX_FILE_BYTES))):
            position += len(raw)
            if number == 0 and _START.match(raw):
                continue
            line = raw.decode('utf-8', 'replace').rstrip('\r\n')
            kind, text = _kind(line, mode if fence else '')
            if kind != mode and (line.strip() or mode == 'user'):
                flush()
                mode = kind
            held.append(text)
            mark = _FENCE.match(text.strip())
            if mark and mode == 'assistant':
                fence = '' if fence and mark[1].startswith(fence) else fence or mark[1]
        flush()
    info.offset = position
    yield from kept.messages


def _kind(line: str, inside: str) -> tuple[str, str]:
    """Whose line it is (`user`, `quote` or `assistant`), and its text; inside an answer's fence no other begins."""
    if inside:
        return inside, line
    if line.startswith('#### ') or line == '####':
        return 'user', line[5:].rstrip()
    if line.startswith('> ') or line == '>':
        return 'quote', line[2:]
    return 'assistant', line
