"""Does a sentence that names a flag, a route, a key, a constant and the like lead to the code that has it in quotes, or
declares it?

    python -m benchmarks.retrieval.literals CLONE... [--sample 4] [--seed 1] [--without] [--misses]

Of HEAD of each clone, which is not changed, some literals of the project's own code are drawn, each of which stands in
at most MOST lines of it, and each is named in a sentence. Printed is, by form, the share of searches and of blocks in
which code around such a line is among the first three, and the share of blocks of 3600 tokens that show it. With
`--without`, requests are read as if they named no literals.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.retrieval.block import FRAME
from benchmarks.retrieval.corpora import corpus_of
from ctxkit import tokens
from ctxkit.embedding import encoder_for
from ctxkit.index import request as reading
from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.search import SEARCH, rank
from ctxkit.index.text_classes import text_class
from ctxkit.slicing import language_of
from ctxkit.units import recall, select

BUDGET, FIRST = 3600, 3
MOST = 3  # lines of a literal's own; of a flag, which its parser and its user name, MOST_OF_FLAG
MOST_OF_FLAG = 8
READS = (
    r'getenv\(["\']|environ(?:\.get)?[\[(]["\']|process\.env\.|env::var(?:_os)?\("|\bENV\[["\']|ENV\.fetch\(["\']'
    r'|(?:Getenv|LookupEnv)\("|GetEnvironmentVariable\("|System\.get_env\("|\benv\(["\']'
)
_DECLARING = (
    r'^\s*(?:(?:export|pub|public|private|protected|internal|static|final|const|let|var|val|readonly|int|long|String'
    r'|#define|constexpr|unsigned|char)\s+)*'
)
FORMS = {
    'variable': rf'(?:{READS})([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)',
    'flag': r'["\'](?:--)?([a-z]+(?:-[a-z]+)+)["\']',
    'key': r'["\']([a-z]+(?:_[a-z]+)+)["\']',
    'dotted': r'["\']([a-z]+(?:[._-][a-zA-Z]+)*\.[a-z][a-zA-Z_-]+)["\']',
    'constant': _DECLARING + r'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?:\s*:[^=]*)?\s*(?:=[^=]|\s[\d"(])',
    'field': _DECLARING + r'([a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+)\b\??\s*:\s*[A-Za-z]',
    'route': r'["\'](/[a-z][a-z0-9_-]*(?:/[a-z0-9_:{}<>*-]+)+)["\']',
}
ASKED = {
    'variable': ('{} is ignored on Windows', 'what does {} do?', 'setting {}=1 has no effect', '{} is read too late'),
    'flag': ('--{} is ignored', 'what does --{} do?', 'crash when I pass --{} twice', 'add a short form for --{}'),
    'key': ('the setting {} is ignored', 'what does {} do?', '{} should accept a list', 'wrong default for {}'),
    'dotted': ('{} is ignored', 'what does {} do?', '{} should accept a list', 'wrong default for {}'),
    'constant': ('{} is too low', 'what is {} for?', 'make {} configurable', 'wrong value of {}'),
    'field': ('{} is ignored', 'what does {} do?', 'wrong default for {}', '{} should be optional'),
    'definition': ('Fix {} for empty input', 'Speed up {}, it is slow', 'what calls {}?', 'add a timeout to {}'),
    'route': ('{} returns 500', 'add pagination to {}', 'GET {} is slow', '{} should require authentication'),
}
# Of files without a grammar: (defn name, sub name, name <- function, name ::, - (void)name, int name() {
DEFINITION = (
    r'^\s*(?:(?:pub|export|inline|async|static|final|override|private|public|internal|external|virtual|abstract)\s+)*'
    r'(?:fn|def|sub|function|func|fun|macro)\s+([A-Za-z][\w-]*)|^([A-Za-z]\w*)\s*(?:<-|=)\s*function|^([a-z]\w*)\s*::'
    r'|^\((?:defn-?|defmacro|defun|define)\s+\(?([\w-]+)|^[-+]\s*\([^)]*\)\s*(\w+)'
    r'|^\s+(?:(?:static|final|override|async|String|void|int|bool|\w+(?:<\w+>)?\??)\s+)+([a-z]\w+)\([^;]*\{?$'
)
SEVERAL_PARTS = r'[a-z][A-Z]|[a-z][-_][a-z]'
CODE = set('py js ts jsx tsx mjs cjs go rs c h cc cpp hpp java kt rb php cs ex exs lua swift scala vue svelte'.split())
NOT_OWN = (
    r'(^|/)(tests?|spec|docs?|examples?|fixtures|testdata|__tests__|vendor|dist|scripts?|integration|benchmarks?)/'
)
FILE = r'\.(js|ts|py|json|html|css|md|txt|go|rs|c|h|cc|java|rb|php|ya?ml|toml|xml|com|org|io|net|dev|png|svg|sh)$'


class Outcome(NamedTuple):
    """Of one request: its text, the ranks of code with the literal in a block and in a search (0: absent), and whether
    a line with it is shown."""

    said: str
    block: int
    search: int
    shown: bool


def drawn(corpus: Corpus, sample: int, draw: random.Random) -> Iterator[tuple[str, str, list[tuple[str, int]]]]:
    """(form, literal, the lines with it) of some literals of the project's own code."""
    found: dict[str, dict[str, list[tuple[str, int]]]] = {form: defaultdict(list) for form in (*FORMS, 'definition')}
    flags = set()
    for path in sorted(corpus.paths()):
        text = corpus.source(path).decode('utf-8', 'replace')
        if path_kind(path) not in ('test', 'vendored'):
            flags |= set(re.findall(r'(?<![\w-])--([a-z]+(?:-[a-z]+)+)\b', text))
        if not language_of(path) and text_class(path) == 'code' and not path_kind(path):
            for number, line in enumerate(text.splitlines(), 1):
                name = next(filter(None, getattr(re.match(DEFINITION, line), 'groups', tuple)()), '')
                if re.search(SEVERAL_PARTS, name):
                    found['definition'][name].append((path, number))
        if path.rpartition('.')[2] not in CODE or path_kind(path) or re.search(NOT_OWN, path):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) < 300 and not line.lstrip().startswith(('#', '//', '*', '/*', '--', '"""')):
                for form, pattern in FORMS.items():
                    for name in re.findall(pattern, line):
                        found[form][name].append((path, number))
    found['flag'] = {name: lines for name, lines in found['flag'].items() if name in flags}
    found['dotted'] = {name: lines for name, lines in found['dotted'].items() if not re.search(FILE, name)}
    for form, literals in found.items():
        few = sorted(
            name for name, lines in literals.items() if len(lines) <= (MOST_OF_FLAG if form == 'flag' else MOST)
        )
        for name in draw.sample(few, min(sample, len(few))):
            yield form, name, literals[name]


def outcome(corpus: Corpus, said: str, lines: list[tuple[str, int]]) -> Outcome:
    """What becomes of one sentence about the literal of `lines`, each (path, line)."""
    vector = reading.vector_of(encoder_for('bundled'), said, corpus)
    found = recall.for_block(corpus, said, vector)
    shown = select.select(corpus, found, BUDGET - FRAME, tokens.count, 7, terms=recall.terms(said)).units

    def place_of(chunks: list[int]) -> int:
        held = ((corpus.path(chunk), corpus.place(chunk)) for chunk in chunks)
        return next(
            (at for at, (path, place) in enumerate(held, 1) if inside(path, place.start_line, place.end_line)), 0
        )

    def inside(path: str, start: int, end: int) -> bool:
        return any(path == other and start <= line <= end for other, line in lines)

    written = {corpus.source(path).decode('utf-8', 'replace').splitlines()[line - 1].strip() for path, line in lines}
    code = any(
        unit.level != 'path'
        and inside(unit.path, unit.start_line, unit.end_line)
        and any(one in unit.text for one in written)
        for unit in shown
    )
    hits = rank(corpus, said, SEARCH, vector)
    return Outcome(said, place_of([one.chunk for one in found]), place_of([one.chunk for one in hits]), code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--sample', type=int, default=4)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--without', action='store_true')
    parser.add_argument('--misses', action='store_true')
    args = parser.parse_args()
    read = patch.object(reading, 'literals', lambda text: ()) if args.without else nullcontext()
    out = defaultdict(list)
    with read:
        for clone in args.clones:
            draw = random.Random(f'{args.seed} {clone.name}')
            head = subprocess.run(
                ['git', '-C', str(clone), 'rev-parse', 'HEAD'], capture_output=True, check=True, text=True
            )
            with tempfile.TemporaryDirectory() as folder, corpus_of(clone, head.stdout.strip(), Path(folder)) as corpus:
                for form, name, lines in list(drawn(corpus, args.sample, draw)):
                    out[form].append(outcome(corpus, draw.choice(ASKED[form]).format(name), lines))
                    if args.misses and not out[form][-1].shown:
                        print(f'not shown: {out[form][-1].said}  {lines[0][0]}:{lines[0][1]}')
    for form, every in out.items():
        block, search = (
            sum(0 < rank <= FIRST for rank in ranks) / len(every)
            for ranks in ([one.block for one in every], [one.search for one in every])
        )
        shown = sum(one.shown for one in every) / len(every)
        print(f'{form:8} {len(every):4}  first three: block {block:.2f}, search {search:.2f}  shown: {shown:.2f}')


if __name__ == '__main__':
    main()
