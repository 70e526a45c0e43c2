"""The estimate is an upper one but a close one, needs no vocabulary, and the index counts the same way by bytes."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import ctxkit
from ctxkit import token_words, tokens
from ctxkit.index.record import load_places, make
from ctxkit.tokens import count

CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
CODE = '''def _resolve_endpoint(self, request: HttpRequest, default_timeout: float = 30.0) -> Response | None:
    """Return the first response that is not an error, or None if every server in the pool failed.

    The connection is closed before the exception is raised, and nothing is cached between two calls.
    """
    for index, server in enumerate(self._servers):
        if server.status == ServerStatus.DISABLED or index >= MAX_RETRIES:
            continue
        try:
            response = server.send(request, timeout=default_timeout, headers={'Content-Type': 'application/json'})
        except (ConnectionError, TimeoutError) as error:
            self.logger.warning("request to %s failed: %s", server.name, error)
            continue
        if response.status_code != 200:
            self._failures[server.name] += 1
            continue
        return response
    return None
'''


def some(characters, size, seed=1):
    source = random.Random(seed)
    return ''.join(source.choice(characters) for _ in range(size))


# The larger of the counts by o200k and by the tokenizer that Anthropic published (benchmarks/budget/count.mjs).
REAL = {
    'code': (CODE, 195),
    'base64': (some(CAPITALS + CAPITALS.lower() + '0123456789+/', 2000), 1404),
    'hexadecimal': ('\n'.join(some('0123456789abcdef', 64, seed) for seed in range(30)), 1153),
    'capitals': (some(CAPITALS, 1500), 877),
    'letters': (some(CAPITALS.lower(), 1500), 791),
    'digits': (some('0123456789', 1500), 620),
    'table of numbers': ('\n'.join(', '.join(str(n * n % 251) for n in range(k, k + 12)) for k in range(40)), 1399),
    'aligned numbers': ('\n'.join(f'    read_{n}    {n * 7919}.{n % 10}       {n}' for n in range(60)), 838),
    'bytes': (', '.join(f'0x{n * 37 % 256:02x}' for n in range(300)), 1528),
    'constants': ('\n'.join(f'#define GL_COMPRESSED_SRGB8_ALPHA{n}_EXT 0x{n * 997:04X}' for n in range(60)), 1281),
    'marks': (some('!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 1500), 1016),
    'backticks': ('`' * 60 + '\n' + '-' * 60, 32),
    'emoji': (''.join(chr(0x1F300 + n * 7 % 0x300) for n in range(400)), 1057),
    'tabs': ('\t\tif (x) {\n\t\t\treturn\ty;\n\t\t}\n' * 50, 801),
    'blank lines': ('x\n\n\n    \n\t\ny    \n   z\n' * 50, 500),
    'Chinese': ('本项目在每次提交之后更新索引,并在预算之内选择最相关的函数和文件。' * 20, 500),
    'Japanese': ('コミットのたびに索引を更新し、予算の範囲内で最も関連性の高い関数を選びます。' * 20, 820),
    'Korean': ('커밋할 때마다 색인을 갱신하고 예산 안에서 관련 있는 함수를 선택합니다. ' * 20, 821),
    'Russian': ('Индекс обновляется после каждого коммита, функции выбираются в пределах бюджета. ' * 20, 801),
    'Greek': ('Το ευρετήριο ενημερώνεται μετά από κάθε υποβολή. ' * 20, 1101),
    'Thai': ('โครงการนี้จะอัปเดตดัชนีหลังจากการคอมมิตแต่ละครั้ง ' * 20, 1780),
    'German': ('Der Index wird nach jeder Übergabe aktualisiert, passende Funktionen werden ausgewählt. ' * 20, 521),
}


@pytest.mark.parametrize('name', REAL)
def test_odd_text_is_not_more_than_it_is_counted_as(name):
    text, real = REAL[name]
    assert real <= count(text)


def test_code_fills_what_it_is_counted_as():
    text, real = REAL['code']
    assert real >= 0.93 * count(text), 'what is counted but not there is room that a block cannot use'


@pytest.mark.parametrize(
    ('text', 'tokens'),
    [
        ('', 0),
        ('a', 1),
        ('return', 1),
        ('configuration', 1),
        ('getDefaultRequest', 3),
        ('MAX_RETRY', 4),
        ('HTTPServer', 2),
        ('returns', 1),
        ('ACCEPTABLE', 6),
        ('12', 1),
        ('1234', 2),
        ('1 234', 4),
        ('x = 1', 3),
        ('1, 2', 5),
        ('a_b', 3),
        ('()', 1),
        ('");', 1),
        ('!?!', 3),
        ('-' * 80, 5),
        (' ', 0),
        ('a b', 2),
        ('a  b', 4),
        ('\n', 1),
        ('\n        x', 2),
        ('\n\tx', 3),
        ('\n\n', 2),
        ('\r\n    x', 2),
        ('计算', 3),
        ('заказ', 4),
        ('\U0001f600', 4),
        ('é', 2),
        ('def f(x):', 5),
    ],
)
def test_rules(text, tokens):
    assert count(text) == tokens


def test_more_lines_are_never_fewer_tokens():
    text = 'def compute(value):\n    return value * 12 + 计算(заказ)  # ok\n\n\t\tpass\n```\n' * 3
    lines = text.split('\n')
    sizes = [count('\n'.join(lines[:end])) for end in range(len(lines) + 1)]
    assert all(a <= b for a, b in zip(sizes, sizes[1:], strict=False))


def test_joining_lines_adds_at_most_what_the_parts_had():
    parts = ['def f(\n', '        x):\n', '    return "計算"\n', '\n', 'abc' * 9 + '\n', '____\n', '9' * 20 + '\n']
    assert count(''.join(parts)) <= sum(count(part) for part in parts)


def test_the_table_holds_each_thing_once_and_nothing_of_one_character():
    for table in (token_words.WORDS, token_words.MARKS):
        pieces = table.split()
        assert len(pieces) == len(set(pieces)) and all(len(piece) > 1 for piece in pieces)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in token_words.WORDS.split())


def test_what_was_counted_before_is_forgotten_in_time(monkeypatch):
    monkeypatch.setattr(tokens, '_MOST_KEPT', 10)
    before = count(CODE)
    count('something else')
    assert len(tokens._costs) < 10 and count(CODE) == before


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


def test_text_between_blanks_is_priced_as_what_it_is_made_of():
    """What stands between blanks is remembered whole; what a text costs is the same, wherever its blanks are."""
    piece = re.compile(
        r'[a-z]+|[!-/:-@\[-`{-~]+|[A-Z](?:[a-z]+|[A-Z]*(?![a-z]))|[0-9]+|\s+(?=\s)| (?=[0-9])(?<=[0-9,|\s] )|[^ -~]'
    )
    parts = ['a', 'foo', 'HTTPServer', 'X', '1', '23', ' ', '  ', '\n', '\t', '\r\n', '\x1c', '\x85', '\xa0', '\u3000']
    parts += [',', '|', '_', '==', 'é', 'я', '漢', '😀', '\0', '\x7f', ', 1', '| 2', 'getHTTPResponse_code2', 'x' * 200]
    source = random.Random(7)
    for _ in range(5_000):
        text = ''.join(source.choice(parts) for _ in range(source.randrange(12)))
        assert count(text) == -(-sum(tokens._cost(one) for one in piece.findall(text)) // 100), repr(text)


def test_what_was_priced_is_kept_within_bounds():
    count('=' + 'ab' * 10_000)
    assert max(map(len, tokens._costs)) <= 100


def test_long_run_of_letters_is_looked_up_in_parts_no_longer_than_a_word(monkeypatch):
    asked = []

    class Words(frozenset):
        def __contains__(self, word):
            asked.append(len(word))
            return False

    monkeypatch.setattr(tokens, '_WORDS', Words())
    assert tokens._cost('acgt' * 1_000) == 55 * 4_000 - 300
    assert len(asked) < 50 and max(asked[1:]) < 20
