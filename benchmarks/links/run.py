"""Call links of Python checked against jedi, which infers types and follows imports.

    python -m benchmarks.links.run CLONE... [--sample 300] [--seed 1] [--show N]

Two samples of calls, both with a fixed seed, shared out evenly among the clones:

* of links that ctxkit marks `resolved`, how many lead to the definition that jedi finds (target 95 %);
* of calls that jedi finds a definition for in the repository, how many ctxkit resolves, guesses and misses.

A call that jedi says nothing about is left out of both and counted. Needs jedi (pip install jedi). The clones are
copied first; nothing in them is changed.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_current
from ctxkit.index.store import Store
from ctxkit.repo import find
from ctxkit.repo import resolve as commit_of
from ctxkit.settings import Settings
from ctxkit.slicing import Reference
from ctxkit.units.resolve import resolve

TARGET = 0.95


class Call(NamedTuple):
    """A call in the index and what ctxkit takes it for: (path, line of the name) of each definition."""

    path: str
    reference: Reference
    targets: frozenset[tuple[str, int]]
    resolved: bool


class Answer(NamedTuple):
    """What jedi finds: definitions inside the repository, and whether it found any elsewhere."""

    inside: frozenset[tuple[str, int]]
    outside: bool


def main() -> int:
    """Draw, ask jedi, print; exit 1 below the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--sample', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=600, help='no clone gets more than its share of this')
    parser.add_argument('--show', type=int, default=0, help='print so many links that jedi does not agree with')
    args = parser.parse_args()
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    share = -(-args.sample // len(args.clones))
    for clone in args.clones:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, clone.resolve().name)
            subprocess.run(['git', 'clone', '-q', str(clone.resolve()), str(root)], check=True, capture_output=True)
            one, other = check(root, share, args.seed, args.seconds / len(args.clones), args.show)
        print(f'{root.name}: resolved {dict(one)}, all {dict(other)}', flush=True)
        right += one
        found += other
    judged = right['right'] + right['wrong']
    precision = right['right'] / max(judged, 1)
    verdict = 'ok' if precision >= TARGET else 'MISSED'
    share = f'{right["right"]} of {judged}'
    print(f'resolved links that are right   {precision:6.1%} (>= {TARGET:.0%})  {verdict}  {share}')
    print(f'jedi has no answer for {right["unknown"]} more')
    known = found['resolved'] + found['guessed'] + found['wrong'] + found['missed']
    print(
        f'of {known} calls whose definition jedi finds in the repository: resolved {found["resolved"] / known:.1%}, '
        f'guessed {found["guessed"] / known:.1%}, missed {found["missed"] / known:.1%}, '
        f'wrong {found["wrong"] / known:.1%}'
    )
    return 0 if precision >= TARGET else 1


def check(root: Path, share: int, seed: int, seconds: float, show: int) -> tuple[Counter[str], Counter[str]]:
    """(verdicts on resolved links, how calls that jedi knows fared) of one repository."""
    settings = Settings()
    repo = find(root)
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, commit_of(repo), (), time.time())
        encoder_for(settings.model.name)
        everything = list(calls(corpus))
        random.Random(seed).shuffle(everything)
        oracle = Oracle(root)
        end = time.monotonic() + seconds
        for path, reference, chunk in everything:
            if (right['right'] + right['wrong'] >= share and sum(found.values()) >= share) or time.monotonic() > end:
                break
            targets, resolved = resolve(corpus, chunk, reference)
            places = frozenset((corpus.path(one), corpus.place(one).line) for one in targets)
            call = Call(path, reference, places, resolved)
            wanted = resolved and right['right'] + right['wrong'] < share
            if not wanted and sum(found.values()) >= share:
                continue
            answer = oracle.ask(call)
            if wanted:
                verdict = verdict_of(call, answer)
                right[verdict] += 1
                if verdict == 'wrong' and show > right['wrong'] - 1:
                    print(
                        f'  {path}:{reference.line} {reference.qualifier}.{reference.name}: '
                        f'{sorted(call.targets)}, jedi {sorted(answer.inside) if answer else "-"}'
                    )
            if answer and answer.inside and sum(found.values()) < share:
                hit = bool(call.targets & answer.inside)
                found[('resolved' if resolved else 'guessed') if hit else 'wrong' if call.targets else 'missed'] += 1
    return right, found


def verdict_of(call: Call, answer: Answer | None) -> str:
    """'right', 'wrong' or 'unknown'."""
    if answer is None or not (answer.inside or answer.outside):
        return 'unknown'
    return 'right' if call.targets & answer.inside else 'wrong'


def calls(corpus: Corpus) -> Iterator[tuple[str, Reference, int]]:
    """Every call in the repository's Python files."""
    for path in sorted(corpus.paths()):
        where = corpus.file(path)
        if path.endswith('.py') and where is not None:
            for chunk in corpus.numbers(*where):
                for reference in corpus.references(chunk):
                    if reference.kind == 'call' and reference.name:
                        yield path, reference, chunk


class Oracle:
    """jedi on one repository."""

    def __init__(self, root: Path) -> None:
        import jedi

        self._root = root.resolve()
        self._jedi = jedi
        # Only the clone itself: a package of this environment that has its name must not answer for it.
        places = [str(self._root / name) for name in ('', 'src', 'lib') if (self._root / name).is_dir()]
        self._project = jedi.Project(str(self._root), sys_path=places)

    def ask(self, call: Call) -> Answer | None:
        """The definitions of a call; None where the name is not on its line or jedi fails."""
        file = self._root / call.path
        rows = file.read_text('utf-8', 'replace').split('\n')
        if not 0 < call.reference.line <= len(rows):
            return None
        last = call.reference.qualifier.rpartition('.')[2]
        row = rows[call.reference.line - 1]
        name = re.escape(call.reference.name)
        behind = rf'{re.escape(last)}\s*\.\s*({name})\b' if last.isidentifier() else rf'\b({name})\b\s*\('
        place = re.search(behind, row) or re.search(rf'\b({name})\b', row)
        if place is None:
            return None
        try:
            script = self._jedi.Script(path=str(file), project=self._project)
            names = script.goto(call.reference.line, place.start(1), follow_imports=True)
        except Exception:  # jedi raises whatever its inference meets
            return None
        inside, outside = set(), False
        for one in names:
            if one.type not in ('function', 'class') or one.module_path is None or one.line is None:
                outside = outside or (one.type in ('function', 'class') and one.module_path is None)
                continue
            try:
                inside.add((Path(one.module_path).resolve().relative_to(self._root).as_posix(), one.line))
            except ValueError:
                outside = True
        return Answer(frozenset(inside), outside)


if __name__ == '__main__':
    sys.exit(main())
