"""Kotlin and Scala: a file says its package itself, whatever its name and folder are, and an import names all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ctxkit.index.corpus import Corpus

LANGUAGES = frozenset({'kotlin', 'scala'})
WITH_PRIVATE = frozenset({'kotlin', 'scala', 'swift'})  # in which what is private to a file says so
MOST = 40  # definitions of one name whose files are read for their package
_HEAD = 1 << 14  # a licence and the annotations of the file come before the package
_COMMENT = re.compile(rb'/\*.*?\*/|//[^\n]*', re.S)
_WORD = re.compile(rb'@[\w.]+(?:\([^()]*\))?|\w+[\[(]?')
_DECLARES = frozenset(b'fun func def class object trait struct enum actor protocol extension init val var let'.split())
_PACKAGE = re.compile(rb'^[ \t]*package[ \t]+([\w.`]+)[ \t;\r]*$', re.M)


def package_of(corpus: Corpus, path: str) -> str:
    """The package that a file of Kotlin, Scala or Java declares; '' if it declares none.

    Scala can name it in several lines, one part in each.
    """
    return _declared(corpus.source(path)[:_HEAD])


@lru_cache(maxsize=256)
def _declared(head: bytes) -> str:
    parts = _PACKAGE.findall(_COMMENT.sub(b'', head))
    return b'.'.join(parts).decode('utf-8', 'replace').replace('`', '')


def called(corpus: Corpus, path: str, name: str, candidates: Iterable[int]) -> list[int]:
    """Those of `candidates` whose full name, with the package, is `name`; in Scala, also if it only leaves out packages
    that `path` is in.

    A companion is left out of names, and so is the type that an extension function is for. [] if more than MOST can be.
    """
    wanted = [part for part in name.split('.') if part not in ('Companion', '_root_')]
    likely: list[tuple[int, str]] = []
    for one in candidates:
        parts = _name_of(corpus, one)
        if parts == wanted[-len(parts) :]:
            likely.append((one, '.'.join(wanted[: -len(parts)])))
    if len({corpus.path(one) for one, _ in likely}) > MOST:
        return []
    here = f'{package_of(corpus, path)}.' if likely and path.endswith(('.scala', '.sc')) else ''
    return [one for one, package in likely if _is_in(package_of(corpus, corpus.path(one)), package, here)]


def hides(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether `chunk` is an extension function in which a bare name can mean a member of its type, not
    `target`, a member of a class around it."""
    receiver = corpus.place(chunk).symbol.split('.')[-2:-1]
    return _is_extension(corpus, chunk) and (
        corpus.place(target).kind == 'method'
        and not _is_extension(corpus, target)
        and corpus.place(target).symbol.split('.')[-2:-1] != receiver
    )


def _is_extension(corpus: Corpus, chunk: int) -> bool:
    return len(_name_of(corpus, chunk)) < len(corpus.place(chunk).symbol.split('.'))


def _name_of(corpus: Corpus, target: int) -> list[str]:
    """The parts of a definition's name within its package, for an extension function without the type it is for."""
    place = corpus.place(target)
    parts = place.symbol.split('.')
    around = corpus.in_file(corpus.path(target))[place.parent][1].symbol if place.parent >= 0 else ''
    return parts if '.'.join(parts[:-1]) == around else [*around.split('.'), parts[-1]] if around else parts[-1:]


def _is_in(declared: str, package: str, here: str) -> bool:
    """Whether `package` is the declared one, or means it in the package `here` (only Scala): `util` is `kit.util` in
    `kit.app`."""
    outer = declared if not package else declared.removesuffix(f'.{package}')
    return declared == package or bool(outer) and (not package or outer != declared) and here.startswith(f'{outer}.')


def without_private(corpus: Corpus, path: str, candidates: list[int]) -> list[int]:
    """`candidates` without those that are private to another file than `path`; unfiltered if above MOST.

    A private class of Scala is seen in all of its package.
    """
    if len(candidates) > MOST:
        return candidates
    return [one for one in candidates if corpus.path(one) == path or not _is_private(corpus, one)]


def _is_private(corpus: Corpus, target: int) -> bool:
    path, place = corpus.path(target), corpus.place(target)
    if place.kind == 'class' and path.endswith(('.scala', '.sc')):
        return False
    head = _COMMENT.sub(b'', corpus.source(path)[place.start_byte : place.start_byte + 400])
    for word in _WORD.findall(head):  # not `private[kit]`, nor `private(set)`
        if word in (b'private', b'fileprivate'):
            return True
        if word.rstrip(b'[(') in _DECLARES:
            return False
    return False
