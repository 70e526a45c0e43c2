"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, a log of changes to replay; older ones are a single `.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import blocks, command_of, decoded, epoch, exited_badly, response_of, typed_in
from ctxkit.memory.transcripts.json_lines import MAX_LINE_BYTES, head, records
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start

AGENT = 'gemini'
_NOT_TYPED = (
    '<session_context>',
    '<untrusted_context>',
    '<state_snapshot>',
    '<compressed_',
    '<hook_context>',
    'I ran the following shell command:\n```',
)
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
_Entries = dict[tuple[str, str], dict[str, Any]]


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The chats of all projects, one for each conversation: without an old `.json` that continues in a `.jsonl`, and
    without the stub that a resume leaves beside the file it continues in."""
    root = Path(environ.get('GEMINI_CLI_HOME') or home) / '.gemini' / 'tmp'
    del roots
    for folder in sorted(root.glob('*/chats')):
        best: dict[str, Candidate] = {}
        for file in sorted(folder.glob('session-*.json*')):
            found = candidate(AGENT, file)
            if found:
                best[file.stem[-8:]] = max(best.get(file.stem[-8:], found), found, key=_rank)
        yield from best.values()


def _rank(found: Candidate) -> tuple[bool, int]:
    return found.path.endswith('.jsonl'), found.size


def describe(found: Candidate) -> SessionInfo | None:
    """The session, from the header; its project comes from the files beside the chat, which names none itself."""
    header = (
        next(head(found.path, lines=1, limit=MAX_LINE_BYTES), None)
        if found.path.endswith('.jsonl')
        else _document(found.path)
    )
    if not header or not isinstance(header.get('sessionId'), str) or 'projectHash' not in header:
        return None
    info = start(found, header['sessionId'])
    info.cwd = _project(Path(found.path), str(header['projectHash']))
    info.started = epoch(header.get('startTime'))
    if header.get('kind') == 'subagent':
        info.kind = 'subagent'
    return info if info.cwd else None


def _document(path: str) -> dict[str, Any] | None:
    try:
        if Path(path).stat().st_size > MAX_DOCUMENT_BYTES:
            return None
        value = decoded(Path(path).read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _project(chat: Path, project_hash: str) -> str:
    folder = chat.parent.parent
    try:
        return (folder / '.project_root').read_text('utf-8')[:4096].strip()
    except (OSError, ValueError):
        pass
    known = _document(str(folder.parent.parent / 'projects.json')) or {}
    projects = known.get('projects')
    for root, name in projects.items() if isinstance(projects, dict) else ():
        if name == folder.name or sha256(str(root).encode()).hexdigest() == project_hash:
            return str(root)
    return ''


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The conversation as it went. What a person typed stays, even if a cancelled turn was taken back.

    Ids are unique only within a session, and a call and its result can share one, so the key is (id, type).
    """
    entries: _Entries = {}
    first_seen: dict[tuple[str, str], Any] = {}
    if info.path.endswith('.jsonl'):
        for position, value in records(info, offset):
            _replay(entries, first_seen, value, position)
    else:
        document = _document(info.path) or {}
        for value in _list(document.get('messages')):
            if isinstance(value, dict):
                _put(entries, first_seen, value, 0)
        info.offset = info.size
    kept = Kept(info)
    for key, value in entries.items():
        _message(kept, value, epoch(first_seen.get(key)))
    yield from kept.messages


def _replay(entries: _Entries, first_seen: dict[tuple[str, str], Any], value: dict[str, Any], position: int) -> None:
    if isinstance(value.get('$set'), dict):
        history = value['$set'].get('messages')
        # A resume, a cancel and a compression rewrite the history as the model sees it: the summary as the person's
        # words, and without what they took back. It is used only if the lines above do not have the original.
        if isinstance(history, list) and not any(map(_typed, entries.values())):
            entries.clear()
            for message in history:
                if isinstance(message, dict):
                    _put(entries, first_seen, message, position)
    elif '$rewindTo' in value:
        keys = list(entries)
        at = next((index for index, key in enumerate(keys) if key[0] == value['$rewindTo']), 0)
        for key in keys[at:]:
            del entries[key]
    elif 'id' in value and 'type' in value:
        _put(entries, first_seen, value, position)


def _put(entries: _Entries, first_seen: dict[tuple[str, str], Any], value: dict[str, Any], position: int) -> None:
    key = (str(value.get('id')), str(value.get('type')))
    first_seen.setdefault(key, value.get('timestamp'))
    old = entries.get(key)
    if old is not None and value.get('type') == 'user' and blocks(old.get('content')) != blocks(value.get('content')):
        key = (f'{key[0]}:{position}', key[1])  # one id for two messages: a result and a person's words
        first_seen.setdefault(key, value.get('timestamp'))
    entries[key] = value


def _typed(value: dict[str, Any]) -> str:
    """What a person typed; '' for what the program itself wrote: context, results, a command that the person ran."""
    content = value.get('content')
    parts = content if isinstance(content, list) else [content]
    if value.get('type') != 'user' or any(isinstance(part, dict) and 'functionResponse' in part for part in parts):
        return ''
    text = typed_in(value.get('displayContent')) or typed_in(parts)
    return '' if text.lstrip().startswith(_NOT_TYPED) else text


def _message(kept: Kept, value: dict[str, Any], ts: float | None) -> None:
    kind, ident = value.get('type'), str(value.get('id'))
    text = blocks(value.get('content'))
    if kind == 'user':
        typed = _typed(value)
        if typed or text:
            kept.add('user' if typed else 'meta', typed or text, msg_id=ident, ts=ts, human=bool(typed))
    elif kind == 'gemini':
        if text:
            kept.add('assistant', text, msg_id=ident, ts=ts)
        for call in _list(value.get('toolCalls')):
            if isinstance(call, dict):
                name, ref = str(call.get('name')), str(call.get('id'))
                kept.add('tool_call', command_of(call.get('args')), msg_id=ref, ts=ts, tool=name, call=ref)
                output = response_of(call.get('result'))
                kept.add(
                    'tool_result',
                    output,
                    msg_id=f'{ref}:result',
                    ts=ts,
                    tool=name,
                    call=ref,
                    error=call.get('status') not in ('success', None) or exited_badly(output),
                )
    elif kind not in ('info', 'error', 'warning'):
        kept.info.unknown_types[str(kind)[:40]] += 1


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
