"""NDCG@10 of the search on a set of questions with the places that answer them.

    python -m benchmarks.retrieval.search SET --clones DIR [--whole] [--words] [NAME...]

SET is a folder in the form of semble's public benchmark (github.com/MinishLab/semble): `repos.json` lists repositories
(name, revision, root) and NAME.json their queries, each with `relevant` and `secondary` paths, or objects with path,
start_line and end_line. DIR/NAME is a clone. A target is found at the rank of the first result with its path and, where
it has lines, overlapping ones. Without --whole only the set's own root is searched, as upstream does; with it the whole
repository, which is what a hook meets. With --words it is ranked by words alone, as they stand.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

from benchmarks.retrieval.corpora import corpus_of
from ctxkit.embedding import encoder_for
from ctxkit.index.request import vector_of
from ctxkit.index.search import SEARCH, rank

TARGETS = {False: 0.86, True: 0.85}


def ndcg(results: list[tuple[str, int, int]], targets: list) -> float:
    got = 0.0
    for target in targets:
        wanted = target if isinstance(target, dict) else {'path': target}
        for place, (path, start, end) in enumerate(results, 1):
            lines = 'start_line' not in wanted or start <= wanted['end_line'] and end >= wanted['start_line']
            if path == wanted['path'] and lines:
                got += 1 / math.log2(place + 1)
                break
    return got / sum(1 / math.log2(place + 1) for place in range(1, min(10, len(targets)) + 1))


def measure(corpus, queries: list[dict], under: str, words: bool) -> float:
    encoder = encoder_for('bundled')
    scores = []
    for query in queries:
        text = query['query']
        vector = None if words else vector_of(encoder, text, corpus)
        hits = rank(corpus, text, SEARCH, vector, under=under)[:10]
        places = [(corpus.path(hit.chunk), corpus.place(hit.chunk)) for hit in hits]
        results = [(path, place.start_line, place.end_line) for path, place in places]
        scores.append(ndcg(results, query['relevant'] + query.get('secondary', [])))
    return sum(scores) / len(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('set', type=Path)
    parser.add_argument('names', nargs='*')
    parser.add_argument('--clones', type=Path, required=True)
    parser.add_argument('--whole', action='store_true')
    parser.add_argument('--words', action='store_true', help='without the model')
    args = parser.parse_intermixed_args()
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        for repo in json.loads((args.set / 'repos.json').read_text('utf-8')):
            if args.names and repo['name'] not in args.names:
                continue
            queries = json.loads((args.set / f'{repo["name"]}.json').read_text('utf-8'))
            under = '' if args.whole or repo['root'] in ('', '.') else repo['root']
            with corpus_of(args.clones / repo['name'], repo['revision'], Path(folder, repo['name'])) as corpus:
                scores.append(measure(corpus, queries, under, args.words))
            print(f'{repo["name"]:20} {scores[-1]:.3f}  {len(queries)} queries', flush=True)
    mean = sum(scores) / len(scores)
    print(f'mean of {len(scores)}: {mean:.4f}  (target on semble: >= {TARGETS[args.whole]})')


if __name__ == '__main__':
    sys.exit(main())
