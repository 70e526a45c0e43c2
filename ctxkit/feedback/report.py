"""The effect of injection: both groups compared, and the figures by number of injected tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ctxkit.counted import counted
from ctxkit.feedback.control_group import BLOCK, CONTROL
from ctxkit.feedback.state import State
from ctxkit.records import count

# Upper edges of the curve's classes, in tokens. The seed documents report a turn at 2,800 and no gain past 4,000.
EDGES = (0, 1000, 2000, 2800, 3600, 4000)


_HEAD = (
    f'{"":12} {"conversations":>13} {"tokens":>8} {"answers":>8} {"names":>7} {"invented":>9} {"unable":>7} '
    f'{"follow-ups":>11}'
)


@dataclass(frozen=True)
class Row:
    """Figures of a set of conversations. `rate` is None if no names were counted."""

    name: str
    conversations: int
    tokens: float
    answers: int
    names: int
    invented: int
    unable: int
    follow_ups: float

    @property
    def rate(self) -> float | None:
        """The share of the names in answers that are invented."""
        return self.invented / self.names if self.names else None


@dataclass(frozen=True)
class Report:
    """A row for each group, and one for each class of injected tokens."""

    groups: tuple[Row, ...]
    curve: tuple[Row, ...]

    def as_data(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            name: [{**asdict(row), 'rate': row.rate} for row in rows]
            for name, rows in (('groups', self.groups), ('curve', self.curve))
        }


@dataclass
class _Conversation:
    group: str = BLOCK
    tokens: int = 0
    prompts: int = 0
    answers: int = 0
    names: int = 0
    invented: int = 0
    unable: int = 0


def report(records: Iterable[dict[str, Any]]) -> Report:
    """Summarize the records of `feedback.log` by conversation. Records without a conversation do not count."""
    found: dict[str, _Conversation] = {}
    for record in records:
        session = record.get('session')
        if not session:
            continue
        one = found.setdefault(str(session), _Conversation())
        one.group = str(record.get('group', one.group))
        if record.get('kind') in ('shown', 'code'):
            one.tokens += count(record, 'tokens')
        elif record.get('kind') == 'prompt':
            one.prompts += 1
        elif record.get('kind') == 'answer':
            one.answers += 1
            one.names += count(record, 'names')
            one.invented += count(record, 'invented')
            one.unable += bool(record.get('phrase'))
    groups = [_row(name, [one for one in found.values() if one.group == name]) for name in (BLOCK, CONTROL)]
    curve, low = [], -1
    for edge in (*EDGES, None):
        chosen = [one for one in found.values() if low < one.tokens and (edge is None or one.tokens <= edge)]
        label = 'none' if edge == 0 else f'over {low}' if edge is None else f'{low + 1}-{edge}'
        curve.append(_row(label, chosen))
        low = edge if edge is not None else low
    return Report(tuple(groups), tuple(curve))


def lines(result: Report, state: State) -> list[str]:
    """The report for a person."""
    out = ['with the block, and the control group without it (inject.share):', _HEAD]
    out += [_line(row) for row in result.groups]
    shown = [row for row in result.curve if row.conversations]
    if shown:
        out += ['', 'by tokens injected in a conversation:', _HEAD, *(_line(row) for row in shown)]
    out.append('')
    if state.down:
        out.append(f'stepped down to paths: {state.reason}')
    else:
        out.append(
            f'not stepped down: {state.invented} of {counted(state.names, "name")} '
            f'in the last {counted(state.answers, "answer")} exist nowhere'
        )
    return out


def _row(name: str, chosen: list[_Conversation]) -> Row:
    number = len(chosen)
    return Row(
        name,
        number,
        round(sum(one.tokens for one in chosen) / number, 1) if number else 0.0,
        sum(one.answers for one in chosen),
        sum(one.names for one in chosen),
        sum(one.invented for one in chosen),
        sum(one.unable for one in chosen),
        round(sum(max(0, one.prompts - 1) for one in chosen) / number, 2) if number else 0.0,
    )


def _line(row: Row) -> str:
    rate = '-' if row.rate is None else f'{row.rate:.1%}'
    return (
        f'{row.name:12} {row.conversations:>13} {row.tokens:>8.0f} {row.answers:>8} {row.names:>7} {rate:>9} '
        f'{row.unable:>7} {row.follow_ups:>11.2f}'
    )
