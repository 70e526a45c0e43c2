# ruff: noqa: E402, E501, C901
"""How well a model finds code, on whole repositories that it was never trained on.

    training/extract.py --clones DIR --out EXTRACTS --split held
    quality.py --extracts EXTRACTS [--split held] [--bare] [MODEL ...]

MODEL is the name of a model or a folder; the bundled one if none is given. BM25 over split identifiers stands beside.
Four tasks, mean reciprocal rank, mean over repositories: a documentation's first sentence finds its definition (the
documentation is taken out of the code); a commit's title finds a definition that the commit changed; a caller finds
what it calls; a test finds the code it calls. With --bare the text is the code alone, without path and class.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import random
import re
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[2] / 'training')]

from corpus import sources

from ctxkit.embedding import Encoder, load
from ctxkit.embedding.folder import read
from ctxkit.embedding.text import head
from ctxkit.embedding.words import BOUNDARY, IDENTIFIER, WORD

TARGETS = {'sentence': 0.56, 'commit': 0.27, 'callee': 0.27, 'test': 0.33}
SENTENCE = re.compile(r'(.{8,}?[.!?])(\s|$)')


def words(text: str) -> list[str]:
    return WORD.findall(BOUNDARY.sub(' ', ' '.join(IDENTIFIER.findall(text))).lower())


class Bm25:
    """BM25 over split identifiers, k1 1.2, b 0.75."""

    def __init__(self, texts: list[str]) -> None:
        posting = collections.defaultdict(list)
        length = []
        for number, text in enumerate(texts):
            counts = collections.Counter(words(text))
            length.append(sum(counts.values()))
            for word, count in counts.items():
                posting[word].append((number, count))
        size = np.array(length, float)
        self.count, self.posting = len(texts), {}
        for word, found in posting.items():
            rows, tf = np.array([f[0] for f in found]), np.array([f[1] for f in found], float)
            idf = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            self.posting[word] = rows, idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * size[rows] / size.mean()))

    def __call__(self, query: str) -> np.ndarray:
        out = np.zeros(self.count)
        for word in words(query):
            if word in self.posting:
                rows, value = self.posting[word]
                out[rows] += value
        return out


def tasks(stem: str, extracts: Path) -> tuple[list[dict], dict[str, list[tuple[object, list[int]]]]]:
    """Candidates of a repository and, for each task, (query text or candidate number, wanted candidates)."""

    def lines(name: str) -> list[dict]:
        return [json.loads(line) for line in (extracts / name).open(encoding='utf-8')]

    seen, rows = set(), []
    for record in lines(f'{stem}.jsonl'):
        key = (record['name'], tuple(words(record['code'])))
        if record['kind'] != 'class' and key not in seen:
            seen.add(key)
            rows.append(record)
    generator = random.Random(1)
    by_text = collections.defaultdict(list)
    for number, record in enumerate(rows):
        match = SENTENCE.match(record['doc'])
        text = match[1] if match else record['doc']
        if not record['test'] and len(words(text)) >= 3:
            by_text[' '.join(words(text))].append((number, text))
    sentence = [(found[0][1], [n for n, _ in found]) for found in by_text.values() if len(found) <= 5]
    names = collections.Counter(r['name'] for r in rows)
    index = {r['name']: n for n, r in enumerate(rows)}
    callee, test = [], []
    for number, record in enumerate(rows):
        wanted = [
            index[c] for c in record['calls'] if names.get(c) == 1 and index[c] != number and not rows[index[c]]['test']
        ]
        if 1 <= len(wanted) <= 8:
            (test if record['test'] else callee).append((number, wanted))
    place = collections.defaultdict(list)
    for number, record in enumerate(rows):
        place[record['path'], record['symbol']].append(number)
    commit = []
    for record in lines(f'{stem}.commits.jsonl'):
        wanted = sorted({n for c in record['changed'] for n in place.get((c['path'], c['symbol']), ())})
        if wanted:
            commit.append((record['title'], wanted))
    out = {'sentence': sentence, 'commit': commit, 'callee': callee, 'test': test}
    for name, found in out.items():
        generator.shuffle(found)
        out[name] = found[: 400 if name == 'sentence' else 200]
    return rows, out


def reciprocal(scores: np.ndarray, wanted: list[int]) -> float:
    """1 / rank of the best wanted one; ties count half."""
    best = max(scores[n] for n in wanted)
    return 1 / ((scores > best).sum() + 1 + 0.5 * ((scores == best).sum() - 1))


def encoder_of(name: str) -> tuple[str, Encoder]:
    """A model by name, or by its folder."""
    if not (Path(name) / 'model.yaml').is_file():
        return name, load(name)
    model = read(Path(name), check=False)
    if model.tables:
        from ctxkit.embedding.static import StaticEncoder

        return model.model_id, StaticEncoder(model)
    from ctxkit.embedding.onnx import OnnxEncoder

    return model.model_id, OnnxEncoder(model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('models', nargs='*')
    parser.add_argument('--extracts', type=Path, required=True)
    parser.add_argument('--split', default='held')
    parser.add_argument('--limit', type=int, default=10**9, help='candidates of a repository at most (a short run)')
    parser.add_argument('--bare', action='store_true')
    parser.add_argument('--no-bm25', action='store_true')
    parser.add_argument('-v', action='store_true')
    args = parser.parse_args()
    models = dict(encoder_of(name) for name in args.models or ['bundled'])
    result: dict[tuple[str, str], list[float]] = collections.defaultdict(list)
    queries: collections.Counter[str] = collections.Counter()
    repositories = 0
    for source in sources(args.split):
        stem = source.name.replace('/', '+')
        if not (args.extracts / f'{stem}.commits.jsonl').is_file():
            print('not extracted:', source.name)
            continue
        rows, wanted = tasks(stem, args.extracts)
        if len(rows) > args.limit:
            continue
        repositories += 1
        texts = [('' if args.bare else head(r['path'], r['symbol'])) + r['code'] for r in rows]
        lexical = None if args.no_bm25 else Bm25(texts)
        product = np.array([not r['test'] for r in rows])
        vectors = {name: encoder.encode(texts) for name, encoder in models.items()}
        for task, found in wanted.items():
            if len(found) < 20:
                continue
            queries[task] += len(found)
            score: dict[str, list[float]] = collections.defaultdict(list)
            for query, goal in found:
                ranked = {} if lexical is None else {'BM25': lexical(query if isinstance(query, str) else texts[query])}
                for name, encoder in models.items():
                    vector = encoder.encode_query(query) if isinstance(query, str) else vectors[name][query]
                    ranked[name] = vectors[name] @ vector
                    if lexical is not None:
                        a, b = ranked['BM25'], ranked[name]
                        ranked[f'{name} .65 + BM25 .35'] = 0.35 * (a - a.mean()) / (a.std() + 1e-9) + 0.65 * (
                            b - b.mean()
                        ) / (b.std() + 1e-9)
                for name, values in ranked.items():
                    values = np.array(values, float)
                    if not isinstance(query, str):
                        values[query] = -1e9
                    if task == 'test':
                        values[~product] = -1e9
                    score[name].append(reciprocal(values, goal))
            for name, values in score.items():
                result[name, task].append(float(np.mean(values)))
        if args.v:
            print(source.name, len(rows), {f'{n} {t}': round(v[-1], 3) for (n, t), v in result.items()}, flush=True)
    print(f'{repositories} repositories, queries {dict(queries)}')
    print(f'| {"method":44} | ' + ' | '.join(TARGETS) + ' |\n|' + '---|' * (len(TARGETS) + 1))
    for name in dict.fromkeys(n for n, _ in result):
        print(
            f'| {name:44} | ' + ' | '.join(f'{np.mean(result[name, task] or [np.nan]):.3f}' for task in TARGETS) + ' |'
        )
    print(f'| {"to reach":44} | ' + ' | '.join(f'{value:.2f}' for value in TARGETS.values()) + ' |')


if __name__ == '__main__':
    main()
