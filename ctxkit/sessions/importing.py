"""Import past conversations into the log: an agent's transcripts of this repository, or JSON lines."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import tree_above
from ctxkit.sessions.log import import_messages
from ctxkit.sessions.message import MAX_ID, ROLES, Message, decode, parse
from ctxkit.settings import SessionSettings


@dataclass
class Imported:
    """How many messages were new, and how many lines were not messages."""

    added: int = 0
    bad: int = 0


def import_source(
    db: sqlite3.Connection,
    repo: Repo,
    source: str,
    session_id: str,
    settings: SessionSettings,
    now: float,
    standard_input: Iterable[bytes],
    home: Path,
    environ: Mapping[str, str],
) -> Imported:
    """Import from `-`, a file of JSON lines or a transcript, or a known agent's transcripts of this repository.

    Each message is added only once, however often it is imported. Raises CtxError for an unknown source.
    """
    imported = Imported()
    if source == '-':
        imported.added = import_messages(db, json_lines(standard_input, session_id, imported), settings, now)
    elif Path(source).is_file() and _holds_messages(source):
        with open(source, 'rb') as lines:
            messages = json_lines(lines, session_id or Path(source).stem, imported)
            imported.added = import_messages(db, messages, settings, now)
    else:
        imported.added = import_messages(db, _transcripts(db, repo, source, home, environ), settings, now)
    return imported


def _holds_messages(file: str) -> bool:
    """Whether the first line of the file is a message as `session log` accepts it."""
    with open(file, 'rb') as lines:
        first = next((line for line in lines if line.strip()), b'')
    try:
        parse(decode(first), 'any')
    except CtxError:
        return False
    return True


def json_lines(lines: Iterable[bytes], session_id: str, imported: Imported) -> Iterator[tuple[Message, str]]:
    """The messages in JSON lines, each with an identity: a hash of what is said, and how often it was said before."""
    seen: dict[str, int] = {}
    for line in lines:
        if not line.strip():
            continue
        try:
            message = parse(decode(line), session_id)
        except CtxError:
            imported.bad += 1
            continue
        said = '\0'.join((message.session_id, message.role, message.tool, message.call_id, message.content))
        digest = hashlib.sha256(said.encode('utf-8')).hexdigest()[:24]
        seen[digest] = seen.get(digest, 0) + 1
        yield message, f'{digest}-{seen[digest]}'


def _transcripts(
    db: sqlite3.Connection, repo: Repo, source: str, home: Path, environ: Mapping[str, str]
) -> Iterator[tuple[Message, str]]:
    """The messages of an agent's conversations in this repository, or of one transcript file wherever it was held.

    Only what a person typed counts as a request. Side conversations are left out, and so are those that a hook already
    logged.
    """
    from ctxkit.memory import transcripts
    from ctxkit.repo import worktrees

    roots = worktrees(repo)
    for info, messages in transcripts.read(source, home, environ, roots):
        if source in transcripts.AGENTS and (info.kind != 'main' or not _is_here(info.cwd, roots)):
            continue
        if db.execute(
            'SELECT 1 FROM chat_messages WHERE session_id = ? AND source IS NULL LIMIT 1', (info.session_id,)
        ).fetchone():
            continue
        seen: dict[str, int] = {}
        for item in messages:
            if item.role not in ROLES or (item.role == 'user' and not item.human):
                continue
            identity = f'{info.agent}:{item.msg_id}:{item.role}:{item.tool_call_id or ""}'
            seen[identity] = seen.get(identity, 0) + 1
            yield (
                Message(
                    item.session_id[:MAX_ID],
                    item.role,
                    item.text,
                    item.tool_name or '',
                    item.tool_call_id or '',
                    time=item.ts,
                ),
                f'{identity}:{seen[identity]}',
            )


def _is_here(cwd: str, roots: Sequence[Path]) -> bool:
    """Whether folder `cwd` is in this repository, and not in another one nested in it."""
    if not cwd:
        return False
    try:
        folder = Path(os.path.realpath(cwd))
        places = {Path(os.path.realpath(root)) for root in roots}
        tree_root = tree_above(folder)
    except (OSError, ValueError):
        return False
    return tree_root in places if tree_root else not places.isdisjoint((folder, *folder.parents))
