"""How a request is read: its terms, the names in it, and whether it is prose, holds code, or is a bare symbol."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.embedding.terms import translate
from ctxkit.index.chores import without_chores
from ctxkit.index.frames import places
from ctxkit.index.issue import spelled, title_of, without_asides
from ctxkit.index.messages import message
from ctxkit.index.mistyped import mended
from ctxkit.index.path_classes import path_kind
from ctxkit.index.qualified import qualified_names
from ctxkit.index.terms import STOP, WORD, is_plain, split, stem, term_id, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import Encoder
    from ctxkit.index.corpus import Corpus
    from ctxkit.index.diff import Hunk

# The type of a conventional commit subject says nothing about the code; its scope, or a module before a colon, does.
_PREFIX = re.compile(
    r'^\s*\[?(fix|feat|feature|chore|refactor|docs?|tests?|perf|style|build|ci|revert|bug|bugfix|hotfix|enh|mnt|maint|dep|'
    r'deprecate|api|rel|release|dev)\]?(\(([^)]*)\))?!?:\s+',
    re.IGNORECASE,
)
_KINDS_OF_FILES = frozenset({'ci', 'doc', 'docs'})  # a prefix that says where, not what
_FILE = re.compile(r'(?<![\w/.-])[\w./-]*\w\.[A-Za-z]\w{0,4}(?![\w(])')
# Compiled by their first use.
_ESCAPES = r'\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))'
_DATA = r'(?a)(?<!\w)\w{256,}'  # base64 and the like; names are shorter
_TIMES = r'(?m)^(?:[^\n\t]{0,80}\t){0,2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z '
# The output of test runners about failing tests (`=== 2 failed`, `--- FAIL`): such a request is about the code.
_FAILING = (
    r'(?m)^(?:=.*\b\d+ failed\b|FAILED |--- FAIL|[ \t]*FAIL\b|test result: FAILED|FAILURES!|Failures:'
    r'|There w(?:as|ere) \d+ fail|.*Tests run: \d+, Failures: [1-9]|Tests: .*\bfailed'
    r'|\d+ examples?, [1-9]\d* failure|Minitest::)'
)
_TESTS = frozenset('test tests testing spec specs fixture fixtures'.split())
_TESTED = r'(?:[Tt]ests?_?)?([^\W\d_]\w*?)(?:_?[Tt]ests?|Spec|_spec|IT)?'  # `testOpen`, `JarTest`
LONG = 2_000  # characters; in so long a request lines that repeat each other are a log's
ALIKE = 2
_NUMBERS = r'\b(?=[a-f]*\d)(?:0x)?[0-9a-f]+\b|\d+'
LONGEST = 20_000  # characters of a request that are read for words
BODY = 0.25  # what a word below a title counts, or one that says how to work
MOST_DIFF = 500_000  # characters of a request that are searched for the hunks of a diff
_ONE_WORD = r'(?<![\w./\\-])[A-Za-z][a-z]{4,}(?![\w/\\-]|\.\w)'
_IDENTIFIER = re.compile(r'^[A-Za-z_$][\w$]*([.:#/]+[A-Za-z_$][\w$]*)*(\(\))?$')
_CODE_WORD = re.compile(r'[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w(?:\.|::)\w|\w\(\)')


class Request(NamedTuple):
    """A request as the ranker reads it."""

    terms: dict[int, float]
    names: tuple[str, ...]
    words: frozenset[int]  # the stems of its words, as terms
    plain: frozenset[str]  # its words as they are, in lower case; of a failing test, without `test` and the like
    shape: str  # 'symbol', 'code' (prose that holds an identifier) or 'prose'
    files: frozenset[str] = frozenset()  # what may be file names in it: `cache.h`, `src/app.py`
    leading: frozenset[int] = frozenset()  # the terms of its title; all of them where it has none
    places: tuple[tuple[str, int], ...] = ()  # lines of files that it names, as `index.frames` reads them
    hunks: tuple[Hunk, ...] = ()  # of the diffs that it holds
    message: tuple[str, ...] = ()  # the words of the error messages that it quotes
    qualified: tuple[tuple[str, str], ...] = ()  # names with the class or module that they are of


@lru_cache(maxsize=1)  # ranking reads a request, and so does who shows lines of a large function
def parse(text: str) -> Request:
    """Terms with their weights, the identifiers named, and what kind of request it is."""
    diff = _hunks(text[:MOST_DIFF])
    named = places(_plain(text[:MOST_DIFF]))
    said = as_said(text)
    title = '' if diff else title_of(said)
    wanted = said if diff else _wanted(said)
    whole = _read(without_asides(wanted) if title else wanted)
    if title:
        whole = _led(whole, _read(title), spelled(said))
    if wanted != said:
        whole = whole._replace(terms={**_in_part(_read(said).terms), **whole.terms})
    return whole._replace(
        files=whole.files | {side.path for hunk in diff for side in hunk if side.path},
        places=named,
        hunks=diff,
        message=() if diff else message(said),
        qualified=() if diff or named or _is_failing(said) else qualified_names(title or wanted),
    )


def _read(text: str) -> Request:
    """What the words of a text say, in English where they can be put into it."""
    said = translate(text)
    prefix = _PREFIX.match(said)
    plain = f'{prefix[3] or ""} {said[prefix.end() :]}' if prefix else said
    stripped = plain.strip().strip('`"\'')
    shape = 'prose'
    if _IDENTIFIER.match(stripped):
        shape = 'symbol'
    elif _CODE_WORD.search(plain):
        shape = 'code'
    terms: dict[int, float] = {}
    names = []
    failing = _is_failing(plain)
    for word in WORD.findall(plain):
        lower = word.lower()
        if lower in STOP and shape != 'symbol':
            continue
        if len(word) > 2:
            names.append(word)
        for term in split(word):
            key = term_id(term)
            terms[key] = min(terms.get(key, 0.0) + 1.0, 2.0)
        if word.isalpha() and word.islower():  # a plain word can be a whole name in the code
            terms.setdefault(term_id(whole(word)), 0.5)
    if failing:
        names += [tested for name in names for tested in _tested(name)]
    lower_words = frozenset(word.lower() for word in WORD.findall(plain))
    words = frozenset(term_id(stem(word)) for word in lower_words if word not in STOP)
    files = frozenset(found.removeprefix('./') for found in _FILE.findall(plain))
    if failing:
        files = frozenset(file for file in files if path_kind(file) != 'test')
    asked = lower_words - _TESTS if failing else lower_words
    if prefix and prefix[1].lower() in _KINDS_OF_FILES:
        asked |= {prefix[1].lower()}
    return Request(terms, tuple(dict.fromkeys(names)), words, asked, shape, files, frozenset(terms))


def _led(request: Request, title: Request, code: frozenset[str]) -> Request:
    """An issue as its title reads it; what the body adds counts for a part. A plain word of it is no name of the code,
    unless it stands in a span of `code`, and `here is the test` asks for no tests."""
    terms = _in_part(request.terms)
    for term, weight in title.terms.items():
        terms[term] = max(weight, terms.get(term, 0.0))
    names = tuple(name for name in request.names if name in title.names or name in code or not is_plain(name))
    plain = title.plain & request.plain
    return request._replace(terms=terms, names=names, plain=plain, shape=title.shape, leading=title.leading)


def _in_part(terms: dict[int, float]) -> dict[int, float]:
    return {term: weight * BODY for term, weight in terms.items()}


def vector_of(encoder: Encoder, text: str, corpus: Corpus) -> NDArray[np.float32]:
    """A request's vector, by what is said in it; a word of the code is never taken for a typing error."""
    said = as_said(text)
    if not _hunks(text[:MOST_DIFF]):
        said = title_of(said) or _wanted(said)
    return encoder.encode_query(as_written(said, corpus), corpus.has_word)


def as_written(text: str, corpus: Corpus) -> str:
    """A request as if typed with care: `fitbounds` as the code writes it (`fitBounds`), and typing errors mended.

    What is long was pasted.
    """
    if len(text) > LONG:
        return text
    return mended(re.sub(_ONE_WORD, lambda found: corpus.written(found[0]), text), corpus)


@lru_cache(maxsize=1)  # the vector is of it, and so is the ranking
def _wanted(said: str) -> str:
    """What a request is about, without how to work on it."""
    return said if _is_failing(said) else without_chores(said, foreign=translate(said) != said)


def _is_failing(text: str) -> bool:
    """Whether a text is what a program says that ran tests, of which some failed."""
    signs = ('FAIL', 'ailures:', ' failed', ' failure', 'Minitest::')
    return any(sign in text for sign in signs) and re.search(_FAILING, text) is not None


def _tested(name: str) -> Iterator[str]:
    """What a test is called after: `testOpenJar` and `TestOpenJar` are of `openJar`, `JarTest` of `Jar`."""
    found = re.fullmatch(_TESTED, name)
    if found and found[1] != name:
        yield found[1]
        yield found[1][0].swapcase() + found[1][1:]


@lru_cache(maxsize=2)
def as_said(text: str) -> str:
    """A request without what a terminal or a build server adds, and of a long one what differs, its head and its end.

    Colours split words, and the time before each line hides where a message ends. What is asked stands before or after
    a log, seldom within.
    """
    text = _plain(text)
    if len(text) > LONG:
        text = _without_repetition(text)
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return text[: text.rfind('\n', 0, half) + 1 or half] + text[text.find('\n', -half) :]


@lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """A text without colours, without times before its lines, and without words that are data.

    The patterns that read a request look back and forth within a word: one of 100 KB would take them hours.
    """
    if '\x1b' in text:
        text = re.sub(_ESCAPES, '', text)
    text = re.sub(_DATA, '', text)
    return re.sub(_TIMES, '', text) if 'Z ' in text else text


def _without_repetition(text: str) -> str:
    """A text whose lines that differ from earlier ones in numbers alone stand there no more than ALIKE times."""
    seen: dict[str, int] = {}
    out = []
    for line, shape in zip(text.split('\n'), re.sub(_NUMBERS, '0', text).split('\n'), strict=True):
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] <= ALIKE or not shape.strip():
            out.append(line)
    return '\n'.join(out)


def _hunks(text: str) -> tuple[Hunk, ...]:
    if '\n@@ -' not in text:
        return ()
    from ctxkit.index.diff import hunks

    return tuple(hunks(text))
