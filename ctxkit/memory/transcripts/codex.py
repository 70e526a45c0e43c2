"""OpenAI Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, one envelope a line."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import blocks, command_of, decoded, epoch
from ctxkit.memory.transcripts.json_lines import head, records
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start

AGENT = 'codex'
INTERACTIVE = frozenset({'cli', 'vscode', 'app', 'tui', 'app-server', 'appServer'})
SKIPPED = frozenset(
    {'turn_context', 'world_state', 'token_usage_record', 'session_meta', 'compacted', 'ghost_snapshot'}
)
# User-role items that the program itself wrote begin with one of these.
_INJECTED = re.compile(
    r'\s*(<(environment_context|user_instructions|skill|skills_instructions|subagent_notification|turn_aborted|INSTRUCTIONS|'
    r'permissions|apps_instructions|plugins_instructions|collaboration_mode|personality_spec|model_switch|hook_context|'
    r'user_shell_command)\b|# AGENTS\.md instructions|Another language model started)',
    re.I,
)
_EXIT = re.compile(r'(?:Process exited with code|Exit code:?) (-?\d+)')
_OUTPUT = re.compile(r'\A(?:Chunk ID|Wall time|Process exited|Original token count|Exit code)[\s\S]*?^Output:\n?', re.M)


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The rollout files, without archived copies of active ones."""
    del roots
    root = Path(environ.get('CODEX_HOME') or home / '.codex')
    seen: set[str] = set()
    for folder in ('sessions', 'archived_sessions'):
        for file in sorted((root / folder).glob('**/rollout-*.jsonl')):
            found = candidate(AGENT, file)
            if found and file.name not in seen:
                seen.add(file.name)
                yield found


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the first session_meta (a replayed parent's comes later)."""
    for value in head(found.path, lines=20, limit=16 * 1024 * 1024):
        meta = value.get('payload')
        if value.get('type') != 'session_meta' or not isinstance(meta, dict):
            continue
        info = start(found, str(meta.get('id') or meta.get('session_id') or Path(found.path).stem))
        info.cwd = str(meta.get('cwd') or '')
        git = meta.get('git')
        info.git_branch = str(git.get('branch')) if isinstance(git, dict) and git.get('branch') else None
        info.started = epoch(meta.get('timestamp')) or epoch(value.get('timestamp'))
        parent = meta.get('forked_from_id') or meta.get('parent_thread_id')
        info.parent_session = str(parent) if parent else None
        source = meta.get('source')
        if isinstance(source, dict) or meta.get('parent_thread_id') or meta.get('thread_source') == 'subagent':
            info.kind = 'subagent'
        elif source is not None and str(source) not in INTERACTIVE:
            info.kind = 'headless'
        info.memory_off = meta.get('memory_mode') in ('off', 'disabled', 'polluted')
        return info if info.cwd else None
    return None


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The conversation: each message once, without rolled-back turns and a fork's replayed beginning."""
    kept = Kept(info)
    positive = False
    for _, value in records(info, offset):
        payload = value.get('payload')
        kind = str(value.get('type'))
        if not isinstance(payload, dict):
            info.unknown_types[f'no payload: {kind[:20]}'] += 1
            continue
        ts = epoch(value.get('timestamp'))
        if kind == 'response_item':
            _item(kept, payload, ts)
        elif kind == 'event_msg':
            positive = _event(kept, payload, ts) or positive
        elif kind not in SKIPPED:
            info.unknown_types[kind[:40]] += 1
    found = kept.messages
    if positive:
        # Each typed message occurs twice: as an event and as an item. The event is the cleaner one.
        found = [message for message in found if message.tool_name != 'item']
    parent = _replayed(info) if info.parent_session else ()
    same = 0
    while same < min(len(parent), len(found)) and (found[same].role, found[same].text) == parent[same]:
        same += 1
    for message in found[same if same >= 3 else 0 :]:
        yield message._replace(tool_name=None if message.tool_name in ('item', 'event') else message.tool_name)


def _replayed(info: SessionInfo) -> tuple[tuple[str, str], ...]:
    """The parent's messages as (role, text); () if its file is neither among the store's days nor beside this one."""
    folder = Path(info.path).parent
    days = folder.parts[-4:-3] in (('sessions',), ('archived_sessions',))
    name = f'rollout-*{glob.escape(info.parent_session or "")}.jsonl'
    for file in sorted(folder.parents[2].glob(f'*/*/*/{name}') if days else folder.glob(name)):
        found = candidate(AGENT, file)
        parent = describe(found) if found else None
        if parent is not None and parent.path != info.path:
            parent.parent_session = None
            return tuple((message.role, message.text) for message in messages(parent))
    return ()


def _event(kept: Kept, payload: dict[str, Any], ts: float | None) -> bool:
    """Process an event; True if it is the clean record of a typed message."""
    kind = payload.get('type')
    if kind == 'user_message' and isinstance(payload.get('message'), str):
        return _typed(kept, payload['message'], ts, '')
    if kind == 'item_completed' and isinstance(payload.get('item'), dict):
        item = payload['item']
        if item.get('type') == 'UserMessage':
            return _typed(kept, blocks(item.get('content') or item.get('text')), ts, str(item.get('id') or ''))
        if item.get('type') == 'CommandExecution' and isinstance(item.get('exit_code'), int):
            call = str(item.get('id') or item.get('call_id') or '')
            for at in range(len(kept.messages) - 1, max(-1, len(kept.messages) - 6), -1):
                message = kept.messages[at]
                if message.role == 'tool_result' and call and message.tool_call_id == call:
                    kept.messages[at] = message._replace(is_error=item['exit_code'] != 0)
    elif kind == 'thread_rolled_back' and isinstance(payload.get('num_turns'), int):
        _roll_back(kept, payload['num_turns'])
    return False


def _typed(kept: Kept, text: str, ts: float | None, msg_id: str) -> bool:
    if not text.strip() or _INJECTED.match(text):
        return False
    kept.add('user', text, msg_id=msg_id or _made_id(kept.info, text, ts), ts=ts, human=True, tool='event')
    return True


def _roll_back(kept: Kept, turns: int) -> None:
    """Drop the last `turns` turns; a turn begins at a typed message, recorded as an event, an item, or both."""
    found = kept.messages
    while found and turns > 0:
        message = found.pop()
        if message.human:
            turns -= 1
            if found and found[-1].human and found[-1].text == message.text:
                found.pop()


def _item(kept: Kept, payload: dict[str, Any], ts: float | None) -> None:
    kind, info = payload.get('type'), kept.info
    call = str(payload.get('call_id') or payload.get('id') or '') or None
    ident = str(payload.get('id') or '')
    if kind == 'message':
        text, role = blocks(payload.get('content')), payload.get('role')
        if role == 'assistant':
            kept.add('assistant', text, msg_id=ident or _made_id(info, text, ts), ts=ts)
        elif role == 'user' and text.strip():
            human = _user_kind(payload) if _user_kind(payload) is not None else not _INJECTED.match(text)
            kept.add(
                'user' if human else 'meta',
                text,
                msg_id=ident or _made_id(info, text, ts),
                ts=ts,
                human=bool(human),
                tool='item',
            )
    elif kind in ('function_call', 'custom_tool_call', 'local_shell_call'):
        arguments = payload.get('arguments') or payload.get('input') or payload.get('action')
        kept.add(
            'tool_call',
            command_of(arguments),
            msg_id=ident or f'{call}:call',
            ts=ts,
            tool=str(payload.get('name') or kind),
            call=call,
        )
    elif kind in ('function_call_output', 'custom_tool_call_output'):
        text, error = _output(payload.get('output'))
        kept.add('tool_result', text, msg_id=f'{call}:result', ts=ts, call=call, error=error)
    elif kind not in (
        'reasoning',
        'web_search_call',
        'tool_search_call',
        'tool_search_output',
        'agent_message',
        'ghost_snapshot',
        'compaction',
        'compaction_summary',
        'context_compaction',
    ):
        info.unknown_types[f'response_item {str(kind)[:30]}'] += 1


def _user_kind(payload: dict[str, Any]) -> bool | None:
    """What the program itself says about a user-role item: typed (True), injected (False), or nothing (None)."""
    meta = payload.get('internal_chat_message_metadata_passthrough')
    kinds = meta.get('content_item_kinds') if isinstance(meta, dict) else None
    return all(kind == 'user.text' for kind in kinds) if isinstance(kinds, list) and kinds else None


def _output(output: Any) -> tuple[str, bool | None]:
    """A tool's clean output, and whether it failed (None if the record does not say)."""
    if isinstance(output, str) and output.lstrip().startswith('{'):
        try:
            value = decoded(output)
        except ValueError:
            value = None
        if isinstance(value, dict) and 'output' in value:
            output = value
    if isinstance(output, dict):
        meta = output.get('metadata')
        code = meta.get('exit_code') if isinstance(meta, dict) else None
        failed = code != 0 if isinstance(code, int) else (not output['success'] if 'success' in output else None)
        return str(output.get('output') or output.get('content') or ''), failed
    text = blocks(output)
    code_said = _EXIT.search(text[:600])
    return _OUTPUT.sub('', text), (code_said[1] != '0' if code_said else None)


def _made_id(info: SessionInfo, text: str, ts: float | None) -> str:
    return sha256(f'{info.session_id}\0{ts}\0{text}'.encode('utf-8', 'replace')).hexdigest()[:16]
