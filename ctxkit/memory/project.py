"""Write what is known into a work tree: `.ctx/memory.json`, with the anchors as of the work tree's commit."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.memory import anchors, snapshot, store
from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Anchor, Fact
from ctxkit.memory.merge import merge
from ctxkit.repo import Repo, find, resolve, worktrees
from ctxkit.safety.paths import ctx_folder, write_whole
from ctxkit.safety.secrets import env_values, redact


def write(repo: Repo, db: Connection, commit: str, changed: AbstractSet[str] = frozenset()) -> list[Fact]:
    """Merge all statements, check the anchors at `commit`, and write the snapshot; return the facts."""
    seal = store.seal(repo, db)
    known = known_secrets(repo)
    merged = [replace(fact, text=redact(fact.text, known)) for fact in merge(store.statements(db), store.rulings(db))]
    facts = checked(repo, db, merged, commit, changed)
    write_whole(own_folder(repo) / 'memory.json', snapshot.dump(facts, seal, commit))
    return facts


def known_secrets(repo: Repo) -> frozenset[str]:
    """The values in the `.env` files of all work trees: secrets whatever they look like."""
    return frozenset[str]().union(*(env_values(root) for root in worktrees(repo)))


def own_folder(repo: Repo) -> Path:
    """The `.ctx` folder of this work tree, ignored by git."""
    return ctx_folder(repo.ctx_dir)


def checked(
    repo: Repo, db: Connection, facts: list[Fact], commit: str, changed: AbstractSet[str] = frozenset()
) -> list[Fact]:
    """The facts with their anchors as of `commit`; an anchor that changed earlier keeps the commit noted then."""
    wanted = {anchor.path for fact in facts for anchor in fact.anchors}
    if not wanted or not commit:
        return facts
    noted = {_mark(fact, anchor): anchor for fact in snapshot.load(repo) for anchor in fact.anchors}
    wanted |= {anchor.path for anchor in noted.values()}
    tree = anchors.Tree(repo, commit, db, wanted | set(changed))
    out = []
    for fact in facts:
        known = tuple(
            noted.get(_mark(fact, anchor), anchor._replace(state='fresh', since='')) for anchor in fact.anchors
        )
        if fact.status in ('active', 'proposed'):
            known = tuple(_one(tree, anchor, commit, changed) for anchor in known)
        out.append(fact.with_anchors(known))
    return out


def _mark(fact: Fact, anchor: Anchor) -> tuple[str, str, str]:
    """The part of an anchor that stays the same when its unit moves to another file."""
    return fact.id, anchor.hash or anchor.path, anchor.symbol.rsplit('.', 1)[-1]


def _one(tree: anchors.Tree, anchor: Anchor, commit: str, changed: AbstractSet[str]) -> Anchor:
    found = anchors.check(tree, (anchor,), '')[0]
    if found.state == 'gone' and changed:
        moved = anchors.follow(tree, found, sorted(set(changed) & tree.blobs.keys())[:50])
        if moved.state == 'fresh':
            return moved
    if found.state != 'fresh' and not (found.since and anchors.in_history(tree, found.since)):
        return found._replace(since=anchors.changed_in(tree, found) or commit)
    return found


def write_others(repo: Repo, db: Connection) -> None:
    """Update the snapshots of the other work trees that have one. An error there is no failure here: `ctxkit doctor`
    reports it in that work tree."""
    for root in worktrees(repo):
        if root != repo.root and (root / '.ctx' / 'memory.json').is_file():
            with suppress(CtxError):
                other = find(root)
                write(other, db, resolve(other))
