"""The lines of MEMORY.md and memory_summary.md: made from the facts, with the person's own lines put back.

A generated line ends in the id of its fact, so it is recognized after the person has edited it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ctxkit.memory.facts import Fact, clean
from ctxkit.memory.section import GUIDANCE, of_facts
from ctxkit.safety.secrets import redact
from ctxkit.safety.text import visible

HEADINGS = {
    'goal': 'Goal',
    'decision': 'Decisions',
    'convention': 'Conventions',
    'question': 'Open questions',
    'pitfall': 'Repaired failures',
}
FORMER = 'No longer holds'
MAX_FORMER = 20
_ID = re.compile(r' \[([0-9a-f]{12})\]\s*\Z')
_GAP = '\0'  # placeholder for a person's empty line, until all lines are in place
_ITEM = re.compile(r'\A[-*] +')
_MARKS = re.compile(r' \((?:unverified since [^)]*|human|commit|agent|tool)[^()]*\)(?= \[)|\A~~|~~(?= )')


def shown(text: str) -> str:
    """Text from a transcript made safe for a Markdown file: redacted, controls visible, no tags, fences or imports."""
    text = visible(redact(text)).replace('```', "'''")
    return re.sub(r'(?<![\w.`])@(?=[\w./~])', '(at)', text.replace('<', '‹').replace('>', '›'))


def long_lines(facts: Sequence[Fact], now: float) -> list[str]:
    """The lines of MEMORY.md: what holds, by kind, then what no longer holds."""
    lines = ['# Project memory', '', f'> {GUIDANCE}', '']
    for kind, heading in HEADINGS.items():
        current = [fact for fact in facts if fact.kind == kind and fact.shown(now)]
        lines += [f'## {heading}', '', *(fact_line(fact) for fact in current), *([''] if current else [])]
    former = [fact for fact in facts if fact.status == 'superseded'][-MAX_FORMER:]
    lines += [f'## {FORMER}', '', *(f'- ~~{shown(fact.text)}~~ [{fact.id}]' for fact in former)]
    return lines


def fact_line(fact: Fact) -> str:
    """One fact as a list item, with who said it and its id."""
    since = fact.unverified_since
    mark = f' (unverified since {since[:10]})' if since else ''
    times = f', {fact.confirmations} times' if fact.confirmations > 1 else ''
    return f'- {shown(fact.text)}{mark} ({fact.who}{times}) [{fact.id}]'


def summary_lines(facts: Sequence[Fact], limit: int, now: float, count: Callable[[str], int]) -> list[str]:
    """The lines of memory_summary.md, within `limit` tokens."""
    body = of_facts(list(facts), limit - count('v1\n'), now, count)
    return ['v1', *(shown(line) for line in body)] if body else ['v1']


def with_own_lines(new: list[str], current: list[str], ours: set[str]) -> list[str]:
    """`new` with the person's lines of `current` put back: after the line that they followed, else in their section.

    The same input gives the same bytes: empty lines surround headings and separate a person's own paragraphs.
    """
    own_ids = {fact for line in current if line not in ours and (fact := fact_of(line))}
    out = [line for line in new if line.strip() and fact_of(line) not in own_ids]
    before = heading = ''
    gap = False
    for line in current:
        if not line.strip():
            gap = before not in ours
            continue
        if line in ours:
            before, gap = line, False
            heading = line if line.startswith('#') else heading
            continue
        if line not in out:
            said = bare(line)
            out = [item for item in out if not said or bare(item) != said]  # the person's own line states this fact
            if before in out:
                at = out.index(before) + 1
            elif heading in out:
                at = next((n for n in range(out.index(heading) + 1, len(out)) if out[n].startswith('#')), len(out))
            else:
                at = len(out)
            out[at:at] = [_GAP, line] if gap else [line]
        before, gap = line, False
    return _spaced(out)


def _spaced(lines: list[str]) -> list[str]:
    spaced: list[str] = []
    for line in lines:
        if line.startswith('#'):
            spaced += ['', line, ''] if spaced and spaced[-1] else [line, '']
        else:
            spaced.append('' if line == _GAP else line)
    return spaced


def bare(line: str) -> str:
    """The text of a list item, without its id and marks; '' for any other line."""
    return clean(_ITEM.sub('', _ID.sub('', _MARKS.sub('', line)))) if _ITEM.match(line) else ''


def fact_of(line: str) -> str:
    """The id of a generated line's fact; '' for any other line."""
    match = _ID.search(line)
    return match[1] if match else ''


def kind_of(heading: str) -> str:
    """The kind of the facts below `heading`; '' if it is not one of ours."""
    title = heading.removeprefix('## ').strip()
    return next((kind for kind, name in HEADINGS.items() if name == title), '')
