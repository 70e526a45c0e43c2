"""Does a request that names an earlier commit find what has to be changed because of it?

    python -m benchmarks.retrieval.follow_ups CLONE... [--each 5] [--seed 5]

Cases are commits whose message names exactly one earlier commit (`Fixes a bug of 3f2a1bc`). The tool sees the parent's
tree and the first line of the message, alone or followed by `since 3f2a1bc`. Printed is the share of the functions that
the commit changed that blocks hold, as `benchmarks.retrieval.block` counts it.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.retrieval.block import DULL, FRAME, Case, changed_functions, git, held, said_by
from benchmarks.retrieval.corpora import corpus_of
from ctxkit import config, tokens
from ctxkit.embedding import encoder_for
from ctxkit.index.path_classes import path_kind
from ctxkit.index.request import vector_of
from ctxkit.units import recall, select
from ctxkit.units.asked_changes import lifted, touched
from ctxkit.units.change_words import changes_meant, without_commits

BUDGETS = (3600, 1500)
SEARCHED = 3_000  # commits of a clone
AFTER = 4e9  # a time after all commits
ID = r'\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b'
NO_FOLLOW_UP = re.compile(r'cherry|This reverts')


def follow_ups(clone: Path, each: int, draw: random.Random) -> Iterator[tuple[Case, str]]:
    """At most `each` commits of a clone as cases, each with the earlier commit that it names."""
    listed = git(clone, 'log', '-n', str(SEARCHED), '--no-merges', '--format=%H %P%x00%B%x01').split('\x01')
    draw.shuffle(listed)
    found = 0
    for entry in listed:
        ids, _, message = entry.strip().partition('\0')
        commit, _, parent = ids.partition(' ')
        named = [one for one in re.findall(ID, message) if not commit.startswith(one)]
        subject = said_by(clone, commit) if len(named) == 1 and parent and ' ' not in parent else ''
        if len(subject.split()) < 4 or DULL.search(subject) or NO_FOLLOW_UP.search(message):
            continue
        is_ancestor = ['git', '-C', str(clone), 'merge-base', '--is-ancestor', named[0], parent]
        if subprocess.run(is_ancestor, capture_output=True, check=False).returncode:
            continue
        changed = git(clone, 'diff-tree', '-r', '--no-commit-id', '--name-only', '--diff-filter=M', commit).splitlines()
        code = [path for path in changed if not path_kind(path)]
        gold = [item for path in code[:5] for item in changed_functions(clone, commit, parent, path)]
        if 1 <= len(code) <= 4 and 1 <= len(gold) <= 8:
            yield Case(clone.name, parent, subject, gold), named[0]
            found += 1
            if found == each:
                return


def shares(clone: Path, case: Case, request: str, index: Path) -> list[float]:
    """The share of the case's functions that a block for `request` holds, for each of BUDGETS."""
    with corpus_of(clone, case.commit, index) as corpus:
        why = touched(corpus, config.load(None, {}), changes_meant(request), (), AFTER)
        said = without_commits(request) if why else request
        vector = vector_of(encoder_for('bundled'), said, corpus)
        found = lifted(recall.for_block(corpus, said, vector), why)
        out = []
        for budget in BUDGETS:
            chosen = select.select(corpus, found, budget - FRAME, tokens.count, 7, terms=recall.terms(said))
            out.append(held(clone, case, '\n'.join(unit.to_xml() for unit in chosen.units))[1])
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--each', type=int, default=5)
    parser.add_argument('--seed', type=int, default=5)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    without, named = [], []
    with tempfile.TemporaryDirectory() as folder:
        for clone in args.clones:
            for case, commit in follow_ups(clone, args.each, draw):
                index = Path(folder, clone.name)
                without.append(shares(clone, case, case.query, index))
                named.append(shares(clone, case, f'{case.query}, since {commit}', index))
    for what, found in (('title alone', without), ('and the commit', named)):
        means = [sum(column) / len(found) for column in zip(*found, strict=True)]
        print(f'{what}: ' + ', '.join(f'{mean:.3f} at {budget}' for mean, budget in zip(means, BUDGETS, strict=True)))
    print(f'{len(named)} commits of {len(args.clones)} repositories')


if __name__ == '__main__':
    main()
