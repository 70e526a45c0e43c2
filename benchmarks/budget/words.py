"""Makes ctxkit/token_words.py: what is common in code and one token to every tokenizer it is counted for.

    npm install --prefix FOLDER gpt-tokenizer @anthropic-ai/tokenizer
    python -m benchmarks.budget.words --tokenizers FOLDER CLONE... > ctxkit/token_words.py; ruff format ctxkit

The words and runs of marks in some files of each clone, those in most files first, if they are in four clones and if
o200k (OpenAI) and the tokenizer that Anthropic published make one token of them. Needs node. For judging the estimate
take other clones than for making the table.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.budget.run import counted

WORDS, MARKS = 2500, 300
LEAST_FILES, LEAST_CLONES = 5, 4
FILES, LARGEST = 30, 40_000  # of each clone; bytes of one of them
OF_A_KIND = 6  # of these, so that a folder of translations does not count for the whole clone
PIECE = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[!-/:-@\[-`{-~]+')
HEAD = '''"""What is one token to agents' tokenizers, common things first: made by `python -m benchmarks.budget.words`.

{words} words of two letters and more and {marks} runs of marks, counted in {files:,} files of {clones} repositories.
"""

'''


def main() -> None:
    """Count, ask, print the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--tokenizers', type=Path, required=True, help='the folder that npm installed into')
    args = parser.parse_args()
    files: Counter[str] = Counter()
    clones: defaultdict[str, set[int]] = defaultdict(set)
    looked = 0
    for number, clone in enumerate(args.clones):
        for _, text in some_files(clone):
            looked += 1
            for piece in {one.lower() for one in PIECE.findall(text)}:
                files[piece] += 1
                clones[piece].add(number)
    common = [
        piece
        for piece, count in sorted(files.items(), key=lambda item: (-item[1], item[0]))
        if len(piece) > 1 and count >= LEAST_FILES and len(clones[piece]) >= LEAST_CLONES
    ]
    # In code most words follow a space, and it is a part of the token; marks stand behind words.
    texts = [f' {piece}' if piece.isalpha() else piece for piece in common]
    counts = counted(texts, args.tokenizers.resolve())
    one = [piece for piece, (o200k, claude) in zip(common, counts, strict=True) if o200k == claude == 1]
    words = [piece for piece in one if piece.isalpha()][:WORDS]
    marks = [piece for piece in one if not piece.isalpha()][:MARKS]
    print(HEAD.format(words=len(words), marks=len(marks), files=looked, clones=len(args.clones)), end='')
    print('from __future__ import annotations\n')
    for name, pieces in (('WORDS', words), ('MARKS', marks)):
        print(f'{name} = (')
        for line in textwrap.wrap(' '.join(pieces), 100, break_long_words=False, break_on_hyphens=False):
            print(f'    {line + " "!r}')
        print(')')


def some_files(clone: Path) -> list[tuple[str, str]]:
    """(suffix, text) of some files of the clone's head, the same at each run."""
    listed = git(clone, 'ls-tree', '-r', '-z', '--long', 'HEAD').decode('utf-8', 'replace').split('\0')
    random.Random(clone.name).shuffle(listed)
    kinds: Counter[str] = Counter()
    out: list[tuple[str, str]] = []
    for line in listed:
        entry, _, path = line.partition('\t')
        size = entry.split()[-1] if entry.startswith('100') else '-'
        kind = Path(path).suffix
        if not size.isdigit() or int(size) > LARGEST or kinds[kind] == OF_A_KIND:
            continue
        kinds[kind] += 1
        data = git(clone, 'cat-file', 'blob', entry.split()[2])
        if data and b'\0' not in data:
            out.append((kind, data.decode('utf-8', 'replace')))
        if len(out) == FILES:
            break
    return out


def git(clone: Path, *args: str) -> bytes:
    """What git says, nothing if it fails."""
    return subprocess.run(['git', '-C', str(clone), *args], capture_output=True).stdout


if __name__ == '__main__':
    main()
