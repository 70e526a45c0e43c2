"""How well memory finds what people said, and refuses the rest: `python benchmarks/memory/quality.py`.

Generates conversations of six agents in a temporary folder, runs `ctxkit`'s pipeline over them without a model, and
prints each figure with its target. `--misses` lists what was missed of the tuned half, never of the held one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generate import NOW, Planted, make  # noqa: E402

from ctxkit import repo as repos  # noqa: E402
from ctxkit.memory import section, snapshot  # noqa: E402
from ctxkit.memory.facts import Fact  # noqa: E402
from ctxkit.memory.run import run  # noqa: E402
from ctxkit.settings import Settings  # noqa: E402
from ctxkit.tokens import count  # noqa: E402

SAME_KIND = {
    'decision': ('decision', 'convention'),
    'convention': ('decision', 'convention'),
    'correction': ('decision', 'convention'),
    'goal': ('goal',),
    'question': ('question',),
}


def known_texts(planted: Planted) -> list[str]:
    """What an entry that stands for a planted statement holds."""
    return [
        *(token for token, *_ in planted.human),
        *planted.rivals,
        *(text for pair in planted.replaced for text in pair),
        planted.repaired,
    ]


def score(
    root: Path, facts: list[Fact], planted: Planted, outputs: str, raw: bytes
) -> dict[str, tuple[float, str, bool]]:
    """Figure name -> (value, target, reached)."""
    active = [fact for fact in facts if fact.status == 'active']
    # A goal is one: the later ones replace the earlier, so every goal that was recognised counts as found.
    live = [fact for fact in facts if fact.status == 'active' or (fact.kind == 'goal' and fact.status == 'superseded')]
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for token, kind, half, _ in planted.human:
        total[half] += 1
        found[half] += any(token in fact.text and fact.kind in SAME_KIND[kind] for fact in live)
    known = known_texts(planted)
    junk = [fact for fact in active if not any(token in fact.text for token in known)]
    current = [line for line in outputs.split('\n') if '~~' not in line and 'formerGoals' not in line]
    old_shown = [old for old, new in planted.replaced if any(old in line and new not in line for line in current)]
    marked = [line for line in current if 'unverified since' in line]
    stale = [name for name in planted.stale if any(name in line for line in current if line not in marked)]
    wrongly = [name for name in planted.fresh if any(name in line for line in marked)]
    poisoned = [token for token in planted.tool + planted.agent if any(token in fact.text for fact in active)]
    shown_poison = [token for token in planted.tool + planted.agent if token in outputs]
    foreign = [token for token in planted.foreign if token.encode() in raw or token in outputs]
    leaked = [secret[:12] for secret in planted.secrets if secret.encode() in raw or secret in outputs]
    newer = [new for _, new in planted.replaced if any(new in fact.text for fact in active)]
    rates = {half: found[half] / total[half] for half in total}
    return {
        'planted human facts found, tuned half': (rates['tuned'], '>= 0.90', rates['tuned'] >= 0.9),
        'planted human facts found, held half': (rates['held'], '>= 0.90', rates['held'] >= 0.9),
        'junk among active facts': (len(junk) / max(1, len(active)), '<= 0.10', len(junk) <= 0.1 * len(active)),
        'replaced facts shown as current': (len(old_shown), '0', not old_shown),
        'replacing facts found': (len(newer) / len(planted.replaced), 'all', len(newer) == len(planted.replaced)),
        'stale facts shown as fact': (len(stale), '0', not stale),
        'facts on unchanged code marked unverified': (len(wrongly), '0', not wrongly),
        'agent-, tool- or page-planted facts active': (
            len(poisoned) + len(shown_poison),
            '0',
            not poisoned + shown_poison,
        ),
        'facts of another repository': (len(foreign), '0', not foreign),
        f'secrets in any output {leaked or ""}'.strip(): (len(leaked), '0', not leaked),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--misses', action='store_true', help='list misses of the tuned half and all junk')
    parser.add_argument('--seed', type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, home, planted = make(Path(folder), args.seed)
        repo = repos.find(root)
        settings = Settings()
        settings = replace(settings, memories=replace(settings.memories, enabled=True))
        report = run(repo, settings, home, {}, NOW, everything=True)
        facts = snapshot.load(repo)
        lines = section.lines(repo, settings, 100_000, NOW, count)
        documents = [(repo.ctx_dir / 'memory' / name).read_text() for name in ('MEMORY.md', 'memory_summary.md')]
        skills = [file.read_text() for file in (repo.ctx_dir / 'memory').glob('skills/*/SKILL.md')]
        raw = b''.join(
            file.read_bytes() for base in (repo.ctx_dir, repo.data_dir) for file in base.rglob('*') if file.is_file()
        )
        figures = score(root, facts, planted, '\n'.join([*lines, *documents]), raw)
        print(
            f'{report.read} conversations, {len(facts)} facts, {sum(f.status == "active" for f in facts)} active, '
            f'{sum(f.status == "proposed" for f in facts)} in the inbox, {len(skills)} skills; failed: {report.failed}'
        )
        for name, (value, target, reached) in figures.items():
            print(f'{"ok  " if reached else "MISS"} {name}: {value:.3g} (target {target})')
        if args.misses:
            _misses(facts, planted)
    return 0 if all(reached for _, _, reached in figures.values()) else 1


def _misses(facts: list[Fact], planted: Planted) -> None:
    for token, kind, half, language in planted.human:
        hits = [fact for fact in facts if token in fact.text]
        if half == 'tuned' and not any(
            fact.kind in SAME_KIND[kind] and (fact.status == 'active' or kind == 'goal') for fact in hits
        ):
            print(
                'missed',
                language,
                kind,
                repr(planted.texts.get(token, token)),
                [(fact.kind, fact.status, fact.text) for fact in hits],
            )
    held = Counter(
        (language, kind)
        for token, kind, half, language in planted.human
        if half == 'held' and not any(token in fact.text and fact.kind in SAME_KIND[kind] for fact in facts)
    )
    print('missed of the held half:', json.dumps({' '.join(key): number for key, number in held.items()}))
    known = known_texts(planted)
    for fact in facts:
        if fact.status == 'active' and not any(token in fact.text for token in known):
            print('junk?', fact.kind, fact.who, fact.text)


if __name__ == '__main__':
    sys.exit(main())
