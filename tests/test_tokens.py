"""The estimate is an upper one, needs no vocabulary, and the index counts the same way by bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxkit
from ctxkit.index.record import load_places, make
from ctxkit.tokens import count


@pytest.mark.parametrize(
    ('text', 'tokens'),
    [
        ('', 0),
        ('a', 1),
        ('abcd', 1),
        ('abcde', 2),
        ('12', 1),
        ('1234', 2),
        ('a_b', 3),
        ('()', 1),
        ('(((', 2),
        (' ', 0),
        ('a b', 2),
        ('\n', 1),
        ('\n        x', 2),
        ('\n\n', 2),
        ('计算', 3),
        ('заказ', 3),
        ('\U0001f600', 1),
        ('é', 1),
        ('def f(x):', 5),
    ],
)
def test_rules(text, tokens):
    assert count(text) == tokens


def test_more_text_is_never_fewer_tokens():
    text = 'def compute(value):\n    return value * 12 + 计算(заказ)  # ok\n' * 3
    sizes = [count(text[:end]) for end in range(len(text))]
    assert all(a <= b for a, b in zip(sizes, sizes[1:], strict=False))


def test_joining_adds_at_most_what_the_parts_had():
    parts = ['def f(', 'x):\n', '    return', ' "計算"', '\n\n', 'abc' * 9, '____', '9' * 20]
    assert count(''.join(parts)) <= sum(count(part) for part in parts)


def test_no_chunk_is_refused_unread_that_could_fit():
    """The index keeps no counts; what it takes for the least of a chunk's tokens is never above the count."""
    looked = 0
    for file in sorted(Path(ctxkit.__file__).parent.rglob('*.py'))[:60]:
        source = file.read_bytes()
        record, chunks, *_ = make(file.name, source, 1_000_000)
        for place, chunk in zip(load_places(record.places), chunks, strict=True):
            assert place.least_tokens <= count(chunk.text(source)), (file.name, chunk.symbol)
            looked += 1
    assert looked > 100


def test_estimate_is_not_below_the_bundled_vocabulary():
    """The model's own tokenizer counts about half, so it never stands for a budget."""
    from tokenizers import Tokenizer

    file = Path(ctxkit.__file__).parent / 'embedding' / 'bundled' / 'tokenizer.json'
    json.loads(file.read_bytes())
    tokenizer = Tokenizer.from_file(str(file))
    text = Path(count.__code__.co_filename).read_text('utf-8')
    assert len(tokenizer.encode(text, add_special_tokens=False).ids) < count(text)
