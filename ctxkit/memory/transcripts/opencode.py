"""opencode: a SQLite database with one row for each session, message and part; opened read-only and only briefly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxkit.memory.transcripts.fields import command_of, decoded, epoch
from ctxkit.memory.transcripts.json_lines import MAX_LINE_BYTES
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, start

if TYPE_CHECKING:
    from sqlite3 import Connection

AGENT = 'opencode'


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """One candidate for each session, from the database's list, with the time of the last change."""
    del roots
    root = Path(
        environ.get('OPENCODE_DATA_DIR') or Path(environ.get('XDG_DATA_HOME') or home / '.local' / 'share') / 'opencode'
    )
    for file in sorted(root.glob('opencode*.db')):
        yield from at(file)


def at(path: Path) -> Iterator[Candidate]:
    """The sessions in one database; none if the file is not one of opencode's."""
    import sqlite3

    if path.suffix != '.db':
        return
    try:
        with closing(_open(path)) as db:
            if not {'id', 'directory'} <= _columns(db, 'session'):
                return
            updated = 'time_updated' if 'time_updated' in _columns(db, 'session') else '0'
            rows = db.execute(f'SELECT id, {updated} FROM session ORDER BY id').fetchall()
    except sqlite3.Error:
        return
    for ident, changed in rows:
        yield Candidate(AGENT, str(path), str(ident), 0, int((epoch(changed) or 0) * 1e9))


def _open(path: Path) -> Connection:
    """Open the database read-only, but not `immutable`: its newest data may still be in the write-ahead log."""
    import sqlite3

    db = sqlite3.connect(f'{path.absolute().as_uri()}?mode=ro', uri=True, timeout=2)
    db.execute('PRAGMA busy_timeout=2000')
    return db


def _columns(db: Connection, table: str) -> set[str]:
    return {str(row[1]) for row in db.execute(f'PRAGMA table_info({table})')}


def describe(found: Candidate) -> SessionInfo | None:
    """The session, from its row; columns that this version of the database does not have are left empty."""
    import sqlite3

    try:
        with closing(_open(Path(found.path))) as db:
            columns = _columns(db, 'session')
            wanted = [name for name in ('directory', 'parent_id', 'time_created', 'project_id') if name in columns]
            row = db.execute(f'SELECT {", ".join(wanted)} FROM session WHERE id=?', (found.key,)).fetchone()
            if row is None:
                return None
            values = dict(zip(wanted, row, strict=True))
            directory = str(values.get('directory') or '')
            if not directory and 'worktree' in _columns(db, 'project'):
                project = db.execute('SELECT worktree FROM project WHERE id=?', (values.get('project_id'),)).fetchone()
                directory = str(project[0]) if project else ''
    except sqlite3.Error as error:
        raise OSError(f'{found.path}: {error}') from error
    info = start(found, found.key)
    info.cwd = directory if directory.startswith('/') or ':' in directory or not directory else '/' + directory
    info.kind = 'subagent' if values.get('parent_id') else 'main'
    info.started = epoch(values.get('time_created'))
    return info if info.cwd else None


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The messages of the session in their order, their parts joined. Raises OSError if the database cannot be read."""
    import sqlite3

    del offset
    kept = Kept(info)
    try:
        with closing(_open(Path(info.path))) as db:
            rows = db.execute(
                'SELECT id, time_created, data FROM message WHERE session_id=? ORDER BY time_created, id',
                (info.session_id,),
            ).fetchall()
            for ident, created, data in rows:
                body = _json(data)
                if body is None:
                    info.skipped_lines += 1
                    continue
                parts = db.execute(
                    'SELECT data FROM part WHERE message_id=? AND length(data) <= ? ORDER BY id',
                    (ident, MAX_LINE_BYTES),
                )
                _message(kept, body, epoch(created), [part for (raw,) in parts if (part := _json(raw)) is not None])
    except sqlite3.Error as error:
        raise OSError(f'{info.path}: {error}') from error
    yield from kept.messages


def _json(raw: Any) -> dict[str, Any] | None:
    try:
        value = decoded(raw)
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _message(kept: Kept, body: dict[str, Any], ts: float | None, parts: list[dict[str, Any]]) -> None:
    role = body.get('role')
    texts = [
        str(part.get('text') or '')
        for part in parts
        if part.get('type') == 'text' and not part.get('synthetic') and not part.get('ignored')
    ]
    text = '\n'.join(piece for piece in texts if piece)
    if role == 'user' and len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]  # `opencode run` puts the message in quotes
    # A fork copies messages with their old time under new ids, so role, time and text are the identity.
    ident = sha256(f'{role}\0{ts}\0{text}'.encode('utf-8', 'replace')).hexdigest()[:16]
    if role == 'user' and text:
        kept.add('user', text, msg_id=ident, ts=ts, human=True)
    elif role == 'assistant':
        if text:
            kept.add('summary' if body.get('summary') is True else 'assistant', text, msg_id=ident, ts=ts)
        for part in parts:
            state = part.get('state')
            if part.get('type') == 'tool' and isinstance(state, dict):
                call, name = str(part.get('callID')), str(part.get('tool'))
                meta = state.get('metadata')
                code = meta.get('exit') if isinstance(meta, dict) else None
                failed = state.get('status') == 'error' or (isinstance(code, int) and code != 0)
                kept.add('tool_call', command_of(state.get('input')), msg_id=call, ts=ts, tool=name, call=call)
                kept.add(
                    'tool_result',
                    str(state.get('output') or state.get('error') or ''),
                    msg_id=f'{call}:result',
                    ts=ts,
                    tool=name,
                    call=call,
                    error=failed,
                )
