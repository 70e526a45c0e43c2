"""Does a block hold the functions that the next commit had to change?

    python -m benchmarks.retrieval.block cases CLONE [--count 12] > cases.jsonl
    python -m benchmarks.retrieval.block run cases.jsonl... --clones DIR [--budget 3600] [--words] [--messages]
    python -m benchmarks.retrieval.block questions SET --clones DIR [--budget 3600] [--words]

A case is a real commit. The tool sees the parent's tree and the first line of the message. Wanted are the functions
(and files) that the commit changed, as they stood in the parent; a function is held if the block has its path and 60 %
of its lines. A line of a case file: {"repo", "parent", "commit", "gold": [[path, name, first line, last line]...]}, and
"request" where something else is asked than the message.
With --messages those whose message has a title and a body are asked with all of it, as an issue is pasted.
`questions` asks those of a SET (a folder as `retrieval/search.py` reads it) and wants what answers them. With --words
the block is filled by words alone, as they stand.
"""

from __future__ import annotations

import argparse
import html
import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.corpora import corpus_of
from ctxkit import tokens
from ctxkit.embedding import encoder_for
from ctxkit.index.issue import title_of
from ctxkit.index.path_classes import path_kind
from ctxkit.index.request import vector_of
from ctxkit.slicing import slice_file
from ctxkit.units import recall, select

FRAME = 190  # tokens of a block that are not units: preamble and environment
TARGETS = {1500: (0.58, 0.0), 3600: (0.73, 0.88)}
TRAILER = r'(?im)^\s*(?:[a-z]+(?:-[a-z]+)*-by|refs?|fixes|closes|pr-url|reviewed|change-id|git-svn\S*):.*$'
DULL = re.compile(r'\b(bump|release|changelog|typo|lint|format|version|merge|revert|translation)\b', re.I)


def git(clone: Path, *args: str) -> str:
    done = subprocess.run(['git', '-C', str(clone), *args], capture_output=True, check=True)
    return done.stdout.decode('utf-8', 'replace')


def said_by(clone: Path, commit: str, form: str = '%s') -> str:
    """The first line of the message, or all of it (`%B`), without trailers, numbers of issues and addresses."""
    text = re.sub(TRAILER, '', git(clone, 'log', '-1', f'--format={form}', commit))
    return re.sub(r'https?://\S+', '', re.sub(r'\(?(gh-|GH-)?#\d+\)?', '', text)).strip()


def cases(clone: Path, count: int) -> None:
    made = 0
    for line in git(clone, 'log', '--no-merges', '--format=%H %P', '-n', '3000').splitlines():
        commit, _, parent = line.partition(' ')
        subject = said_by(clone, commit)
        if not parent or ' ' in parent or len(subject.split()) < 5 or DULL.search(subject):
            continue
        changed = git(clone, 'diff-tree', '-r', '--no-commit-id', '--name-only', '--diff-filter=M', commit).splitlines()
        code = [path for path in changed if not path_kind(path)]
        gold = [item for path in code[:5] for item in changed_functions(clone, commit, parent, path)]
        if 1 <= len(code) <= 4 and 1 <= len(gold) <= 8:
            print(json.dumps({'repo': clone.name, 'parent': parent, 'commit': commit, 'gold': gold}))
            made += 1
            if made == count:
                return


def changed_functions(clone: Path, commit: str, parent: str, path: str) -> list[list]:
    old = git(clone, 'show', f'{parent}:{path}').encode()
    functions = [chunk for chunk in slice_file(path, old).chunks if chunk.kind in ('function', 'method')]
    out = []
    for first, size in re.findall(
        r'^@@ -(\d+)(?:,(\d+))? ', git(clone, 'diff', '-U0', parent, commit, '--', path), re.M
    ):
        last = int(first) + max(int(size or 1), 1) - 1
        inside = [one for one in functions if one.start_line <= last and one.end_line >= int(first)]
        if inside:
            smallest = min(inside, key=lambda one: one.end_line - one.start_line)
            item = [path, smallest.name, smallest.start_line, smallest.end_line]
            if item not in out:
                out.append(item)
    return out


def bare(text: str) -> str:
    return re.sub(r'\s+', '', text)


def held(clone: Path, case: Case, text: str) -> tuple[float, float]:
    """(share of the files named, share of the functions held) by a block."""
    shown = bare(html.unescape(text))
    files = [path in text for path in {item[0] for item in case.gold}]
    functions = []
    for path, _, first, last in case.gold:
        lines = [bare(line) for line in git(clone, 'show', f'{case.commit}:{path}').split('\n')[first - 1 : last]]
        long = [line for line in lines if len(line) > 3] or lines
        functions.append(path in text and sum(line in shown for line in long) / max(1, len(long)) >= 0.6)
    return sum(files) / len(files), sum(functions) / len(functions)


class Case(NamedTuple):
    """What is asked of the tree of a commit, and the places [path, name, first line, last line] that it is about."""

    repo: str
    commit: str
    query: str
    gold: list[list]


def changes(files: list[Path], clones: Path, messages: bool) -> Iterator[Case]:
    for case in (json.loads(line) for file in files for line in file.read_text('utf-8').splitlines()):
        text = case.get('request') or said_by(clones / case['repo'], case['commit'], '%B' if messages else '%s')
        if not messages or title_of(text):
            yield Case(case['repo'], case['parent'], text, case['gold'])


def questions(folder: Path) -> Iterator[Case]:
    for repo in json.loads((folder / 'repos.json').read_text('utf-8')):
        for asked in json.loads((folder / f'{repo["name"]}.json').read_text('utf-8')):
            gold = [[place['path'], '', place['start_line'], place['end_line']] for place in asked['relevant']]
            yield Case(repo['name'], repo['revision'], asked['query'], gold)


def run(asked: Iterable[Case], clones: Path, budget: int, words: bool) -> None:
    found = defaultdict(list)
    encoder = encoder_for('bundled')
    with tempfile.TemporaryDirectory() as folder:
        for (name, commit), cases in itertools.groupby(asked, key=lambda case: (case.repo, case.commit)):
            with corpus_of(clones / name, commit, Path(folder, name)) as corpus:
                for case in cases:
                    vector = None if words else vector_of(encoder, case.query, corpus)
                    candidates = recall.for_block(corpus, case.query, vector)
                    terms = recall.terms(case.query)
                    chosen = select.select(corpus, candidates, budget - FRAME, tokens.count, 7, terms=terms)
                    text = '\n'.join(unit.to_xml() for unit in chosen.units)
                    found[name].append(held(clones / name, case, text))
    everything = [pair for pairs in found.values() for pair in pairs]
    for name, pairs in [*found.items(), ('all', everything)]:
        named, shown = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
        print(f'{name:20} {len(pairs):4} cases  files {named:.3f}  functions {shown:.3f}')
    functions, paths = TARGETS.get(budget, (0.0, 0.0))
    print(f'at {budget} tokens (targets, for what a commit changed: functions >= {functions}, files >= {paths})')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    making = commands.add_parser('cases')
    making.add_argument('clone', type=Path)
    making.add_argument('--count', type=int, default=12)
    for name, several in (('run', True), ('questions', False)):
        running = commands.add_parser(name)
        running.add_argument('of', type=Path, nargs='+' if several else None)
        running.add_argument('--clones', type=Path, required=True)
        running.add_argument('--budget', type=int, default=3600)
        running.add_argument('--words', action='store_true', help='without the model')
        if several:
            running.add_argument('--messages', action='store_true', help='ask with whole messages that have a body')
    args = parser.parse_args()
    if args.command == 'cases':
        cases(args.clone.resolve(), args.count)
    else:
        asked = questions(args.of) if args.command == 'questions' else changes(args.of, args.clones, args.messages)
        run(asked, args.clones, args.budget, args.words)


if __name__ == '__main__':
    sys.exit(main())
