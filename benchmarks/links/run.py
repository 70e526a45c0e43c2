"""Call links checked against who knows the language: a compiler, or what infers types and follows imports as one.

    python -m benchmarks.links.run CLONE... [--language python] [--sample 300] [--seed 1] [--show N]

Two samples of calls, both with a fixed seed, shared out evenly among the clones:

* of links that ctxkit marks `resolved`, how many lead to the definition that is really meant (target 95 %);
* of calls whose definition is in the repository, how many ctxkit resolves, guesses and misses.

A call about which nothing is known is left out of both and counted. Each language is a module of this folder, which
says what must be installed for it: one function `definitions(root, calls)` that answers the calls one by one, and
`LANGUAGES`, the languages of the files that it can be asked about. The clones are copied first; nothing in them is
changed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from benchmarks.links.calls import Answer, Call, Place, call_of
from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_current
from ctxkit.index.store import Store
from ctxkit.repo import find
from ctxkit.repo import resolve as commit_of
from ctxkit.settings import Settings
from ctxkit.slicing import Reference, language_of
from ctxkit.units.resolve import resolve

TARGET = 0.95
KNOWN = sorted(one.stem for one in Path(__file__).parent.glob('*.py') if one.stem not in ('run', 'calls', 'server'))


class Use(NamedTuple):
    """A call in the index, the chunk that it is in, and its place in the file."""

    call: Call
    reference: Reference
    chunk: int


def main() -> int:
    """Draw, ask, print; exit 1 below the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--language', choices=KNOWN, default='python')
    parser.add_argument('--sample', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=600, help='no clone gets more than its share of this')
    parser.add_argument('--show', type=int, default=0, help='print so many links of each sample that are wrong')
    args = parser.parse_args()
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    share = -(-args.sample // len(args.clones))
    for clone in args.clones:
        with tempfile.TemporaryDirectory() as folder:
            source = clone.resolve()
            root = Path(folder, (source.parent if source.name == 'repo' else source).name)
            subprocess.run(['git', 'clone', '-q', str(source), str(root)], check=True, capture_output=True)
            one, other = check(root, args.language, share, args.seed, args.seconds / len(args.clones), args.show)
        print(f'{root.name}: resolved {dict(one)}, all {dict(other)}', flush=True)
        right += one
        found += other
    judged = right['right'] + right['wrong']
    precision = right['right'] / max(judged, 1)
    verdict = 'ok' if precision >= TARGET else 'MISSED'
    print(
        f'resolved links that are right   {precision:6.1%} (>= {TARGET:.0%})  {verdict}  {right["right"]} of {judged}\n'
        f'nothing is known of {right["unknown"]} more'
    )
    known = max(found.total(), 1)
    print(
        f'of {known} calls whose definition is in the repository: resolved {found["resolved"] / known:.1%}, '
        f'guessed {found["guessed"] / known:.1%}, missed {found["missed"] / known:.1%}, '
        f'linked to something else {found["wrong"] / known:.1%}'
    )
    return 0 if precision >= TARGET else 1


def check(
    root: Path, language: str, share: int, seed: int, seconds: float, show: int
) -> tuple[Counter[str], Counter[str]]:
    """(verdicts on resolved links, how calls into the repository fared) of one repository."""
    settings = Settings()
    repo = find(root)
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    oracle = import_module(f'benchmarks.links.{language}')
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, commit_of(repo), (), time.time())
        encoder_for(settings.model.name)
        everything = list(uses(root, corpus, oracle.LANGUAGES))
        random.Random(seed).shuffle(everything)
        end = time.monotonic() + seconds
        answers: Iterator[Answer | None] = oracle.definitions(root, [one.call for one in everything])
        for use, answer in zip(everything, answers, strict=False):
            if (right['right'] + right['wrong'] >= share and found.total() >= share) or time.monotonic() > end:
                break
            linked, resolved = resolve(corpus, use.chunk, use.reference)
            targets = frozenset(Place(corpus.path(one), corpus.place(one).line) for one in linked)
            if resolved and right['right'] + right['wrong'] < share:
                verdict = verdict_of(targets, answer)
                right[verdict] += 1
                if verdict == 'wrong' and right['wrong'] <= show:
                    tell('resolved', use, targets, answer)
            if answer and answer.inside and found.total() < share:
                hit = bool(targets & answer.inside)
                fared = ('resolved' if resolved else 'guessed') if hit else 'wrong' if targets else 'missed'
                found[fared] += 1
                if fared in ('wrong', 'missed') and found[fared] <= show:
                    tell(fared, use, targets, answer)
    return right, found


def verdict_of(targets: frozenset[Place], answer: Answer | None) -> str:
    """'right', 'wrong' or 'unknown'."""
    if answer is None or not (answer.inside or answer.elsewhere):
        return 'unknown'
    return 'right' if targets & (answer.inside | answer.elsewhere) else 'wrong'


def tell(what: str, use: Use, targets: Collection[Place], answer: Answer | None) -> None:
    """Print a link that is not as it should be."""
    meant = sorted(answer.inside | answer.elsewhere) if answer else []
    said, really = (', '.join(f'{path}:{line}' for path, line in places) for places in (sorted(targets), meant))
    written = f'{use.reference.qualifier}.{use.reference.name}'.lstrip('.')
    print(f'  {what}: {use.call.path}:{use.call.line} {written}: {said or "-"}; really {really or "-"}')


def uses(root: Path, corpus: Corpus, languages: Collection[str]) -> Iterator[Use]:
    """Every call in the repository's files of some languages, where its name is found."""
    for path in sorted(corpus.paths()):
        where = corpus.file(path)
        if where is None or language_of(path) not in languages:
            continue
        rows = (root / path).read_text('utf-8', 'replace').split('\n')
        for chunk in corpus.numbers(*where):
            for reference in corpus.references(chunk):
                call = call_of(path, rows, reference) if reference.kind == 'call' and reference.name else None
                if call is not None:
                    yield Use(call, reference, chunk)


if __name__ == '__main__':
    sys.exit(main())
