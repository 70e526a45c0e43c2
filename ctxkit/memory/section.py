"""The block's `durable_memory`: goal, decisions, conventions and open questions, as data with guidance on its use."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.repo import Repo
from ctxkit.safety.secrets import redact
from ctxkit.settings import Settings

if TYPE_CHECKING:
    from ctxkit.memory.facts import Fact

GUIDANCE = (
    "memory of earlier work: heuristic, not authoritative; repository state and the user's words win; "
    'when it changes a plan, cite .ctx/memory.json and evidence from the repository'
)
ORDER = ('goal', 'decision', 'convention', 'question')
LABELS = {'goal': 'goal', 'decision': 'decision', 'convention': 'convention', 'question': 'open question'}


def lines(repo: Repo, settings: Settings, budget: int, now: float, count: Callable[[str], int]) -> list[str]:
    """The section's lines, guidance first, within `budget` tokens by `count`; [] if nothing is remembered.

    Facts are chosen by weight (current code, confirmations, recency) and shown in a fixed order, so that a confirmation
    changes no byte. Bad data on disk gives [].
    """
    del settings
    if not (repo.ctx_dir / 'memory.json').is_file():
        return []  # without importing the rest of memory
    from ctxkit.memory import snapshot

    return of_facts(snapshot.load(repo), budget, now, count)


def of_facts(facts: list[Fact], budget: int, now: float, count: Callable[[str], int]) -> list[str]:
    """The section's lines for `facts`; see `lines`."""
    shown = [fact for fact in facts if fact.kind in ORDER and fact.shown(now)]
    goals = [fact for fact in shown if fact.kind == 'goal'][:1]
    others = sorted((fact for fact in shown if fact.kind != 'goal'), key=_weight)
    left = budget - count(GUIDANCE + '\n')
    chosen: dict[str, tuple[Fact, str]] = {}
    taken = dict.fromkeys(ORDER, 0)
    # First no kind may take more than half, so that none crowds out the others; then any may take the rest.
    for share in (budget // 2, budget):
        for fact in goals + others:
            line = line_of(fact)
            cost = count(line + '\n')
            if fact.id not in chosen and cost <= left and taken[fact.kind] + cost <= share:
                left -= cost
                taken[fact.kind] += cost
                chosen[fact.id] = (fact, line)
    if not chosen:
        return []
    ordered = sorted(chosen.values(), key=lambda item: (ORDER.index(item[0].kind), item[0].first_seen, item[0].id))
    return [GUIDANCE, *(line for _, line in ordered)]


def line_of(fact: Fact) -> str:
    """One fact as a line: redacted, marked if unverified, with who said it and when."""
    since = fact.unverified_since
    mark = f' (unverified since {since[:10]})' if since else ''
    return redact(f'{LABELS[fact.kind]}: {fact.text}{mark} [{fact.who} {_day(fact.first_seen)}]')


def _day(moment: float) -> str:
    try:
        return time.strftime('%Y-%m-%d', time.gmtime(moment))
    except (OverflowError, OSError, ValueError):
        return 'undated'


def _weight(fact: Fact) -> tuple[bool, int, float, str]:
    return bool(fact.unverified_since), -min(fact.confirmations, 5), -fact.last_seen, fact.id
