"""How long ephemeral context lives: as long as the conversation is about its matter. Pure decisions, no database.

    an ephemeral message of tool T      the context of T begins, or continues
    a follow-up about the matter        it continues
    N unrelated requests in a row       it ends
    another tool is used                it ends
    a finished operation                the person is asked; it waits for the answer

A context that ends is hidden from the model at once; only `done` deletes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

QUESTION = 'Is this the result you wanted?'


@dataclass(frozen=True)
class State:
    """A conversation's ephemeral context: its tool, the id of its first message, unrelated requests in a row."""

    tool: str = ''
    since: int = 0
    active: bool = False
    unrelated: int = 0
    asked: bool = False
    reason: str = ''


@dataclass(frozen=True)
class Judgement:
    """Whether a request is about the matter, and the reason."""

    related: bool
    reason: str


def is_judged(state: State, role: str, tool: str) -> bool:
    """Whether the message is a request while a context is active; what it is about then prolongs or ends that."""
    return state.active and role == 'user' and not tool


def advance(
    state: State,
    message_id: int,
    role: str,
    tool: str,
    ephemeral: bool,
    completed: bool,
    judgement: Judgement | None,
    limit: int,
) -> State:
    """The state after one more message; `limit` unrelated requests in a row end the context."""
    if is_judged(state, role, tool):
        state = _after_request(state, judgement or Judgement(False, 'nothing in common'), limit)
    elif tool and state.active and state.tool and tool.lower() != state.tool.lower() and not completed:
        state = replace(state, active=False, unrelated=0, reason=f'switched to {tool}')
    elif tool and state.active and tool.lower() == state.tool.lower():
        state = replace(state, unrelated=0, reason=f'{tool} is in use')
    if ephemeral and not completed:
        state = _begun(state, message_id, tool)
    return replace(state, asked=True) if completed else state


def _after_request(state: State, judgement: Judgement, limit: int) -> State:
    if judgement.related:
        return replace(state, unrelated=0, reason=judgement.reason)
    unrelated = state.unrelated + 1
    if unrelated >= limit:
        return replace(state, active=False, unrelated=unrelated, reason=f'{unrelated} unrelated requests in a row')
    return replace(state, unrelated=unrelated, reason=judgement.reason)


def _begun(state: State, message_id: int, tool: str) -> State:
    """Continue an active context, or begin one. A draft without a tool belongs to the context it is in, and a context
    without a tool is named after the first tool that adds to it."""
    if state.active:
        return replace(state, tool=state.tool or tool, unrelated=0 if tool else state.unrelated)
    return State(tool=tool, since=message_id, active=True, asked=state.asked, reason=f'{tool or "a draft"} began')
