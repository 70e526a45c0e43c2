"""What a name at one place of the code can mean at another: languages that mix, files and classes that are seen."""

from __future__ import annotations

import re
from functools import lru_cache

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.index.terms import is_plain, whole
from ctxkit.slicing import language_of, together

Meant = tuple[list[int], bool]  # definitions, and whether the code itself says that they are meant

DEFINITION_KINDS = frozenset({'function', 'method', 'class'})
MAX_DEFINITIONS = 3  # a name with more links nothing by name
# Where a method needs an object before it; where a nested class needs no name of the outer one.
EXPLICIT = frozenset('python javascript typescript tsx go rust php lua'.split())
ECMASCRIPT = frozenset('javascript typescript tsx vue svelte'.split())
# Where nothing of another file is seen that is not imported by its name.
MODULES = ECMASCRIPT | {'python'}
NESTED_ARE_FREE = frozenset('javascript typescript tsx go rust php lua c cpp bash'.split())
SOURCES = frozenset('c cc cpp cxx c++ cppm ixx'.split())
# Annotations of the test frameworks of Java, Kotlin, Swift and C#.
TEST_MARKS = frozenset('Test ParameterizedTest RepeatedTest Fact Theory TestMethod TestCase'.split())
# Where several methods of one class can have one name, which the arguments tell apart.
OVERLOADING = frozenset('java kotlin scala csharp swift'.split())
ANY = frozenset({'', 'c', 'cpp'})  # a script that its name does not tell can be of any language; many languages bind C
JVM = frozenset({'java', 'kotlin', 'scala'})
_SOURCE_SET = re.compile(r'(?:^|/)src/\w+/(?:java|kotlin|scala)/')
_TYPE = re.compile(rb'\s*(?:export\s+(?:default\s+)?)?(?:declare\s+)?(?:type|interface)\s')
_NAMED = re.compile(
    rb'\s*(?:@|(?:export\s+(?:default\s+)?)?(?:(?:declare|abstract|async)\s+)*(?:function|class|const|let|var|enum)\b'
    rb'|[\w$]+\s*=(?![=>]))'
)
_INNER = re.compile(rb'[\w$.]')
_HEAD = 200


def guessed(candidates: list[int]) -> Meant:
    """What a reference may mean by its name alone; too many are none."""
    return (candidates, False) if len(candidates) <= MAX_DEFINITIONS else ([], False)


def calls_into(path: str, other: str) -> bool:
    """Whether code of a file can mean what another one defines: of one language, of two that mix, or what binds C."""
    known = language_of(other)
    return known in ANY or not language_of(path) or together(path, other)


def is_hidden(path: str, other: str) -> bool:
    """Whether a type of another file is not to be seen, since that is no header: of C and C++."""
    return path != other and language_of(other) in ('c', 'cpp') and other.rpartition('.')[2].lower() in SOURCES


def is_test(corpus: Corpus, target: int) -> bool:
    """Whether a method is a test by what stands above it: nobody calls it, though it is named after what it tests."""
    return path_kind(corpus.path(target)) == 'test' and any(
        one.kind == 'call' and one.name in TEST_MARKS for one in corpus.references(target)
    )


def is_only_type(corpus: Corpus, target: int) -> bool:
    """Whether a definition of TypeScript is an interface or the name of a type: there is nothing to call."""
    path, place = corpus.path(target), corpus.place(target)
    if place.kind != 'class' or language_of(path) not in ECMASCRIPT:
        return False
    return _TYPE.match(corpus.source(path)[place.start_byte : place.start_byte + _HEAD]) is not None


def is_free(corpus: Corpus, target: int, line: int) -> bool:
    """Whether the name alone can mean a definition of the same file, in a line of it.

    In JavaScript no type can be called, what is a property (`{ f() {} }`, `a.b.f = function () {}`) needs its object,
    and what stands in a block is seen within that alone: in the lines around it that are indented at least as deep.
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


@lru_cache(maxsize=2)  # each call in a file asks for it
def _depths(source: bytes) -> list[int]:
    """How far each line is indented; what is blank, further than any."""
    return [len(row) - len(row.lstrip()) if row.strip() else len(source) for row in source.split(b'\n')]


def is_bound(corpus: Corpus, path: str, name: str) -> bool:
    """Whether a file holds a name other than where it calls it: a parameter, a variable, what an object is taken apart
    into. A call of it is none of another file's function, even where names are imported for a file unasked."""
    source = corpus.source(path)
    # What stands before is looked at afterwards: a pattern that begins with a word is found four times as fast.
    found = re.finditer(re.escape(name.encode('utf-8', 'surrogateescape')) + rb'(?![\w$])(?!\s*[(<!`])', source)
    return any(not _INNER.match(source[one.start() - 1 : one.start()]) for one in found)


def is_named_after(variable: str, type_: str) -> bool:
    """Whether a call on a variable is one on a type: `userRepo` and `user_repo` are a `UserRepo`, while a `client` can
    be an `AsyncClient` too."""
    return variable == type_ or not is_plain(variable) and whole(variable) == whole(type_)


def owner_of(place: Place) -> str:
    """The class that a definition is of; '' at top level."""
    return place.symbol.rpartition('.')[0].rpartition('.')[2]


def shared_folders(path: str, other: str) -> int:
    """How many folders two paths begin with: of two modules that hold the same package the nearer is meant."""
    pairs = zip(path.split('/'), other.split('/'), strict=False)
    return next((depth for depth, (one, two) in enumerate(pairs) if one != two), 0)


def is_reachable(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether a bare name in `chunk` can mean `target` of the same file: not what another class or function has."""
    place, goal, language = corpus.place(chunk), corpus.place(target), language_of(corpus.path(chunk))
    if goal.kind == 'method' and language in EXPLICIT:
        return False
    owner = goal.symbol.rpartition('.')[0]
    if not owner or is_inside(place.symbol, owner):
        return True
    if goal.kind != 'class' or language not in NESTED_ARE_FREE:
        return False
    return not any(one.symbol == owner and one.kind != 'class' for _, one in corpus.in_file(corpus.path(target)))


def is_beside(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether a bare name in `chunk` can mean `target` of the same folder, at top level or of the class around."""
    if _package(corpus.path(chunk)) != _package(corpus.path(target)):
        return False
    owner = corpus.place(target).symbol.rpartition('.')[0]
    return not owner or is_inside(corpus.place(chunk).symbol, owner)


def _package(path: str) -> str:
    """The folder whose files share a namespace: src/main/java/a/b and src/test/java/a/b are one package."""
    folder = path.rpartition('/')[0]
    found = _SOURCE_SET.search(folder) if language_of(path) in JVM else None
    return folder[found.end() :] if found else folder


def is_inside(symbol: str, owner: str) -> bool:
    """Whether code is in a class. C++ names the namespace, too, where a method stands outside of its class."""
    return f'.{owner}.' in f'.{symbol}.'


def is_other_module(corpus: Corpus, target: int, qualifier: str) -> bool:
    """Whether a module of Elixir is not the one around `target`: `MIME` is not `Plug.MIME`, if that is not nested."""
    owner = corpus.place(target).symbol.rpartition('.')[0]
    nested = [place.parent >= 0 for _, place in corpus.in_file(corpus.path(target)) if place.symbol == owner]
    return owner != qualifier and not any(nested)
