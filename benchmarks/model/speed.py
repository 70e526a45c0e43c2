"""Speed, size and memory of a model on the natural mix of functions.

    speed.py [MODEL] --clone DIR [--limit 40000]

Every function and method of a clone as ctxkit cuts it, one thread, tokenizer included, processor time.
"""

# ruff: noqa: E501, E402

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from quality import encoder_of

from ctxkit.embedding.folder import BUNDLED, FILES
from ctxkit.embedding.text import passage
from ctxkit.repo import blobs, find, resolve, tree
from ctxkit.slicing import language_of, readable, slice_file

COLD = """
import sys, time
import numpy, click
start = time.process_time()
from ctxkit.embedding import load
encoder = load(sys.argv[1])
loaded = time.process_time()
encoder.encode_query('how are routes registered')
first = time.process_time()
for _ in range(200):
    encoder.encode_query('how are routes registered and matched against the path of a request')
done = time.process_time()
try:
    import resource
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 1024)
except ImportError:
    memory = float('nan')
print(f'load {1e3 * (loaded - start):.0f} ms (to reach 40), first query {1e3 * (first - loaded):.1f} ms, '
      f'warm query {5 * (done - first):.2f} ms (to reach 5), memory {memory:.0f} MB (to reach 70)')
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('model', nargs='?', default='bundled')
    parser.add_argument('--clone', type=Path, required=True)
    parser.add_argument('--limit', type=int, default=40_000)
    args = parser.parse_args()
    repo = find(args.clone)
    texts: list[str] = []
    entries = [e for e in tree(repo, resolve(repo)) if language_of(e.path) not in ('', 'markdown')]
    content = dict(blobs(repo, {e.blob for e in entries}))
    for entry in entries:
        source = readable(content[entry.blob] or b'')
        texts += [
            passage(entry.path, chunk, source)
            for chunk in slice_file(entry.path, source).chunks
            if chunk.kind in ('function', 'method')
        ]
        if len(texts) >= args.limit:
            break
    name, encoder = encoder_of(args.model)
    start = time.process_time()
    encoder.encode(texts)
    seconds = time.process_time() - start
    size = sum(len(text) for text in texts) / len(texts)
    print(
        f'{name}: {len(texts)} functions of {size:.0f} characters, {len(texts) / seconds:.0f} chunks/s (to reach 15000)'
    )
    if args.model == 'bundled':
        size = sum((BUNDLED / file).stat().st_size for file in FILES)
        print(f'size {size / 1e6:.1f} MB (to reach 12)')
        subprocess.run([sys.executable, '-c', COLD, args.model], check=True)


if __name__ == '__main__':
    main()
