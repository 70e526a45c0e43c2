"""The languages with rules of their own for what a name means."""

from __future__ import annotations

from collections.abc import Callable

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference, language_of
from ctxkit.units import go
from ctxkit.units.imported import binding
from ctxkit.units.seen import Resolution


def by_language(
    corpus: Corpus, chunk: int, path: str, reference: Reference, candidates: Callable[[], list[int]]
) -> Resolution | None:
    """What the rules of the language of `path` say; None if it has none, or leaves it to those for all languages.

    `candidates` gives the definitions that the reference can mean at all. The rules are imported where they are needed,
    for no other language needs what they take to begin with.
    """
    match language_of(path):
        case 'rust':
            from ctxkit.units import rust

            return rust.resolve(corpus, chunk, reference, candidates)
        case 'php':
            from ctxkit.units import php

            return php.resolve(corpus, chunk, reference, candidates)
        case 'elixir':
            from ctxkit.units import elixir

            return elixir.resolve(corpus, chunk, reference, candidates())
        case 'ruby':
            from ctxkit.units import ruby

            return ruby.resolve(corpus, chunk, reference, candidates())
        case 'go':
            return go.resolve(corpus, chunk, reference, candidates())
    return None


def narrowed(
    corpus: Corpus, chunk: int, path: str, reference: Reference, candidates: list[int]
) -> tuple[list[int], Resolution | None]:
    """(those of `candidates` that the rules of the language leave, what these say; None for what others must)."""
    language, head = language_of(path), reference.qualifier.partition('.')[0]
    if language == 'lua' and reference.kind == 'call':
        from ctxkit.units import lua

        candidates = lua.possible(corpus, chunk, reference, candidates)
        return candidates, lua.resolve(corpus, chunk, reference, candidates)
    if language == 'csharp' and binding(corpus, path, head or reference.name) is None:
        from ctxkit.units import csharp

        candidates = csharp.possible(corpus, chunk, reference, candidates)
        return candidates, csharp.resolve(corpus, chunk, reference, candidates)
    return candidates, None
