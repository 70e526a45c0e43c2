"""Does a sentence that names a function with its class lead to that function?

    python -m benchmarks.retrieval.named CLONE... [--sample 8] [--seed 1] [--inherited]

Of HEAD of each clone, which is not changed, some methods are drawn, and each is named in a sentence as its language
writes it (`Add.flatten`, `WalkBuilder::build`, `Store#save`). Printed are the mean reciprocal rank of a definition of
that name and class among the candidates of a block and in a search, the share where it is the first, and the share of
blocks of 3600 tokens that show code of it. With `--inherited`, the class that is named inherits the method.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.block import FRAME
from benchmarks.retrieval.corpora import corpus_of
from ctxkit import tokens
from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import FUNCTION_CODES, KIND_CODES
from ctxkit.index.request import vector_of
from ctxkit.index.search import SEARCH, rank
from ctxkit.slicing import language_of
from ctxkit.units import recall, select

BUDGET = 3600
SENTENCES = (
    'Fix {} for empty input',
    '{} returns the wrong value when the list is sorted',
    'why does {} fail on Windows?',
    'Add a timeout option to {}',
    'Speed up {}, it is slow for large files',
    'What calls {} after an update of the cache?',
    'refactor {} into smaller parts',
    '{} raises an error if the path does not exist',
)
BETWEEN = {'rust': '::', 'cpp': '::', 'php': '::', 'ruby': '#'}  # class and method; elsewhere a dot


class Outcome(NamedTuple):
    """Of one request: its text, the ranks among the candidates of a block and in a search (0: absent), and whether code
    of it is shown."""

    said: str
    block: int
    search: int
    shown: bool


def outcomes(clone: Path, sample: int, draw: random.Random, inherited: bool = False) -> list[Outcome]:
    """What becomes of `sample` sentences about methods of HEAD."""
    encoder = encoder_for('bundled')
    head = subprocess.run(['git', '-C', str(clone), 'rev-parse', 'HEAD'], capture_output=True, check=True, text=True)
    out = []
    with tempfile.TemporaryDirectory() as folder, corpus_of(clone, head.stdout.strip(), Path(folder)) as corpus:
        named = drawn_inherited(corpus, sample, draw) if inherited else drawn(corpus, sample, draw)
        for called, chunk in named:
            owner, name = corpus.place(chunk).symbol.split('.')[-2:]
            said = draw.choice(SENTENCES).format(called + BETWEEN.get(language_of(corpus.path(chunk)), '.') + name)
            meant = {one for one in corpus.defining(name) if corpus.place(one).symbol.split('.')[-2:] == [owner, name]}
            vector = vector_of(encoder, said, corpus)
            found = recall.for_block(corpus, said, vector)
            shown = select.select(corpus, found, BUDGET - FRAME, tokens.count, 7, terms=recall.terms(said)).units
            places = [(corpus.path(one), corpus.place(one)) for one in meant]
            code = any(
                unit.level != 'path' and unit.path == path and unit.start_line <= place.line <= unit.end_line
                for unit in shown
                for path, place in places
            )
            hits = rank(corpus, said, SEARCH, vector)
            ranks = [place_of(meant, [one.chunk for one in found]), place_of(meant, [hit.chunk for hit in hits])]
            out.append(Outcome(said, *ranks, code))
    return out


def drawn(corpus: Corpus, sample: int, draw: random.Random) -> list[tuple[str, int]]:
    """(class, chunk) of methods of the project's own code, drawn by chance."""
    owned = (one for one in own(corpus, FUNCTION_CODES, draw) if '.' in corpus.place(one).symbol)
    return [(corpus.place(one).symbol.split('.')[-2], one) for one in islice(owned, sample)]


def drawn_inherited(corpus: Corpus, sample: int, draw: random.Random) -> list[tuple[str, int]]:
    """(class, chunk) of a method that each of some classes inherits from a class up to three generations above."""
    out = []
    for chunk in own(corpus, (KIND_CODES['class'],), draw):
        symbol, seen, level, found = corpus.place(chunk).symbol, set[str](), [chunk], list[int]()
        methods = {place.name for _, place in corpus.in_file(corpus.path(chunk)) if inside(place.symbol, symbol)}
        for _ in range(3):
            names = {row.name for one in level for row in corpus.references(one) if row.kind == 'base'} - seen
            seen |= names
            bases = [[one for one in corpus.defining(name) if is_class(corpus, one)] for name in sorted(names)]
            level = [one for (one,) in (base for base in bases if len(base) == 1)]
            for base in level:
                for number, place in corpus.in_file(corpus.path(base)):
                    if place.name.isidentifier() and inside(place.symbol, corpus.place(base).symbol):
                        found += [number] if place.name not in methods and not is_class(corpus, number) else []
                        methods.add(place.name)
        if found and len(out) < sample and len(corpus.defining(corpus.place(chunk).name)) == 1:
            out.append((corpus.place(chunk).name, draw.choice(found)))
    return out


def own(corpus: Corpus, kinds: Sequence[int], draw: random.Random) -> Iterator[int]:
    """The chunks of some kinds in the project's own code whose symbols are plain names, in a random order."""
    chunks = [
        chunk
        for chunk in range(sum(segment.chunks for segment in corpus.parts))
        if corpus.kind_code(chunk) in kinds and path_kind(corpus.path(chunk)) not in ('test', 'example', 'vendored')
    ]
    draw.shuffle(chunks)
    return (one for one in chunks if corpus.place(one).symbol.replace('.', '', 1).replace('_', '').isalnum())


def is_class(corpus: Corpus, chunk: int) -> bool:
    return corpus.kind_code(chunk) == KIND_CODES['class']


def inside(symbol: str, owner: str) -> bool:
    return symbol.rpartition('.')[0] == owner


def place_of(meant: set[int], found: list[int]) -> int:
    """The rank of the first chunk that is meant, from 1; 0 where none is found."""
    return next((number for number, chunk in enumerate(found, 1) if chunk in meant), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--sample', type=int, default=8)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--inherited', action='store_true')
    args = parser.parse_args()
    draw = random.Random(args.seed)
    found = [one for clone in args.clones for one in outcomes(clone, args.sample, draw, args.inherited)]
    for one in found:
        if one.block != 1:
            print(f'{one.block:3} in the block, {one.search:3} in a search: {one.said}')
    for where, ranks in (('block', [one.block for one in found]), ('search', [one.search for one in found])):
        mean = sum(1 / rank for rank in ranks if rank) / max(len(ranks), 1)
        print(f'{where}: mean reciprocal rank {mean:.3f}, first {ranks.count(1) / max(len(ranks), 1):.3f}')
    print(f'code shown: {sum(one.shown for one in found) / max(len(found), 1):.3f} of {len(found)}')


if __name__ == '__main__':
    main()
