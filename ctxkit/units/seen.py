"""What a name in one place of the code can mean in another: which languages mix, which files and classes it sees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.index.terms import is_plain, whole
from ctxkit.slicing import language_of, languages_interoperate
from ctxkit.slicing.chunk import FUNCTIONS

Resolution = tuple[list[int], bool]  # definitions, and whether the code itself says that they are meant

DEFINITION_KINDS = frozenset({'function', 'method', 'class'})
MAX_DEFINITIONS = 3  # a name with more gives no link by name alone
# Languages in which a method is called with an object before it, even within its class. Rust and PHP are resolved by
# modules of their own, which do not ask.
EXPLICIT = frozenset('python javascript typescript tsx go lua'.split())
ECMASCRIPT = frozenset('javascript typescript tsx vue svelte'.split())
# Languages in which a file sees of other files only what it imports by name.
MODULES = ECMASCRIPT | {'python'}
# Languages in which a nested class is visible without the name of the outer one.
NESTED_ARE_FREE = frozenset('javascript typescript tsx go lua c cpp bash'.split())
SOURCES = frozenset('c cc cpp cxx c++ cppm ixx'.split())
# Annotations that mark tests in Java, Kotlin, Swift and C#.
TEST_MARKS = frozenset('Test ParameterizedTest RepeatedTest Fact Theory TestMethod TestCase'.split())
# Languages in which methods of one class can share a name and differ in their arguments.
OVERLOADING = frozenset('java kotlin scala csharp swift'.split())
# Languages in which each function is in a class.
ALL_IN_CLASSES = frozenset({'java', 'csharp'})
# Languages that code of any other may call: '' (a script whose name tells no language), and C, which many bind.
ANY = frozenset({'', 'c', 'cpp'})
JVM = frozenset({'java', 'kotlin', 'scala'})
_SOURCE_SET = re.compile(r'(?:^|/)src/\w+/(?:java|kotlin|scala)/')
_TYPE = re.compile(rb'\s*(?:export\s+(?:default\s+)?)?(?:declare\s+)?(?:type|interface)\s')
_NAMED = re.compile(
    rb'\s*(?:@|(?:export\s+(?:default\s+)?)?(?:(?:declare|abstract|async)\s+)*(?:function|class|const|let|var|enum)\b'
    rb'|[\w$]+\s*=(?![=>]))'
)
_NAME_CHARACTER = re.compile(rb'[\w$.]')
_HEAD = 200


def as_guess(candidates: list[int]) -> Resolution:
    """`candidates` as a guess by the name alone; none if there are more than MAX_DEFINITIONS."""
    return (candidates, False) if len(candidates) <= MAX_DEFINITIONS else ([], False)


def calls_into(path: str, other: str) -> bool:
    """Whether code in `path` can mean what `other` defines: one language, two that mix, or one of ANY."""
    known = language_of(other)
    return known in ANY or not language_of(path) or languages_interoperate(path, other)


def is_hidden(path: str, other: str) -> bool:
    """Whether `other` is another source file of C or C++, not a header, so that its types are not visible in `path`."""
    return path != other and language_of(other) in ('c', 'cpp') and other.rpartition('.')[2].lower() in SOURCES


def is_test(corpus: Corpus, target: int) -> bool:
    """Whether `target` is annotated as a test: nobody calls it, though it may have the name of what it tests."""
    return path_kind(corpus.path(target)) == 'test' and any(
        one.kind == 'call' and one.name in TEST_MARKS for one in corpus.references(target)
    )


def is_only_type(corpus: Corpus, target: int) -> bool:
    """Whether `target` is an interface or type alias of TypeScript: there is nothing to call."""
    path, place = corpus.path(target), corpus.place(target)
    if place.kind != 'class' or language_of(path) not in ECMASCRIPT:
        return False
    return _TYPE.match(corpus.source(path)[place.start_byte : place.start_byte + _HEAD]) is not None


def is_free(corpus: Corpus, target: int, line: int) -> bool:
    """Whether a bare name in `line` of the same file can mean `target`; always True but for JavaScript and its kin.

    In these, a type cannot be called, a property (`{ f() {} }`, `a.b.f = function () {}`) needs its object, and a
    definition in a block is visible only in that block: where all lines in between are indented at least as deep.
    """
    path, place = corpus.path(target), corpus.place(target)
    if language_of(path) not in ECMASCRIPT:
        return True
    source = corpus.source(path)
    head = source[place.start_byte : place.start_byte + _HEAD]
    if not _NAMED.match(head) or is_only_type(corpus, target):
        return False
    depths = _depths(source)
    depth = depths[place.start_line - 1]
    return not depth or min(depths[min(line, place.start_line) - 1 : max(line, place.start_line)]) >= depth


@lru_cache(maxsize=2)  # needed for each call in a file
def _depths(source: bytes) -> list[int]:
    """The indent of each line in bytes; a blank line counts as deeper than any."""
    return [len(row) - len(row.lstrip()) if row.strip() else len(source) for row in source.split(b'\n')]


def is_bound(corpus: Corpus, path: str, name: str) -> bool:
    """Whether a file contains `name` other than in calls: as a parameter, a variable, a part of a destructured object.

    Then a call of it does not mean another file's function, even if the build imports names automatically.
    """
    source = corpus.source(path)
    # The character before is checked afterwards: a pattern that begins with a literal is four times as fast.
    found = re.finditer(re.escape(name.encode('utf-8', 'surrogateescape')) + rb'(?![\w$])(?!\s*[(<!`])', source)
    return any(not _NAME_CHARACTER.match(source[one.start() - 1 : one.start()]) for one in found)


def is_named_after(variable: str, type_: str) -> bool:
    """Whether a variable has the name of a type: `userRepo` and `user_repo` that of `UserRepo`.

    One plain word is not enough: a `client` can be an `AsyncClient` as well as a `Client`.
    """
    return variable == type_ or not is_plain(variable) and whole(variable) == whole(type_)


def owner_of(place: Place) -> str:
    """The name of the class (or function) that a definition belongs to; '' at top level."""
    return place.symbol.rpartition('.')[0].rpartition('.')[2]


def guessed_method(corpus: Corpus, candidates: Sequence[int], receiver: str) -> Resolution:
    """The methods among `candidates`, as a guess by name; only one of them if it alone is of a class that the receiver
    is named after."""
    methods = [one for one in candidates if corpus.place(one).kind == 'method']
    typed = [one for one in methods if receiver and is_named_after(receiver, owner_of(corpus.place(one)))]
    return as_guess(typed if len(typed) == 1 else methods)


def shared_folders(path: str, other: str) -> int:
    """How many leading folders two paths share: of two files that a name can mean, the nearer one is meant."""
    pairs = zip(path.split('/'), other.split('/'), strict=False)
    return next((depth for depth, (one, two) in enumerate(pairs) if one != two), 0)


def is_class(corpus: Corpus, path: str, symbol: str) -> bool:
    """Whether a file defines a class of that symbol."""
    return any(
        corpus.place(one).kind == 'class' and corpus.place(one).symbol == symbol and corpus.path(one) == path
        for one in corpus.defining(symbol.rpartition('.')[2])
    )


def is_reachable(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether a bare name in `chunk` can mean `target` of the same file: not a member of another class or function."""
    place, goal, language = corpus.place(chunk), corpus.place(target), language_of(corpus.path(chunk))
    if goal.kind == 'method' and language in EXPLICIT:
        return False
    owner = goal.symbol.rpartition('.')[0]
    if not owner:
        return True
    if is_inside(place.symbol, owner):
        return language not in OVERLOADING or not _is_of_another_overload(corpus, chunk, target)
    if goal.kind != 'class' or language not in NESTED_ARE_FREE:
        return False
    return not any(one.symbol == owner and one.kind != 'class' for _, one in corpus.in_file(corpus.path(target)))


def _is_of_another_overload(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether `target` is within a function that `chunk` is not in, though it is in one of the same name."""
    place, goal = corpus.place(chunk), corpus.place(target)
    if goal.parent < 0:
        return False
    where = corpus.file(corpus.path(target))
    if where is None:
        return False
    around = corpus.place(corpus.numbers(*where)[goal.parent])
    return around.kind in FUNCTIONS and not around.start_byte <= place.start_byte < around.end_byte


def is_beside(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether a bare name in `chunk` can mean `target` in the same folder: at top level, or in the class around."""
    if _package(corpus.path(chunk)) != _package(corpus.path(target)):
        return False
    goal = corpus.place(target)
    owner = goal.symbol.rpartition('.')[0]
    if not owner and goal.kind != 'class' and language_of(corpus.path(target)) in ALL_IN_CLASSES:
        return False  # the parser lost its class to a syntax error
    return not owner or is_inside(corpus.place(chunk).symbol, owner)


def _package(path: str) -> str:
    """The folder whose files share a namespace: src/main/java/a/b and src/test/java/a/b are one package."""
    folder = path.rpartition('/')[0]
    found = _SOURCE_SET.search(folder) if language_of(path) in JVM else None
    return folder[found.end() :] if found else folder


def is_inside(symbol: str, owner: str) -> bool:
    """Whether the code named `symbol` is in `owner`, at any depth.

    `owner` need not come first: C++ puts the namespace before it where a method is defined outside its class.
    """
    return f'.{owner}.' in f'.{symbol}.'


def is_bound_elsewhere(corpus: Corpus, chunk: int, path: str, name: str) -> bool:
    """Whether a name that the file defines is imported only inside functions, and not in the one around `chunk`."""
    if not any(corpus.path(one) == path and corpus.place(one).symbol == name for one in corpus.defining(name)):
        return False
    symbol = corpus.place(chunk).symbol
    importing = [
        place
        for number, place in corpus.in_file(path)
        if any(one.kind == 'import' and (one.alias or one.name) == name for one in corpus.references(number))
    ]
    return all(place.kind in FUNCTIONS and not is_inside(symbol, place.symbol) for place in importing)
