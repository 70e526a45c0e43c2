"""Recall for programs that inject context: the units that a request is about, those that just changed first."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit import config, tokens
from ctxkit import repo as git
from ctxkit.index.repair import repairing
from ctxkit.index.store import Store
from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.units import stream
from ctxkit.units.shown import Unit

if TYPE_CHECKING:
    from ctxkit.index.corpus import Corpus
    from ctxkit.units.candidate import Candidate

BUDGET = 3600  # tokens; the documents that ctxkit was created from saw no gain above 4,000
TOP_K = 7
PERTINENT = 50  # best candidates; one that just changed comes first only if it is among them


def get_topical_units(
    query: str, budget: int = BUDGET, top_k: int = TOP_K, *, root: str | Path | None = None
) -> list[Unit]:
    """At most `top_k` units for `query` within `budget` tokens, from the repository around `root` (default: here).

    What changed within the last minutes (`units.recent_minutes`, five) and is pertinent comes first, by relevance;
    then the rest of the tree by relevance, uncommitted edits included. Without a query: what is hottest. Texts have
    passed the secret filter; `unit.to_xml()` is safe to put into a prompt. Indexes what is not indexed yet, so the
    first call in a repository can take seconds. Raises NotARepository, and CtxError for what a person can fix.
    """
    repo = git.find(Path(root) if root is not None else Path.cwd())
    settings = config.load(repo.ctx_dir / 'config.yaml', config.environment())
    return topical_units(repo, settings, query, budget, top_k, time.time())


@repairing
def topical_units(repo: Repo, settings: Settings, query: str, budget: int, top_k: int, now: float) -> list[Unit]:
    """Like `get_topical_units`, for a given repository, settings and time (`now`, epoch seconds)."""
    from ctxkit.feedback.state import stepped_down

    tree = git.snapshot(repo)
    paths_only = stepped_down(repo, now)
    if not query.strip():
        from ctxkit.units.without_request import select_without_request

        units, _ = select_without_request(repo, settings, tree, budget, now, tokens.count, paths_only)
        return list(units[:top_k])
    from ctxkit.embedding import encoder_for
    from ctxkit.index.current import open_current
    from ctxkit.index.request import vector_of
    from ctxkit.safety.secrets import env_values
    from ctxkit.units import recall, select

    encoder = encoder_for(settings.model.name)
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, tree.commit, tree.changes, now)
        fresh = _fresh(corpus, settings, now)
        found = recall.for_block(corpus, query, vector_of(encoder, query, corpus), hot=fresh)
        ordered = _fresh_first(found, fresh)
        known = env_values(repo.root)
        chosen = select.select(corpus, ordered, budget, tokens.count, top_k, known, paths_only, recall.terms(query))
    return list(chosen.units[:top_k])


def _fresh_first(found: list[Candidate], fresh: frozenset[int]) -> list[Candidate]:
    first = [one for one in found[:PERTINENT] if one.chunk in fresh]
    taken = {one.chunk for one in first}
    return first + [one for one in found if one.chunk not in taken]


def _fresh(corpus: Corpus, settings: Settings, now: float) -> frozenset[int]:
    """The chunks that changed within the last minutes: by the stream, and without a watcher, by the files' times."""
    from ctxkit.units import recall

    since = now - settings.units.recent_minutes * 60
    recent = stream.read(corpus.repo.ctx_dir / 'units.jsonl', since)
    return recall.hot_chunks(
        corpus, recent, [path for path in corpus.edited if _saved_after(corpus.repo.root / path, since)]
    )


def _saved_after(file: Path, since: float) -> bool:
    try:
        return os.lstat(file).st_mtime >= since
    except OSError:
        return False
