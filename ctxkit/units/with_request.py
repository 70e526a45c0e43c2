"""Select the units for a request from the whole tree, uncommitted edits included."""

from __future__ import annotations

from collections.abc import Callable

from ctxkit.embedding import encoder_for
from ctxkit.index.current import open_current
from ctxkit.index.repair import repairing
from ctxkit.index.request import vector_of
from ctxkit.index.store import Store
from ctxkit.repo import Repo, WorkTree
from ctxkit.safety.secrets import env_values
from ctxkit.settings import Settings
from ctxkit.units import recall, select, stream
from ctxkit.units.change_words import changes_meant, without_commits
from ctxkit.units.work_orders import is_work_order


@repairing
def select_with_request(
    repo: Repo,
    settings: Settings,
    query: str,
    tree: WorkTree,
    room: int,
    now: float,
    count: Callable[[str], int],
    paths_only: bool,
    make: bool = True,
) -> select.Selection | None:
    """The units for a request that fit `room` tokens; None if the request has nothing to do with this code, or if it is
    about what changed last.

    Raises NotIndexed if HEAD is not indexed yet and `make` is False.
    """
    meant = changes_meant(query)
    # one or two words of such work can be a name (`merge`, `diff tool`)
    no_code = meant.alone or len(query.split()) > 2 and is_work_order(query)
    touched: dict[int, str] = {}
    encoder = encoder_for(settings.model.name)
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings, tree.commit, tree.changes, now, make)
        if meant or no_code:
            from ctxkit.units import asked_changes

            if asked_changes.is_about_git(corpus):
                meant = meant.exactly_named()
                no_code = meant.alone
            if no_code:
                return asked_changes.select_of_changes(corpus, settings, meant, tree, room, now, count, paths_only)
            if touched := asked_changes.touched(corpus, settings, meant, tree.changes, now):
                query = without_commits(query)
        vector = vector_of(encoder, query, corpus)
        if settings.model.name == 'bundled' and not (meant or recall.is_about(corpus, query, vector)):
            return None
        recent = stream.read(repo.ctx_dir / 'units.jsonl', now - settings.units.recent_minutes * 60)
        written = [unit for unit in recent if unit.event in recall.FRESH_EVENTS]
        hot = recall.hot_chunks(corpus, written, corpus.edited)
        candidates = recall.for_block(corpus, query, vector, hot=hot)
        if touched:
            candidates = asked_changes.lifted(candidates, touched)
        known, terms = env_values(repo.root), recall.terms(query)
        return select.select(corpus, candidates, room, count, settings.units.top_k, known, paths_only, terms)
