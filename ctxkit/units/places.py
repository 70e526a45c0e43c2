"""Search: ranked places for a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.embedding import encoder_for
from ctxkit.in_thread import in_thread
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_current
from ctxkit.index.repair import repairing
from ctxkit.index.request import vector_of
from ctxkit.index.search import SEARCH, rank
from ctxkit.index.store import Store
from ctxkit.repo import Change, Repo
from ctxkit.safety.secrets import env_values, redact
from ctxkit.settings import Settings
from ctxkit.units.candidate import Candidate
from ctxkit.units.change_words import changes_meant, without_commits
from ctxkit.units.score import is_aside, kind_rank


class FoundPlace(NamedTuple):
    """A ranked place; `head` is its first line if it has no symbol, else ''."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    score: float
    head: str = ''


@repairing
def find_places(repo: Repo, settings: Settings, query: str, limit: int, under: str, now: float) -> list[FoundPlace]:
    """The best `limit` places for `query` below the folder `under` ('' for all), best first, symbols redacted."""
    waiting = in_thread(lambda: git.snapshot(repo))
    encoder_for(settings.model.name)  # loaded while git looks at the work tree
    known = env_values(repo.root)
    tree = waiting()
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, tree.commit, tree.changes, now)
        out = []
        for hit in _ranked(corpus, settings, query, tree.changes, under, now)[:limit]:
            place = corpus.place(hit.chunk)
            out.append(
                FoundPlace(
                    corpus.path(hit.chunk),
                    place.start_line,
                    place.end_line,
                    redact(place.symbol, known),
                    place.kind,
                    round(hit.score, 4),
                    '' if place.symbol else _head(corpus, hit.chunk, known),
                )
            )
    return out


def _ranked(
    corpus: Corpus, settings: Settings, query: str, changes: Sequence[Change], under: str, now: float
) -> list[Candidate]:
    """What a query leads to, best first; where it is about changes alone, what they touched, code first."""
    meant, touched = changes_meant(query), dict[int, str]()
    if meant:
        from ctxkit.units import asked_changes, recall  # not needed for most queries

        if asked_changes.is_about_git(corpus):
            meant = meant.exactly_named()
        touched = asked_changes.touched(corpus, settings, meant, changes, now)
        if meant.own and changes:
            touched = dict.fromkeys(sorted(recall.hot_chunks(corpus, (), corpus.edited)), '') | touched
    if touched and meant.alone:
        paths = {one: corpus.path(one) for one in touched}
        inside = [one for one, path in paths.items() if not under or f'{path}/'.startswith(f'{under}/')]
        inside.sort(key=lambda one: (is_aside(paths[one]), kind_rank(corpus.place(one).kind, paths[one]) > 1))
        return [Candidate(one, 1.0, touched[one]) for one in inside]
    if touched:
        query = without_commits(query)
    vector = vector_of(encoder_for(settings.model.name), query, corpus)
    found = [Candidate(hit.chunk, hit.score, '') for hit in rank(corpus, query, SEARCH, vector, under=under)]
    return asked_changes.lifted(found, touched) if touched else found


def _head(corpus: Corpus, chunk: int, known: frozenset[str]) -> str:
    from ctxkit.units.code import clean_code, first_line  # not needed for most places, which have a symbol

    return first_line(clean_code(corpus.place(chunk), corpus.source(corpus.path(chunk)), known))
