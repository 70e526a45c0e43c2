"""Statements to facts: a repetition confirms, a later contradiction supersedes, and only the trusted decide.

This is a pure function of what was said and what the person ruled, so it can be run again at any time and after any
crash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxkit.memory.facts import TRUSTED, WHO, Anchor, Fact, Source, Statement, fact_id
from ctxkit.memory.words import content, exclusive, numbers, overlap, topics

SAME_WORDS = 0.75
MAX_SOURCES = 20
QUESTION_DAYS = 90
SUPERSEDED_BY = 'superseded by '  # a model's ruling; it never overrides one of the person
DAY = 86_400.0


@dataclass
class _Growing:
    id: str
    lead: Statement
    who: str
    status: str
    sources: dict[Source, None] = field(default_factory=dict)
    conversations: set[tuple[str, str]] = field(default_factory=set)
    first: float = 0.0
    last: float = 0.0
    superseded_by: str = ''
    anchors: tuple[Anchor, ...] = ()


def merge(statements: Sequence[Statement], rulings: Mapping[str, tuple[str, float]]) -> list[Fact]:
    """The facts that result from `statements` (oldest first), in the order in which they were first said.

    Words decide which statements say the same. The bundled embeddings are not used: they place a rule about another
    object nearer than a paraphrase (benchmarks/memory/meaning.py prints it), so they would lose facts.
    """
    growing: dict[str, _Growing] = {}
    postings: dict[str, dict[str, None]] = defaultdict(dict)
    for item in statements:
        if item.kind == 'withdraw':
            _withdraw(growing, item)
            continue
        about = {'goal'} if item.kind == 'goal' else topics(item.text)
        near = [growing[ident] for ident in dict.fromkeys(name for topic in sorted(about) for name in postings[topic])]
        known = growing.get(item.fact) or growing.get(fact_id(item.kind, item.text)) or _same(near, item)
        if known is not None:
            _confirm(known, item)
        else:
            known = _grow(item)
            growing[known.id] = known
        for topic in about:
            postings[topic].setdefault(known.id)
        if known.status == 'active' and item.who in TRUSTED:
            for other in near:
                if other is known or other.status not in ('active', 'proposed'):
                    continue
                if contradicts(item, other.lead) or answers(item, other.lead):
                    other.status, other.superseded_by = 'superseded', known.id
    return [_finish(one, rulings.get(one.id)) for one in growing.values()]


def _grow(item: Statement) -> _Growing:
    status = 'active' if item.who in TRUSTED else 'proposed'
    return _Growing(
        fact_id(item.kind, item.text),
        item,
        item.who,
        status,
        {item.source: None},
        {(item.source.agent, item.source.session)},
        item.at,
        item.at,
        '',
        item.anchors,
    )


def _confirm(known: _Growing, item: Statement) -> None:
    known.sources.setdefault(item.source)
    known.last = max(known.last, item.at)
    if item.who not in TRUSTED:
        known.conversations.add((item.source.agent, item.source.session))
        return
    if known.who not in TRUSTED or known.status == 'retracted':
        # Somebody who may decide now says in their own words what an agent proposed or what was taken back.
        known.lead, known.who, known.conversations = item, item.who, set()
    elif WHO.index(item.who) < WHO.index(known.who):
        known.who = item.who
    known.conversations.add((item.source.agent, item.source.session))
    known.status, known.superseded_by = 'active', ''
    # The newest trusted statement was made with the newest code in view.
    known.anchors = item.anchors or known.anchors


def _withdraw(growing: dict[str, _Growing], item: Statement) -> None:
    """Retract a fact: the one that `item` names by id, else the active one that its words match best."""
    if item.who not in TRUSTED:
        return
    target = growing.get(item.fact)
    if target is None and item.text:
        said = content(item.text)
        ranked = [
            (overlap(said, content(one.lead.text)), one.last, one) for one in growing.values() if one.status == 'active'
        ]
        near = [entry for entry in ranked if said and said <= content(entry[2].lead.text) or entry[0] >= SAME_WORDS]
        target = max(near, key=lambda entry: entry[:2])[2] if near else None
    if target is not None:
        target.status = 'retracted'


def _same(near: Sequence[_Growing], item: Statement) -> _Growing | None:
    """The fact that already says this in other words, if there is one."""
    said = content(item.text)
    best: tuple[float, _Growing] | None = None
    for one in near:
        lead = one.lead
        if _family(lead.kind) != _family(item.kind) or lead.negative != item.negative:
            continue
        if numbers(lead.text) != numbers(item.text) or contradicts(item, lead):
            continue
        words = content(lead.text)
        score = overlap(said, words) if _aligned(said, words) else 0.0
        if lead.chosen and item.chosen:
            # Both pick an option: the same pick for the same purpose is the same decision.
            if content(lead.chosen) != content(item.chosen):
                continue
            rest, other = said - _options(item), words - _options(lead)
            if not rest or not other or overlap(rest, other) >= 0.5:
                score = max(score, SAME_WORDS)
        if score >= SAME_WORDS and (best is None or score > best[0]):
            best = score, one
    return best[1] if best else None


def contradicts(new: Statement, old: Statement) -> bool:
    """Whether the two cannot both hold: another option for the same purpose, another number, or the reverse."""
    if _family(new.kind) != _family(old.kind):
        return False
    if new.kind == 'goal':
        return fact_id('goal', new.text) != fact_id('goal', old.text)
    if new.kind == 'question' or old.kind == 'question':
        return False
    if _replaces(new, old):
        return True
    a, b = content(new.text), content(old.text)
    if new.chosen and old.chosen and not new.negative and not old.negative:
        if content(new.chosen) == content(old.chosen):
            return False
        rest, other = a - _options(new), b - _options(old)
        if exclusive(new.chosen, old.chosen):
            return not rest or not other or bool(rest & other)
        if rest and _aligned(rest, other) and not content(new.chosen) & content(old.chosen):
            return True
    if numbers(new.text) != numbers(old.text) and numbers(new.text) and numbers(old.text):
        words, others = _unnumbered(a), _unnumbered(b)
        return bool(words) and _aligned(words, others)
    return new.negative != old.negative and len(a & b) >= 2 and _aligned(a, b)


def answers(new: Statement, old: Statement) -> bool:
    """Whether a decision settles what an earlier question left open, because they mention the same things."""
    if old.kind != 'question' or _family(new.kind) != 'rule' or new.at < old.at:
        return False
    shared = topics(new.text) & topics(old.text)
    return len(shared) >= 2 and len(shared) >= 0.5 * min(len(topics(new.text)), len(topics(old.text)))


def _replaces(new: Statement, old: Statement) -> bool:
    """Whether `new` names the option that it replaces, and `old` picked that very option."""
    replaced = content(new.instead_of)
    if not replaced or old.negative:
        return False
    picked = content(old.chosen) if old.chosen else frozenset()
    if picked and picked <= replaced:
        rest, other = content(new.text) - _options(new), content(old.text) - _options(old)
        return not rest or not other or bool(rest & other) or exclusive(new.chosen, old.chosen)
    return (
        not old.chosen
        and replaced <= content(old.text)
        and bool((content(new.text) - _options(new)) & (content(old.text) - replaced))
    )


def _aligned(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether the words are much the same, and none is swapped for another, which would make it another fact."""
    return overlap(a, b) >= (0.6 if a <= b or b <= a else 0.9)


def _options(item: Statement) -> frozenset[str]:
    return content(item.chosen) | content(item.instead_of)


def _unnumbered(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word[0].isdigit())


def _family(kind: str) -> str:
    return 'rule' if kind in ('decision', 'convention') else kind


def _finish(one: _Growing, ruling: tuple[str, float] | None) -> Fact:
    status, superseded_by = one.status, one.superseded_by
    if ruling is not None and (ruling[0] == 'accepted' or one.last <= ruling[1] or one.who not in TRUSTED):
        # A later trusted statement brings a retracted fact back; an agent's repetition does not.
        if ruling[0].startswith(SUPERSEDED_BY):
            if status == 'active':
                status, superseded_by = 'superseded', ruling[0].removeprefix(SUPERSEDED_BY)
        elif ruling[0] == 'accepted':
            status = 'active' if status == 'proposed' else status
        else:
            status, superseded_by = 'retracted', ''
    expires = one.last + QUESTION_DAYS * DAY if one.lead.kind == 'question' else None
    return Fact(
        one.id,
        one.lead.kind,
        one.lead.text,
        one.who,
        status,
        tuple(one.sources)[:MAX_SOURCES],
        one.first,
        one.last,
        max(1, len(one.conversations)),
        superseded_by,
        expires,
        one.anchors,
    )
