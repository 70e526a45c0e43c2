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
from ctxkit.units.change_words import Meant, changes_meant
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
    encoder = encoder_for(settings.model.name)
    known = env_values(repo.root)
    tree = waiting()
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, tree.commit, tree.changes, now)
        out = []
        vector = vector_of(encoder, query, corpus)
        ranked = [Candidate(hit.chunk, hit.score, '') for hit in rank(corpus, query, SEARCH, vector, under=under)]
        if meant := changes_meant(query):
            ranked = _of_changes(ranked, corpus, settings, meant, tree.changes, under, now)
        for hit in ranked[:limit]:
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


def _of_changes(
    ranked: list[Candidate],
    corpus: Corpus,
    settings: Settings,
    meant: Meant,
    changes: Sequence[Change],
    under: str,
    now: float,
) -> list[Candidate]:
    """What the changes touched of which a request speaks, if it is about nothing else; else `ranked`, with that
    raised."""
    from ctxkit.units import asked_changes, recall  # not needed for most requests

    if asked_changes.is_about_git(corpus):
        meant = meant.exactly_named()
    touched = asked_changes.touched(corpus, settings, meant, changes, now)
    if meant.own and changes:
        touched = dict.fromkeys(sorted(recall.hot_chunks(corpus, (), corpus.edited)), '') | touched
    if not meant.alone or not touched:
        return asked_changes.lifted(ranked, touched)
    inside = [one for one in touched if not under or f'{corpus.path(one)}/'.startswith(f'{under}/')]
    inside.sort(key=lambda one: (is_aside(corpus.path(one)), kind_rank(corpus.place(one).kind, corpus.path(one)) > 1))
    return [Candidate(one, 1.0, touched[one]) for one in inside]


def _head(corpus: Corpus, chunk: int, known: frozenset[str]) -> str:
    from ctxkit.units.code import clean_code, first_line  # not needed for most places, which have a symbol

    return first_line(clean_code(corpus.place(chunk), corpus.source(corpus.path(chunk)), known))
