"""Anchors for what was said in the past: the code as it was at the time, found with few git calls."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass

from ctxkit.memory.anchors import Tree, mentions, resolve, units_of
from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Anchor
from ctxkit.repo import Repo, blobs, git, text

MAX_HISTORY = 20_000
MAX_PAST_TREES = 30


@dataclass(frozen=True)
class Said:
    """A text that may mention code, and the time `when` it was said."""

    text: str
    when: float


def bind(repo: Repo, db: Connection, tip: str, said: Mapping[str, Said]) -> dict[str, tuple[Anchor, ...]]:
    """The anchors by key, with the hashes of the code at the time. Code that has vanished since is bound as it was."""
    if not tip or not said:
        return {}
    tree = Tree(repo, tip, db)
    found = resolve(tree, {key: item.text for key, item in said.items()})
    history = _history(repo, tip)
    commits = {key: _at(history, item.when) or tip for key, item in said.items()}
    out = _as_of(repo, tree, found, commits)
    missing: dict[str, dict[str, str]] = {}
    for key, item in said.items():
        paths, names = mentions(item.text)
        if commits[key] != tip and len(out.get(key, ())) < len(paths) + len(names):
            missing.setdefault(commits[key], {})[key] = item.text
    for commit, texts in list(missing.items())[-MAX_PAST_TREES:]:
        for key, anchors in resolve(Tree(repo, commit, db), texts).items():
            known = {(anchor.path, anchor.symbol) for anchor in out.get(key, ())}
            symbols = {anchor.symbol for anchor in out.get(key, ()) if anchor.symbol}
            # A unit that has moved since was already found at the tip, under the same symbol.
            out[key] = (
                *out.get(key, ()),
                *(
                    anchor
                    for anchor in anchors
                    if (anchor.path, anchor.symbol) not in known and anchor.symbol not in symbols
                ),
            )
    return out


def _history(repo: Repo, tip: str) -> list[tuple[int, str]]:
    """(commit time, commit) of the first-parent history, oldest first."""
    output = text(
        git(repo, 'rev-list', '--first-parent', '--timestamp', f'--max-count={MAX_HISTORY}', tip, check=False)
    )
    return sorted((int(stamp), commit) for stamp, _, commit in (line.partition(' ') for line in output.splitlines()))


def _at(history: list[tuple[int, str]], when: float) -> str:
    at = bisect.bisect_right(history, (int(when), '~'))
    return history[at - 1][1] if at else history[0][1] if history else ''


def _as_of(
    repo: Repo, tree: Tree, found: Mapping[str, tuple[Anchor, ...]], commits: Mapping[str, str]
) -> dict[str, tuple[Anchor, ...]]:
    """The same anchors with the hash that each unit had at the time, if it existed then."""
    wanted = list(
        dict.fromkeys(
            (commits[key], anchor.path)
            for key, anchors in found.items()
            for anchor in anchors
            if anchor.symbol and commits[key] != tree.commit
        )
    )
    asked = ''.join(f'{commit}:{path}\n' for commit, path in wanted if '\n' not in path)
    lines = text(
        git(repo, 'cat-file', '--batch-check', data=asked.encode('utf-8', 'surrogateescape')) if asked else b''
    ).splitlines()
    then = {
        pair: line.split()[0]
        for pair, line in zip((p for p in wanted if '\n' not in p[1]), lines, strict=False)
        if ' blob ' in line
    }
    changed = {blob: path for (_, path), blob in then.items() if blob != tree.blobs.get(path)}
    units = {blob: units_of(changed[blob], content) for blob, content in blobs(repo, list(changed)) if content}
    out = {}
    for key, anchors in found.items():
        kept = []
        for anchor in anchors:
            blob = then.get((commits[key], anchor.path), '')
            mark = units.get(blob, {}).get(anchor.symbol, anchor.hash) if anchor.symbol else ''
            kept.append(anchor._replace(hash=mark))
        out[key] = tuple(kept)
    return out
