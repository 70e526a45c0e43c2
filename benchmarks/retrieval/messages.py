"""Does a pasted error message lead to the code that says it?

    python -m benchmarks.retrieval.messages [CASES...] --clones DIR [--show]

Cases (default: cases/raised.jsonl, messages that a function raises, and cases/constants.jsonl, those that stand in a
table, an enum or a file of translations) name a repository, a commit, a line, and its message with values filled in;
DIR holds a clone of each, which is not changed. Printed are the mean reciprocal rank of the place in a search and among
the candidates of a block, the share of cases whose line a block of 3600 tokens shows, and, for a constant, the share
where it shows one of the lines that use it. A line of a case file: {"repo", "url", "commit", "path", "line", "said"},
for a constant also "name" and "users": [[path, line]...].
"""

from __future__ import annotations

import argparse
import html
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.retrieval.block import FRAME
from benchmarks.retrieval.corpora import corpus_of
from ctxkit import tokens
from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.request import vector_of
from ctxkit.index.search import SEARCH, rank
from ctxkit.units import recall, select

BUDGET = 3600
CASES = Path(__file__).parent / 'cases'
DEFAULT = [CASES / 'raised.jsonl', CASES / 'constants.jsonl']


def reciprocal(corpus: Corpus, chunks: list[int], path: str, line: int) -> float:
    """1 / the rank of the first chunk that holds the line in its own text."""
    at = 0
    for number, chunk in enumerate(chunks, 1):
        if corpus.path(chunk) == path:
            at = at or start_of(corpus.source(path), line)
            if any(start <= at < end for start, end in corpus.place(chunk).ranges):
                return 1 / number
    return 0.0


def start_of(source: bytes, line: int) -> int:
    """The byte at which the text of a line begins."""
    before = b''.join(part + b'\n' for part in source.split(b'\n')[: line - 1])
    text = source[len(before) :]
    return len(before) + len(text) - len(text.lstrip())


def shown(corpus: Corpus, units: tuple[select.Unit, ...], path: str, line: int) -> bool:
    """Whether a unit shows the line of code."""
    wanted = ''.join(corpus.source(path).split(b'\n')[line - 1].decode('utf-8', 'replace').split())
    return any(
        unit.path == path
        and unit.start_line <= line <= unit.end_line
        and wanted in ''.join(html.unescape(unit.text).split())
        for unit in units
    )


def measure(corpus: Corpus, case: dict) -> tuple[float, ...]:
    """(reciprocal rank in a search, in a block, whether the line is shown, whether a use of it is)."""
    said, path, line = case['said'], case['path'], case['line']
    vector = vector_of(encoder_for('bundled'), said, corpus)
    found = [hit.chunk for hit in rank(corpus, said, SEARCH, vector)]
    candidates = recall.for_block(corpus, said, vector)
    room = BUDGET - FRAME
    units = select.select(corpus, candidates, room, tokens.count, 7, terms=recall.terms(said)).units
    users = any(shown(corpus, units, *user) for user in case.get('users', ()))
    return (
        reciprocal(corpus, found, path, line),
        reciprocal(corpus, [one.chunk for one in candidates], path, line),
        float(shown(corpus, units, path, line)),
        float(users) if 'users' in case else float('nan'),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', type=Path, nargs='*', default=DEFAULT)
    parser.add_argument('--clones', type=Path, required=True)
    parser.add_argument('--show', action='store_true', help='print each case')
    args = parser.parse_args()
    missing = set()
    with tempfile.TemporaryDirectory() as folder:
        for file in args.files:
            results = defaultdict(list)
            by_repo = defaultdict(list)
            for case in map(json.loads, file.read_text('utf-8').splitlines()):
                by_repo[case['repo'], case['commit'], case['url']].append(case)
            for (name, commit, url), cases in by_repo.items():
                clone = args.clones / name
                if subprocess.run(['git', '-C', str(clone), 'cat-file', '-e', commit], capture_output=True).returncode:
                    missing.add(f'{url} at {commit}')
                    continue
                with corpus_of(clone, commit, Path(folder, name)) as corpus:
                    for case in cases:
                        row = measure(corpus, case)
                        results[name].append(row)
                        if args.show:
                            print(
                                ' '.join(f'{value:5.2f}' for value in row), name, case['said'][:90].replace('\n', ' ')
                            )
            everything = [row for rows in results.values() for row in rows]
            print(f'{file.name:24} cases  search  block  shown  a use shown')
            for name, rows in [*results.items(), ('all', everything)]:
                known = [[value for value in column if value == value] for column in zip(*rows, strict=True)]
                means = [f'{sum(column) / len(column):6.3f}' if column else '     -' for column in known]
                print(f'{name:24} {len(rows):5}  {"  ".join(means)}', flush=True)
    for clone in sorted(missing):
        print(f'left out: no clone of {clone}', file=sys.stderr)


if __name__ == '__main__':
    main()
