"""How long ephemeral context lives: as long as the conversation is about its matter. Pure decisions, no database.

    an ephemeral message of tool T      the context of T begins, or goes on
    a follow-up about the matter        it goes on
    N unrelated requests in a row       it ends
    another tool is used                it ends
    a finished operation                the person is asked; it waits for the answer

What ends is deactivated for the model at once; only `done` deletes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

QUESTION = 'Is this the result you wanted?'


@dataclass(frozen=True)
class State:
    """A conversation's ephemeral context: whose it is, the id of its first message, unrelated requests in a row."""

    tool: str = ''
    since: int = 0
    active: bool = False
    unrelated: int = 0
    asked: bool = False
    reason: str = ''


@dataclass(frozen=True)
class Judgement:
    """Whether a request is about the matter, and what says so."""

    related: bool
    reason: str


def is_judged(state: State, role: str, tool: str) -> bool:
    """Whether what the message is about prolongs or ends the context: a request while one is active."""
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
    """The context goes on if it is active; a draft of no tool belongs to the context it is in, and the first tool to
    add to a context without one gives it its name."""
    if state.active:
        return replace(state, tool=state.tool or tool, unrelated=0 if tool else state.unrelated)
    return State(tool=tool, since=message_id, active=True, asked=state.asked, reason=f'{tool or "a draft"} began')
