"""The input that coding agents give their hooks, as messages: `ctxkit session log` can be the hook's command."""

from __future__ import annotations

import json
from typing import Any

from ctxkit.sessions.message import MAX_ID, Message, checked_id

# event -> (role, the key of its text); Claude Code and Codex share event names, Gemini has its own.
SAID = {
    'UserPromptSubmit': ('user', 'prompt'),
    'BeforeAgent': ('user', 'prompt'),
    'Stop': ('assistant', 'last_assistant_message'),
    'AfterAgent': ('assistant', 'prompt_response'),
}
TOOL_USED = ('PostToolUse', 'AfterTool')


def is_hook_input(item: dict[str, Any]) -> bool:
    """Whether the object is a hook's input and not a message."""
    return isinstance(item.get('hook_event_name'), str) and 'role' not in item


def messages(item: dict[str, Any], session_id: str) -> list[Message]:
    """The messages in a hook's input; none if it holds no words. Raises CtxError without an id."""
    session = checked_id(str(item.get('session_id') or session_id))
    event = item['hook_event_name']
    if event in SAID:
        role, key = SAID[event]
        words = item.get(key)
        return [Message(session, role, _text(words))] if words else []
    if event in TOOL_USED:
        tool, call = (_text(item.get(key) or '')[:MAX_ID] for key in ('tool_name', 'tool_use_id'))
        return [
            Message(session, 'tool_call', _text(item.get('tool_input')), tool, call),
            Message(session, 'tool_result', _text(item.get('tool_response')), tool, call),
        ]
    return []


def _text(value: Any) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said.encode('utf-8', 'replace').decode('utf-8')
