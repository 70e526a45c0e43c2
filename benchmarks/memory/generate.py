"""A repository and a home folder full of conversations, with everything planted that memory should find or refuse."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from phrasings import AGENT_CHATTER, AGENT_SAYS, PAGE_SAYS, PASTED, PHRASINGS, REPLACED, TOOL_SAYS  # noqa: E402
from writers import WRITERS, Turn  # noqa: E402

NOW = 1_780_000_000.0
DAY = 86_400.0


@dataclass
class Planted:
    """What was planted: tokens by what they stand for."""

    human: list[tuple[str, str, str, str]] = field(default_factory=list)  # (token, kind, half, language)
    agent: list[str] = field(default_factory=list)
    tool: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    replaced: list[tuple[str, str]] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    rivals: list[str] = field(default_factory=list)  # named in a planted sentence as what is not to be used
    texts: dict[str, str] = field(default_factory=dict)
    repaired: str = 'make check'


class Names:
    """Invented names that no language has, each once."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.used = rng, set[str]()

    def new(self) -> str:
        while True:
            name = ''.join(
                self.rng.choice('bdfgklmnprstvz') + self.rng.choice('aeiou') for _ in range(3)
            ) + self.rng.choice('xqkz')
            if name not in self.used:
                self.used.add(name)
                return name


def secret_shapes(rng: random.Random) -> list[str]:
    """One secret of each of the commonest shapes, put together here so that no file holds one."""

    def chars(number: int, alphabet: str = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') -> str:
        return ''.join(rng.choice(alphabet) for _ in range(number))

    return [
        'ghp_' + chars(36),
        'github_pat_' + chars(22) + '_' + chars(59),
        'glpat-' + chars(20),
        'sk-ant-' + 'api03-' + chars(90),
        'sk-proj-' + chars(60),
        'AKIA' + chars(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
        'xoxb-' + '123456789012-' + chars(24),
        'AIza' + chars(35),
        'npm_' + chars(36),
        'hf_' + chars(34),
        'sk_live_' + chars(24),
        'pypi-' + 'AgEIcHlwaS5vcmc' + chars(60),
        'eyJhbGciOiJIUzI1NiJ9.eyJ' + chars(40) + '.' + chars(43),
        'hvs.' + chars(24),
        'gsk_' + chars(52),
        'dop_v1_' + chars(64, '0123456789abcdef'),
    ]


def git(folder: Path, *args: str, when: float) -> None:
    stamp = f'{int(when)} +0000'
    env = {
        **os.environ,
        'GIT_AUTHOR_DATE': stamp,
        'GIT_COMMITTER_DATE': stamp,
        'GIT_AUTHOR_NAME': 'P',
        'GIT_AUTHOR_EMAIL': 'p@example.invalid',
        'GIT_COMMITTER_NAME': 'P',
        'GIT_COMMITTER_EMAIL': 'p@example.invalid',
        'GIT_CONFIG_GLOBAL': os.devnull,
    }
    subprocess.run(['git', *args], cwd=folder, env=env, check=True, capture_output=True)


def make_repository(root: Path, names: Names, planted: Planted, turns: dict[int, list[str]]) -> None:
    """Twelve functions that people speak of; later four change, four vanish and four stay as they are."""
    root.mkdir(parents=True)
    functions = [f'{names.new()}_{word}' for word in ('load', 'save', 'send', 'parse') * 3]
    body = {
        name: f'def {name}(value):\n    """Handle {name}."""\n    return value + {n}\n\n\n'
        for n, name in enumerate(functions)
    }
    for n in range(3):
        (root / f'part{n}.py').write_text(''.join(body[name] for name in functions[n * 4 : n * 4 + 4]))
    (root / 'Makefile').write_text('check:\n\ttrue\nlint:\n\ttrue\n')
    (root / '.gitignore').write_text('.aider*\n.ctx/\n')
    git(root, 'init', '-q', '-b', 'main', when=NOW)
    git(root, 'add', '-A', when=NOW - 25 * DAY)
    git(root, 'commit', '-qm', 'first', when=NOW - 25 * DAY)
    for n, name in enumerate(functions):
        turns.setdefault(n, []).append(f'Never call `{name}` from more than one place at a time.')
        (planted.fresh if n >= 8 else planted.stale).append(name)
        planted.human.append((name, 'convention', 'tuned', 'en'))
    (root / 'part0.py').write_text(
        ''.join(body[name].replace('return value', 'return 2 * value') for name in functions[:4])
    )
    (root / 'part1.py').write_text('# nothing is left here\n')
    git(root, 'add', '-A', when=NOW - 2 * DAY)
    git(root, 'commit', '-qm', 'Change some functions and drop others', when=NOW - 2 * DAY)


def make(base: Path, seed: int = 7) -> tuple[Path, Path, Planted]:
    """Build it all below `base`; returns (repository, home, what was planted)."""
    rng = random.Random(seed)
    names, planted = Names(rng), Planted()
    home, root, other = base / 'home', base / 'work' / 'app', base / 'work' / 'other-app'
    extra: dict[int, list[str]] = {}
    make_repository(root, names, planted, extra)
    other.mkdir(parents=True)
    git(other, 'init', '-q', when=NOW)
    planted.secrets = secret_shapes(rng)
    said: list[tuple[str, str]] = []  # (text, language)
    planted.texts = {}
    for language, kinds in PHRASINGS.items():
        for kind, halves in kinds.items():
            if kind == 'chatter':
                continue
            for half, templates in halves.items():
                for template in templates:
                    token, rival = names.new(), names.new()
                    planted.human.append((token, kind, half, language))
                    said.append((template.format(a=token, b=rival), language))
                    planted.texts[token] = said[-1][0]
                    planted.rivals.append(rival)
    rng.shuffle(said)
    agents = list(WRITERS)
    count = 60
    for number in range(count):
        mine = said[number::count]
        _conversation(rng, names, planted, home, root, agents[number % 6], number, mine, extra.get(number, []))
    for number, (first, later, old, new) in enumerate(REPLACED):
        for step, text in enumerate((first, later)):
            turns = [
                Turn('human', 'Show me the diff.'),
                Turn('agent', 'Here it is.'),
                Turn('human', text),
                Turn('agent', 'Understood.'),
            ]
            _finish(
                home,
                root,
                agents[(number + step) % 5],
                f'replaced-{number}-{step}',
                NOW - (15 - 5 * step) * DAY + number * 100,
                turns,
            )
        planted.replaced.append((old, new))
    for number, agent in enumerate(agents[:5]):
        token = names.new()
        planted.foreign.append(token)
        turns = [Turn('human', f'We decided to use {token} for everything.'), Turn('agent', 'Understood.')]
        _finish(home, other, agent, f'foreign-{number}', NOW - 4 * DAY, turns)
    for number in range(4):
        turns = [
            Turn('human', 'Check the change before I push it.'),
            Turn('tool', 'make lint', 'ok'),
            Turn('tool', 'make check', 'ok'),
            Turn('agent', 'All good.'),
        ]
        _finish(home, root, agents[number], f'flow-{number}', NOW - (6 + number) * DAY, turns)
    return root, home, planted


def _conversation(
    rng: random.Random,
    names: Names,
    planted: Planted,
    home: Path,
    root: Path,
    agent: str,
    number: int,
    said: list[tuple[str, str]],
    extra: list[str],
) -> None:
    turns: list[Turn] = []
    language = said[0][1] if said else 'en'

    def chat() -> None:
        half = rng.choice(('tuned', 'held'))
        turns.append(Turn('human', rng.choice(PHRASINGS[language]['chatter'][half])))
        turns.append(Turn('agent', rng.choice(AGENT_CHATTER)))

    chat()
    for text, language in said:  # noqa: B007 - chat() speaks the language of what was said last
        chat()
        turns.append(Turn('human', text))
        turns.append(Turn('agent', rng.choice(AGENT_CHATTER)))
    for text in extra:
        turns += [Turn('human', text), Turn('agent', 'Understood.')]
    token = names.new()
    planted.agent.append(token)
    turns.append(Turn('agent', rng.choice(AGENT_SAYS).format(a=token)))
    token = names.new()
    planted.tool.append(token)
    template = rng.choice([*TOOL_SAYS, *PAGE_SAYS])
    turns.append(
        Turn('human', rng.choice(['Read the page and tell me what is new.', 'Run the script.', 'Look it up.']))
    )
    turns.append(
        Turn(
            'tool',
            rng.choice(['curl -s https://example.invalid/page', 'python tool.py', 'cat notes.md']),
            template.format(a=token),
        )
    )
    secret = planted.secrets[number % len(planted.secrets)]
    turns.append(Turn('tool', 'env', f'HOME=/root\nTOKEN={secret}\n'))
    if number % 3 == 0:
        keep = names.new()
        planted.human.append((keep, 'decision', 'tuned', 'en'))
        turns.append(Turn('human', f'We decided to use {keep} for {names.new()}, the key is {secret}'))
    if number % 4 == 2:
        turns += [Turn('human', pasted(rng, names)), Turn('agent', rng.choice(AGENT_CHATTER))]
    if number % 20 == 1:
        turns += [Turn('tool', 'make check', 'ValueError: broken', 2), Turn('agent', 'I will fix the parser.')]
    chat()
    _finish(home, root, agent, f'main-{number}', NOW - 20 * DAY + number * 3600 * 4, turns)


def pasted(rng: random.Random, names: Names) -> str:
    """A specification or an agent's plan that a person pastes: full of rules, and none of them their word."""
    lines = [rng.choice(['Please implement this.', 'Here is the plan.', 'Do what it says:', ''])]
    for number in range(rng.randrange(14, 40)):
        rule = rng.choice(PASTED).format(a=names.new(), n=number)
        lines.append(rng.choice(['- {}', '{}', f'{number}. {{}}', '- [ ] {}', '    {}']).format(rule))
        if rng.random() < 0.15:
            lines += ['', f'## Part {number}', '']
    return '\n'.join(lines)


def _finish(home: Path, cwd: Path, agent: str, name: str, start: float, turns: list[Turn]) -> None:
    file = WRITERS[agent](home, str(cwd), name, start, turns)
    if agent != 'opencode':
        ends = start + len(turns) * 20
        os.utime(file, (ends, ends))
