"""What a name at one place of the code can mean at another: languages that mix, files and classes that are seen."""

from __future__ import annotations

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.index.terms import is_plain, whole
from ctxkit.slicing import language_of, together

# Where a method needs an object before it; where a nested class needs no name of the outer one.
EXPLICIT = frozenset('python javascript typescript tsx go rust php lua'.split())
NESTED_ARE_FREE = frozenset('javascript typescript tsx go rust php lua c cpp bash'.split())
SOURCES = frozenset('c cc cpp cxx c++ cppm ixx'.split())
# Annotations of the test frameworks of Java, Kotlin, Swift and C#.
TEST_MARKS = frozenset('Test ParameterizedTest RepeatedTest Fact Theory TestMethod TestCase'.split())
ANY = frozenset({'', 'c', 'cpp'})  # a script that its name does not tell can be of any language; many languages bind C


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
    if corpus.path(chunk).rpartition('/')[0] != corpus.path(target).rpartition('/')[0]:
        return False
    owner = corpus.place(target).symbol.rpartition('.')[0]
    return not owner or is_inside(corpus.place(chunk).symbol, owner)


def is_inside(symbol: str, owner: str) -> bool:
    """Whether code is in a class. C++ names the namespace, too, where a method stands outside of its class."""
    return f'.{owner}.' in f'.{symbol}.'


def is_other_module(corpus: Corpus, target: int, qualifier: str) -> bool:
    """Whether a module of Elixir is not the one around `target`: `MIME` is not `Plug.MIME`, if that is not nested."""
    owner = corpus.place(target).symbol.rpartition('.')[0]
    nested = [place.parent >= 0 for _, place in corpus.in_file(corpus.path(target)) if place.symbol == owner]
    return owner != qualifier and not any(nested)
