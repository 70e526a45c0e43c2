"""GitHub Copilot's CLI: `session-state/<session>/events.jsonl`, one event a line; a rewind removes lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import blocks, command_of, epoch
from ctxkit.memory.transcripts.json_lines import head, records
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start

AGENT = 'copilot'
# Events without anybody's words: SILENT by the first word of their type, SKIPPED by the whole type.
SILENT = frozenset(
    'session system hook skill subagent abort model permission mcp mcp_app command commands capabilities elicitation '
    'user_input sampling external_tool exit_plan_mode factory auto_mode_switch session_limits_exhausted '
    'pending_messages tool_search ui'.split()
)
SKIPPED = frozenset(
    'assistant.turn_start assistant.turn_end assistant.intent assistant.idle assistant.usage assistant.reasoning '
    'assistant.reasoning_delta assistant.message_start assistant.message_delta assistant.streaming_delta '
    'assistant.tool_call_delta assistant.server_tool_progress tool.execution_partial_result '
    'tool.execution_progress'.split()
)
_EXIT = re.compile(r'<(?:shellId: \S+ completed|exited) with exit code (-?\d{1,10})>\s*\Z')


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The event files of all sessions."""
    del roots
    root = Path(environ.get('COPILOT_HOME') or home / '.copilot')
    for file in sorted(root.glob('session-state/*/events.jsonl')):
        found = candidate(AGENT, file)
        if found:
            yield found


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the first event; whether a person takes part, from the first instructions."""
    info = None
    for value in head(found.path):
        data = value.get('data')
        if not isinstance(data, dict):
            continue
        if info is None:
            context = data.get('context')
            if value.get('type') != 'session.start' or not isinstance(context, dict):
                return None
            info = start(found, str(data.get('sessionId') or Path(found.path).parent.name))
            info.cwd = str(context.get('cwd') or '')
            info.git_branch = str(context.get('branch') or '') or None
            info.started = epoch(data.get('startTime')) or epoch(value.get('timestamp'))
            if data.get('detachedFromSpawningParentSessionId'):
                info.kind = 'subagent'
        elif value.get('type') == 'system.message' and not value.get('agentId'):
            if info.kind == 'main' and 'running in non-interactive mode' in str(data.get('content'))[:1000]:
                info.kind = 'headless'
            break
    return info if info and info.cwd else None


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The conversation as it was typed and answered, without what subagents said."""
    kept = Kept(info)
    for _, value in records(info, offset):
        kind, data = str(value.get('type')), value.get('data')
        if not isinstance(data, dict) or kind in SKIPPED or kind.partition('.')[0] in SILENT:
            continue
        if value.get('agentId') or data.get('parentToolCallId'):
            continue
        common: dict[str, Any] = {'msg_id': str(value.get('id') or ''), 'ts': epoch(value.get('timestamp'))}
        if kind == 'user.message':
            text = blocks(data.get('content'))
            # Other sources are another agent, a skill or the program itself; `content` excludes what hooks add.
            human = data.get('source') in (None, '', 'user') and not data.get('isAutopilotContinuation')
            if text.strip():
                kept.add('user' if human else 'meta', text, human=human, **common)
        elif kind == 'assistant.message':
            text = blocks(data.get('content'))
            if text.strip():
                kept.add('assistant', text, **common)
        elif kind in ('tool.execution_start', 'tool.user_requested'):
            call, tool = str(data.get('toolCallId')), str(data.get('toolName'))
            kept.add('tool_call', command_of(data.get('arguments')), tool=tool, call=call, **common)
        elif kind == 'tool.execution_complete':
            output = _output(data)
            kept.add('tool_result', output, call=str(data.get('toolCallId')), error=_failed(data, output), **common)
        else:
            info.unknown_types[kind[:40]] += 1
    yield from kept.messages


def _output(data: dict[str, Any]) -> str:
    for body in (data.get('result'), data.get('error')):
        if isinstance(body, dict):
            return blocks(body.get('content') or body.get('message'))
    return ''


def _failed(data: dict[str, Any], output: str) -> bool:
    """Whether a tool failed. A failed command counts as success there; its exit code is a field or ends the output."""
    shell = data.get('shellExecution')
    code = shell.get('exitCode') if isinstance(shell, dict) else None
    said = _EXIT.search(output)
    if not isinstance(code, int) and said:
        code = int(said[1])
    return data.get('success') is not True or code not in (None, 0)
