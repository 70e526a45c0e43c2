"""Read a request: its terms, the names in it, and whether it is prose, contains code, or is a bare symbol."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.embedding.terms import translate
from ctxkit.index.chores import without_chores
from ctxkit.index.frames import places
from ctxkit.index.issue import spelled, title_of, without_asides
from ctxkit.index.literals import Literal, literals
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
_KINDS_OF_FILES = frozenset({'ci', 'doc', 'docs'})  # prefixes that say where the change is, not what kind it is
_FILE = re.compile(r'(?<![\w/.-])[\w./-]*\w\.[A-Za-z]\w{0,4}(?![\w(])')
# Compiled when first used.
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
LONG = 2_000  # characters; a longer request was pasted, and similar lines in it come from a log
ALIKE = 2  # lines that differ in numbers alone of which so many are kept
_NUMBERS = r'\b(?=[a-f]*\d)(?:0x)?[0-9a-f]+\b|\d+'
LONGEST = 20_000  # characters of a request that are read for words
BODY = 0.25  # weight of a word below a title, or in a sentence that says how to work
MOST_DIFF = 500_000  # characters of a request that are searched for the hunks of a diff
_ONE_WORD = r'(?<![\w./\\-])[A-Za-z][a-z]{4,}(?![\w/\\-]|\.\w)'
_IDENTIFIER = re.compile(r'^[A-Za-z_$][\w$]*([.:#/]+[A-Za-z_$][\w$]*)*(\(\))?$')
_CODE_WORD = re.compile(r'[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w(?:\.|::)\w|\w\(\)')


class Request(NamedTuple):
    """A request as the ranking needs it; `terms` maps each term to its weight."""

    terms: dict[int, float]
    names: tuple[str, ...]
    words: frozenset[int]  # the term ids of its stemmed words
    plain: frozenset[str]  # its words in lower case; in the output of a failing test, without `test` and the like
    shape: str  # 'symbol', 'code' (prose that holds an identifier) or 'prose'
    files: frozenset[str] = frozenset()  # possible file names in it: `cache.h`, `src/app.py`
    leading: frozenset[int] = frozenset()  # the terms of its title; all terms if it has no title
    places: tuple[tuple[str, int], ...] = ()  # lines of files that it names, as `index.frames` reads them
    hunks: tuple[Hunk, ...] = ()  # of the diffs in it
    message: tuple[str, ...] = ()  # the words of the error messages that it quotes
    qualified: tuple[tuple[str, str], ...] = ()  # names with the class or module that they are of
    literals: tuple[Literal, ...] = ()  # flags, routes and other text that the code holds in quotes


@lru_cache(maxsize=1)  # both ranking and excerpts of large functions need it
def parse(text: str) -> Request:
    """Read a request: its weighted terms, the names in it, what it quotes, and of which shape it is."""
    diff = _hunks(text[:MOST_DIFF])
    named = places(_plain(text[:MOST_DIFF]))
    cleaned = without_noise(text)
    title = '' if diff else title_of(cleaned)
    wanted = cleaned if diff else _wanted(cleaned)
    whole = _read(without_asides(wanted) if title else wanted)
    if title:
        whole = _read_by_title(whole, _read(title), spelled(cleaned))
    if wanted != cleaned:
        whole = whole._replace(terms={**_body_weights(_read(cleaned).terms), **whole.terms})
    return whole._replace(
        files=whole.files | {side.path for hunk in diff for side in hunk if side.path},
        places=named,
        hunks=diff,
        message=() if diff else message(cleaned),
        qualified=() if diff or named or _is_failing(cleaned) else qualified_names(title or wanted),
        literals=() if diff or _is_failing(cleaned) else literals(title or wanted),
    )


def _read(text: str) -> Request:
    """The terms, names and shape of a text, with English words added for those that can be translated."""
    translated = translate(text)
    prefix = _PREFIX.match(translated)
    plain = f'{prefix[3] or ""} {translated[prefix.end() :]}' if prefix else translated
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
        if word.isalpha() and word.islower():  # a plain word can be a complete name in the code
            terms.setdefault(term_id(whole(word)), 0.5)
    if failing:
        names += [tested for name in names for tested in _tested(name)]
    lower_words = frozenset(word.lower() for word in WORD.findall(plain))
    words = frozenset(term_id(stem(word)) for word in lower_words if word not in STOP)
    files = frozenset(found.removeprefix('./') for found in _FILE.findall(plain))
    if failing:
        files = frozenset(file for file in files if path_kind(file) != 'test')
    asking_words = lower_words - _TESTS if failing else lower_words
    if prefix and prefix[1].lower() in _KINDS_OF_FILES:
        asking_words |= {prefix[1].lower()}
    return Request(terms, tuple(dict.fromkeys(names)), words, asking_words, shape, files, frozenset(terms))


def _read_by_title(request: Request, title: Request, code: frozenset[str]) -> Request:
    """An issue read by its `title`; what the rest of `request` adds counts only in part (BODY).

    A plain word in the body is not taken for a name unless it is among `code`, the words of its code spans; and a body
    with `here is the test` does not ask for tests.
    """
    terms = _body_weights(request.terms)
    for term, weight in title.terms.items():
        terms[term] = max(weight, terms.get(term, 0.0))
    names = tuple(name for name in request.names if name in title.names or name in code or not is_plain(name))
    plain = title.plain & request.plain
    return request._replace(terms=terms, names=names, plain=plain, shape=title.shape, leading=title.leading)


def _body_weights(terms: dict[int, float]) -> dict[int, float]:
    return {term: weight * BODY for term, weight in terms.items()}


def vector_of(encoder: Encoder, text: str, corpus: Corpus) -> NDArray[np.float32]:
    """The vector of a request, or of its title if it is an issue; a word of the code is never corrected as a typo."""
    wanted = without_noise(text)
    if not _hunks(text[:MOST_DIFF]):
        wanted = title_of(wanted) or _wanted(wanted)
    return encoder.encode_query(in_code_spelling(wanted, corpus), corpus.has_word)


def in_code_spelling(text: str, corpus: Corpus) -> str:
    """A request with names as the code writes them (`fitBounds` for `fitbounds`) and typing errors corrected.

    A request of more than LONG characters was pasted, not typed, and is returned unchanged.
    """
    if len(text) > LONG:
        return text
    return mended(re.sub(_ONE_WORD, lambda found: corpus.written(found[0]), text), corpus)


@lru_cache(maxsize=1)  # needed for the vector and for the ranking
def _wanted(cleaned: str) -> str:
    """A request without the sentences that say how to work; unchanged if it is the output of failing tests."""
    return cleaned if _is_failing(cleaned) else without_chores(cleaned, foreign=translate(cleaned) != cleaned)


def _is_failing(text: str) -> bool:
    """Whether a text is the output of a test runner with failed tests."""
    signs = ('FAIL', 'ailures:', ' failed', ' failure', 'Minitest::')
    return any(sign in text for sign in signs) and re.search(_FAILING, text) is not None


def _tested(name: str) -> Iterator[str]:
    """Names of what a test is named after: `openJar` and `OpenJar` for `testOpenJar`, `Jar` and `jar` for `JarTest`."""
    found = re.fullmatch(_TESTED, name)
    if found and found[1] != name:
        yield found[1]
        yield found[1][0].swapcase() + found[1][1:]


@lru_cache(maxsize=2)
def without_noise(text: str) -> str:
    """A request without what terminals and build servers add; a long one without repetition, and cut to head and end.

    Colours split words, and the time before each line hides where a message ends. What a person asks stands before or
    after a log, seldom within.
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
    """A text without colours, times before its lines, and words that are data, such as base64.

    The patterns that read a request look back and forth within a word: one of 100 KB would take them hours.
    """
    if '\x1b' in text:
        text = re.sub(_ESCAPES, '', text)
    text = re.sub(_DATA, '', text)
    return re.sub(_TIMES, '', text) if 'Z ' in text else text


def _without_repetition(text: str) -> str:
    """A text in which at most ALIKE lines that differ only in numbers are kept."""
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
