"""From extracts to a vocabulary and flat arrays of token ids.

    prepare.py --extracts DIR --out DIR [--tokenizer FILE]

Writes `tokenizer.json` and `pairs.npz`. Records whose words equal one of the dev or held-out repositories are dropped,
so are repeats. Texts are what the encoder is given: last folder, stem, class and name, then the code without its
documentation. With --tokenizer an earlier vocabulary is kept, so that runs on both data can be averaged.
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import argparse
import collections
import itertools
import json
import re
import shutil
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus import sources
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from ctxkit.embedding.text import head
from ctxkit.embedding.words import BOUNDARY, IDENTIFIER, WORD

MAX_WORDS = 320
MAX_VOCABULARY = 38_000
STRING = re.compile(r'"((?:[^"\\\n]|\\.){20,160})"|\'((?:[^\'\\\n]|\\.){20,160})\'')
COMMENT = re.compile(r'^[ \t]*(?:#|//+|--)(?![!-/{}<>])[ \t]?(.*)$')
NO_SENTENCE = re.compile(
    r'^\W*(todo|fixme|xxx|hack|nolint|eslint|noqa|type:|pragma|istanbul|see |https?:|@|copyright|licen|prettier|rubocop|'
    r'pylint|given|when|then|arrange|act|assert)|[;{}=]|\)\s*$|->|::',
    re.I,
)
ODD = re.compile(r'[^\w\s.,:\'"()-]')
MARK = re.compile(r'^_*(test|it|should)_*', re.I)
SENTENCE = re.compile(r'(.{8,}?[.!?])(\s|$)')


class Words:
    """Text to word numbers, each identifier split once."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.known: dict[str, list[int]] = {}

    def __call__(self, text: str, limit: int = MAX_WORDS) -> list[int]:
        out: list[int] = []
        for identifier in IDENTIFIER.findall(text):
            words = self.known.get(identifier)
            if words is None:
                words = [
                    self.number.setdefault(w, len(self.number))
                    for w in WORD.findall(BOUNDARY.sub(' ', identifier).lower())
                ]
                self.known[identifier] = words
            out += words
            if len(out) >= limit:
                return out[:limit]
        return out


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.open(encoding='utf-8')] if file.is_file() else []


def messages(code: str) -> list[str]:
    """String literals that read like a sentence: what a person would paste."""
    found = [a or b for a, b in STRING.findall(code)]
    return [text for text in found if len(re.findall('[A-Za-z]{2,}', text)) >= 4 and text.count(' ') >= 3][:2]


def comments(code: str) -> list[tuple[str, str]]:
    """The two longest comments inside a definition that read like a sentence: (comment, code without its lines)."""
    lines, out, start = code.split('\n'), [], 0
    marks = [COMMENT.match(line) for line in [*lines, '']]
    for number, mark in enumerate(marks):
        if mark:
            continue
        text = ' '.join(found[1].strip() for found in marks[start:number] if found)
        words = re.findall('[A-Za-z]{2,}', text)
        if 5 <= len(words) <= 60 and not NO_SENTENCE.search(text) and len(ODD.findall(text)) <= 3:
            out.append((text, '\n'.join(lines[:start] + lines[number:])))
        start = number + 1
    return sorted(out, key=lambda one: -len(one[0]))[:2]


def claim(record: dict) -> list[str]:
    """What a test says about the code that it tests: its name without the mark of a test, its first message."""
    return [MARK.sub('', record['name']), *messages(record['code'])[:1]]


def vocabulary(count: np.ndarray, spread: np.ndarray, words: list[str]) -> dict[str, int]:
    """Whole words that are frequent and in several repositories, then letters and continuation pieces."""
    order = np.argsort(-count, kind='stable')
    whole = [
        words[i]
        for i in order
        if len(words[i]) <= 24
        and ((count[i] >= 4 and spread[i] >= 2) or count[i] >= 60)
        and not (words[i].isdigit() and len(words[i]) > 3)
    ]
    trainer = trainers.WordPieceTrainer(
        vocab_size=9000, special_tokens=['[PAD]', '[UNK]'], show_progress=False, continuing_subword_prefix='##'
    )
    cutter = Tokenizer(models.WordPiece(unk_token='[UNK]'))
    cutter.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    known = set(whole)
    cutter.train_from_iterator(
        (
            w
            for i, w in enumerate(words)
            if w.isalpha() and len(w) <= 24
            for _ in range(1 if w in known else min(int(count[i]), 8))
        ),
        trainer,
    )
    pieces = cutter.get_vocab()
    tail = sorted((p for p in pieces if p.startswith('##')), key=lambda p: pieces[p])
    letters = [p for c in 'abcdefghijklmnopqrstuvwxyz0123456789' for p in (c, '##' + c)]
    names = ['[PAD]', '[UNK]', *whole[: MAX_VOCABULARY - len(tail) - len(letters) - 2], *letters, *tail]
    names = list(dict.fromkeys(names))
    return {name: i for i, name in enumerate(names)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--extracts', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--tokenizer', type=Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    start = time.time()
    words = Words()
    held = set()
    for source in sources():
        if source.split != 'train':
            for record in lines(args.extracts / f'{source.name.replace("/", "+")}.jsonl'):
                held.add(tuple(words(record['code'], 60)))
    train = [s for s in sources('train') if (args.extracts / f'{s.name.replace("/", "+")}.commits.jsonl').is_file()]
    texts: dict[str, list[list[int]]] = collections.defaultdict(list)
    repo, name_key, test, sentence = [], [], [], []
    call, near, message_row, commit_row, comment_row, claim_row = [], [], [], [], [], []
    names: dict[str, int] = {}
    spread: collections.Counter[int] = collections.Counter()
    seen: set[tuple[int, ...]] = set()
    dropped = 0
    for number, source in enumerate(train):
        stem = source.name.replace('/', '+')
        rows, mine = [], collections.Counter()
        for record in lines(args.extracts / f'{stem}.jsonl'):
            key = tuple(words(record['code'], 60))
            if key in seen or key in held or len(key) < 6:
                dropped += 1
                continue
            seen.add(key)
            rows.append(record)
            if record['kind'] != 'class':
                mine[record['name']] += 1
        index = {
            r['name']: len(repo) + i
            for i, r in enumerate(rows)
            if r['kind'] != 'class' and mine[r['name']] == 1 and not r['test']
        }
        last: dict[tuple[str, str], int] = {}
        here: set[int] = set()
        for record in rows:
            row = len(repo)
            code = words(head(record['path'], record['symbol']) + record['code'])
            doc = words(record['doc'], 64) if record['doc'] else []
            match = SENTENCE.match(record['doc'])
            texts['code'].append(code)
            texts['doc'].append(doc if len(doc) >= 3 else [])
            texts['name'].append(words(record['name'], 16))
            texts['class'].append(words(record['symbol'].rpartition(record['name'])[0], 8))
            sentence.append(len(words(match[1], 64)) if match else len(doc))
            repo.append(number)
            test.append(record['test'])
            name_key.append(names.setdefault(record['name'].lower(), len(names)))
            here.update(code, doc)
            if record['kind'] == 'class':
                continue
            for callee in record['calls']:
                other = index.get(callee)
                if other is not None and other != row:
                    call.append((row, other))
            parent = (record['path'], record['symbol'].rpartition(record['name'])[0])
            if parent in last and not record['test']:
                near.append((last[parent], row))
            last[parent] = row
            if record['test']:
                tested = [index[c] for c in record['calls'] if index.get(c, row) != row]
                said = [n for text, most in zip(claim(record), (16, 24), strict=False) for n in words(text, most)]
                for other in tested if len(tested) <= 3 and len(said) >= 3 else ():
                    texts['claim'].append(said)
                    claim_row.append(other)
            else:
                for text, rest in comments(record['code']):
                    texts['comment'].append(words(text, 48))
                    texts['uncommented'].append(words(head(record['path'], record['symbol']) + rest))
                    comment_row.append(row)
                for text in messages(record['code']):
                    texts['message'].append(words(text, 40))
                    texts['without'].append(
                        words(head(record['path'], record['symbol']) + record['code'].replace(text, ''))
                    )
                    message_row.append(row)
        for record in lines(args.extracts / f'{stem}.commits.jsonl'):
            for changed in record['changed'][:3]:
                if tuple(words(changed['code'], 60)) in held:
                    continue
                texts['title'].append(words(record['title'], 40))
                texts['before'].append(words(head(changed['path'], changed['symbol']) + changed['code']))
                commit_row.append((number, names.setdefault(changed['name'].lower(), len(names))))
                here.update(texts['title'][-1])
        spread.update(here)
        print(f'{number + 1}/{len(train)} {source.name} {len(rows)} {time.time() - start:.0f} s', flush=True)
    known = list(words.number)
    count = np.zeros(len(known), np.int64)
    for kind in ('code', 'doc', 'title'):
        count += np.bincount(np.fromiter(itertools.chain.from_iterable(texts[kind]), np.int64), minlength=len(known))
    if args.tokenizer:
        tokenizer = Tokenizer.from_file(str(args.tokenizer))
        ids = tokenizer.get_vocab()
        shutil.copyfile(args.tokenizer, args.out / 'tokenizer.json')
    else:
        ids = vocabulary(count, np.array([spread[i] for i in range(len(known))]), known)
        tokenizer = Tokenizer(models.WordPiece(vocab=ids, unk_token='[UNK]', max_input_chars_per_word=64))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Replace(Regex(BOUNDARY.pattern), ' '), normalizers.Lowercase()]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex('[a-z]+|[0-9]+'), 'removed', invert=True)
        tokenizer.save(str(args.out / 'tokenizer.json'), pretty=False)
    table = [[ids[w]] if w in ids else tokenizer.encode(w).ids for w in known]
    out: dict[str, np.ndarray] = {}
    length = np.array([len(row) for row in table])
    first, flat = np.cumsum(length) - length, np.array([p for row in table for p in row], np.int32)
    for kind, rows in texts.items():
        numbers = np.fromiter(itertools.chain.from_iterable(rows), np.int64)
        size = length[numbers]
        end = np.cumsum(size)
        out[kind] = flat[np.repeat(first[numbers] - (end - size), size) + np.arange(size.sum())]
        out[kind + '_offset'] = np.concatenate([[0], end])[
            np.concatenate([[0], np.cumsum([len(text) for text in rows])])
        ]
    out['sentence'] = np.array(
        [sum(len(table[w]) for w in doc[:n]) for doc, n in zip(texts['doc'], sentence, strict=True)], np.int32
    )
    for kind, values in (
        ('repo', repo),
        ('name_key', name_key),
        ('test', test),
        ('call', call),
        ('near', near),
        ('message_row', message_row),
        ('commit_row', commit_row),
        ('comment_row', comment_row),
        ('claim_row', claim_row),
    ):
        out[kind] = np.array(values, np.int32)
    out['vocabulary_size'] = np.array(len(ids))
    np.savez(args.out / 'pairs.npz', **out)
    print(
        f'{len(train)} repositories, {len(repo)} definitions ({dropped} repeats dropped), '
        f'{sum(map(bool, texts["doc"]))} documented, {len(call)} calls, {len(near)} neighbours, {len(message_row)} messages, '
        f'{len(commit_row)} commit pairs, {len(comment_row)} comments, {len(claim_row)} claims of tests, {len(ids)} pieces, {time.time() - start:.0f} s'
    )


main()
