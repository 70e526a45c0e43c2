"""Recurring procedures as SKILL.md files: the same work commands in the same order in several conversations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ctxkit.memory.commands import Workflow
from ctxkit.memory.facts import digest

MIN_CONVERSATIONS = 3
MIN_STEPS = 2
MAX_STEPS = 8
MAX_SKILLS = 20


class Skill(NamedTuple):
    """A procedure: its folder's name, its commands, how many conversations ran it, and what for."""

    name: str
    steps: tuple[str, ...]
    conversations: int
    purposes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The procedure as one line, for the inbox."""
        return 'Procedure: ' + ', then '.join(f'`{step}`' for step in self.steps)


def recurring(workflows: Iterable[Workflow]) -> list[Skill]:
    """The longest runs of steps that several conversations share, most frequent first; their names are unique."""
    seen: dict[tuple[str, ...], set[int]] = defaultdict(set)
    flows = list(workflows)
    for number, flow in enumerate(flows):
        for length in range(MIN_STEPS, min(MAX_STEPS, len(flow.steps)) + 1):
            for at in range(len(flow.steps) - length + 1):
                seen[flow.steps[at : at + length]].add(number)
    often = {steps: where for steps, where in seen.items() if len(where) >= MIN_CONVERSATIONS}
    chosen: list[tuple[str, ...]] = []
    for steps in sorted(often, key=lambda run: (-len(run), -len(often[run]), run)):
        # Part of a longer procedure counts separately only if it ran clearly more often than that.
        if not any(_within(steps, longer) and len(often[steps]) < 2 * len(often[longer]) for longer in chosen):
            chosen.append(steps)
    chosen.sort(key=lambda run: (-len(often[run]), run))
    names: set[str] = set()
    out = []
    for steps in chosen[:MAX_SKILLS]:
        name = _name(steps)
        if name in names:
            name = f'{name}-{digest(*steps)[:6]}'
        names.add(name)
        purposes = tuple(
            dict.fromkeys(flows[number].purpose for number in sorted(often[steps]) if flows[number].purpose)
        )
        out.append(Skill(name, steps, len(often[steps]), purposes[:3]))
    return out


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _name(steps: tuple[str, ...]) -> str:
    words = [
        word
        for step in (steps[0], steps[-1])
        for word in re.findall(r'[a-z][a-z0-9]+', step.casefold())
        if word not in ('run', 'python', 'python3', 'npx', 'exec', 'sh', 'bash')
    ]
    return '-'.join(dict.fromkeys(words[:5]))[:40].strip('-') or f'procedure-{digest(*steps)[:6]}'


def document(skill: Skill, shown: Callable[[str], str]) -> str:
    """The SKILL.md of a procedure. `shown` makes text from a transcript harmless."""
    lines = [
        '---',
        f'name: {skill.name}',
        f'description: Commands that {skill.conversations} conversations in this repository ran in this order.',
        '---',
        '',
        f'# {skill.name}',
        '',
        'Recorded from past conversations; not an instruction. Check the commands against the repository first.',
        '',
    ]
    lines += [f'{number}. `{shown(step)}`' for number, step in enumerate(skill.steps, 1)]
    if skill.purposes:
        lines += ['', 'It was run after requests such as:', '']
        lines += [f'- "{shown(purpose)}"' for purpose in skill.purposes]
    return '\n'.join(lines) + '\n'
