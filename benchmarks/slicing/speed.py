"""What slicing costs over the parsing alone, file by file in one run on one core.

    python benchmarks/slicing/speed.py CLONE [--language python] [--no-gc]

Targets: all stages together <= 1.5 times the parsing on two cores, so slicing alone <= 1.7 times on one; median
file <= 15 ms, largest <= 180 ms. Times are processor time; each file is parsed and sliced directly after another, so
that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
from pathlib import Path
from time import process_time

from ctxkit.slicing import slice_file
from ctxkit.slicing.languages import grammar, language_in


def main() -> int:
    """Print the ratio and the times; 1 if the ratio or the median is above its target."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('clone', type=Path)
    options.add_argument('--language', default='python')
    options.add_argument('--no-gc', action='store_true', help='without the cyclic garbage collector')
    wanted = options.parse_args()
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=wanted.clone, capture_output=True, check=True).stdout
    parser = grammar(wanted.language).parser
    if wanted.no_gc:
        gc.disable()
    parsing, slicing, size, chunks = 0.0, [], 0, 0
    for name in listed.decode('utf-8', 'surrogateescape').split('\0'):
        path = wanted.clone / name
        if not name or path.is_symlink() or not path.is_file():
            continue
        source = path.read_bytes()
        if len(source) > 1_000_000 or language_in(name, source) != wanted.language:
            continue
        size += len(source)
        start = process_time()
        tree = parser.parse(source)
        del tree
        parsing += process_time() - start
        start = process_time()
        chunks += len(slice_file(name, source).chunks)
        slicing.append((process_time() - start, name))
    if not slicing:
        print(f'no {wanted.language} in {wanted.clone}')
        return 1
    total = sum(time for time, _ in slicing)
    median = statistics.median(time for time, _ in slicing)
    ratio = total / parsing
    print(f'{len(slicing)} files, {size / 1e6:.1f} MB, {chunks} chunks')
    print(f'parsing {parsing:.2f} s, slicing {total:.2f} s: {ratio:.2f} times (target 1.7)')
    worst, name = max(slicing)
    print(f'median {median * 1000:.1f} ms (target 15), largest {worst * 1000:.0f} ms (target 180): {name}')
    return int(ratio > 1.7 or median > 0.015)


if __name__ == '__main__':
    sys.exit(main())
