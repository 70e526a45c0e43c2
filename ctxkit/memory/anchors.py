"""Bind facts to the code that they name, and see when that code changes or vanishes.

A unit is (path, symbol) with the hash of its own text, computed from the blob at a commit. A file named without a
symbol is bound only by its existence, because every commit changes some line of a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from ctxkit.memory.facts import Anchor
from ctxkit.repo import Repo, TreeEntry, blobs, git, text

if TYPE_CHECKING:
    from ctxkit.memory.database import Connection

MAX_NAMES = 2_000
MAX_ASKED = 16_000  # characters of paths on one git command line
NAMES_AT_ONCE = 200
MAX_FILES_OF_A_NAME = 12
MAX_CHANGES = 12  # of a file, searched for the one that changed a unit
MAX_GREP_BYTES = 4 * 1024 * 1024
# What looks like code in prose: a path with an extension, `ticked` text, a call, snake_case, CamelCase, a.b.
_PATH = re.compile(
    r'(?<![\w/.@-])(?:[\w.-]+/)*[\w.-]*\w\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/])|(?<![\w/.@-])(?:[\w.-]+/)+[\w.-]+'
)
_TICKED = re.compile(r'`([^`\n]{2,80})`')
_NAME = re.compile(
    r'\b(?:[A-Za-z_][\w]*\.)*(?:[a-z]\w*_\w+|_?[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+'
    r'|[a-z]+(?:[A-Z][a-z0-9]+)+)\b'
    r'|\b[A-Za-z_][\w.]*(?=\(\))'
)
_IDENTIFIER = re.compile(r'[A-Za-z_]\w{2,}')


def mentions(said: str) -> tuple[list[str], list[str]]:
    """The (paths, names) of code that a text mentions, in order of mention."""
    paths, names = dict[str, None](), dict[str, None]()
    ticked = [match[1].strip().removesuffix('()') for match in _TICKED.finditer(said)]
    for piece in ticked:
        if re.fullmatch(r'[\w./-]+', piece) and ('/' in piece or re.search(r'\.[A-Za-z]\w{0,4}\Z', piece)):
            paths.setdefault(piece.lstrip('./'))
        if re.fullmatch(r'[A-Za-z_][\w.:#]*', piece):
            names.setdefault(re.split(r'[.:#]+', piece)[-1])
    for match in _PATH.finditer(said):
        paths.setdefault(match[0].lstrip('./'))
    for match in _NAME.finditer(said):
        names.setdefault(match[0].split('.')[-1])
    return list(paths), [name for name in names if _IDENTIFIER.fullmatch(name)]


class Tree:
    """The files of one commit, and the units of those that are looked at."""

    def __init__(self, repo: Repo, commit: str, db: Connection | None, paths: Iterable[str] | None = None) -> None:
        self.repo, self.commit, self.db = repo, commit, db
        self.blobs = {entry.path: entry.blob for entry in _entries(repo, commit, paths)}
        self.by_name: dict[str, list[str]] = {}
        self._units: dict[str, dict[str, str]] = {}

    def units(self, wanted: str) -> dict[str, str]:
        """Symbol -> hash of its text, for the file `wanted` of the tree; {} if it has none."""
        blob = self.blobs.get(wanted)
        if blob is None:
            return {}
        if wanted not in self._units:
            self._units[wanted] = _units(self.repo, blob, wanted, self.db)
        return self._units[wanted]

    def files_named(self, mention: str) -> list[str]:
        """The paths of the tree that `mention` can mean: the path itself, or those that end in it."""
        if mention in self.blobs:
            return [mention]
        if not self.by_name:
            for known in self.blobs:
                self.by_name.setdefault(known.rsplit('/', 1)[-1], []).append(known)
        return [known for known in self.by_name.get(mention.rsplit('/', 1)[-1], ()) if known.endswith('/' + mention)]


def _entries(repo: Repo, commit: str, paths: Iterable[str] | None) -> list[TreeEntry]:
    wanted = None if paths is None else frozenset(paths)
    if wanted is not None and not wanted:
        return []
    # A commit can change more paths than a command line holds.
    asked = sorted(wanted) if wanted and sum(map(len, wanted)) < MAX_ASKED else ()
    out = []
    for record in git(repo, 'ls-tree', '-r', '-z', '--full-tree', commit, '--', *asked, check=False).split(b'\0'):
        meta, _, path = record.partition(b'\t')
        if meta[:6] in (b'100644', b'100755') and (wanted is None or text(path) in wanted):
            out.append(TreeEntry(meta[12:].decode('ascii'), text(path)))
    return out


def _units(repo: Repo, blob: str, path: str, db: Connection | None) -> dict[str, str]:
    if db is not None:
        row = db.execute('SELECT units FROM units WHERE blob=? AND path=?', (blob, path)).fetchone()
        if row:
            known: dict[str, str] = json.loads(row[0])
            return known
    content = next((data for _, data in blobs(repo, [blob])), None)
    found = units_of(path, content) if content is not None else {}
    if db is not None and content is not None:  # a missing blob is not noted: a partial clone may get it later
        db.execute('INSERT OR REPLACE INTO units VALUES(?,?,?)', (blob, path, json.dumps(found)))
    return found


def units_of(path: str, source: bytes) -> dict[str, str]:
    """Symbol -> hash of the unit's own text, without blank lines and white space at line ends."""
    from ctxkit.slicing import slice_file

    out: dict[str, str] = {}
    for chunk in slice_file(path, source).chunks:
        if chunk.symbol and chunk.kind in ('function', 'method', 'class', 'section'):
            lines = [line.rstrip() for line in chunk.text(source).splitlines()]
            body = '\n'.join(line for line in lines if line)
            mark = sha256(body.encode('utf-8', 'surrogateescape')).hexdigest()[:16]
            # Overloads share a symbol: the unit is all of them.
            out[chunk.symbol] = (
                sha256((out[chunk.symbol] + mark).encode()).hexdigest()[:16] if chunk.symbol in out else mark
            )
    return out


def resolve(tree: Tree, said: Mapping[str, str]) -> dict[str, tuple[Anchor, ...]]:
    """The anchors of each text in `said`, by key, at the tree's commit. A name that several files define gets none."""
    spoken = {key: mentions(value) for key, value in said.items()}
    files: dict[str, list[str]] = {}
    for paths, _ in spoken.values():
        for mention in paths:
            found = tree.files_named(mention)
            if len(found) == 1:
                files[mention] = found
    unplaced = list(dict.fromkeys(name for _, names in spoken.values() for name in names))[:MAX_NAMES]
    holders = _grep(tree, unplaced)
    out: dict[str, tuple[Anchor, ...]] = {}
    for key, (paths, names) in spoken.items():
        near = [files[mention][0] for mention in paths if mention in files]
        anchors: dict[tuple[str, str], Anchor] = {}
        for name in names:
            for path, symbol, mark in _definitions(tree, name, near or holders.get(name, [])):
                anchors[path, symbol] = Anchor(path, symbol, mark)
        held = {path for path, _ in anchors}
        for path in near:
            if path not in held:
                anchors[path, ''] = Anchor(path, '', '')
        out[key] = tuple(anchors.values())[:8]
    return out


def _definitions(tree: Tree, name: str, paths: list[str]) -> list[tuple[str, str, str]]:
    found = []
    for path in paths:
        for symbol, mark in tree.units(path).items():
            if re.split(r'[.:#]+|\s', symbol)[-1] == name:
                found.append((path, symbol, mark))
    return found if len(found) == 1 else []


def _grep(tree: Tree, names: list[str]) -> dict[str, list[str]]:
    """Name -> the few files that contain it as a word; names found in many files are left out."""
    if not names:
        return {}
    output = b''
    for first in range(0, len(names), NAMES_AT_ONCE):
        args = [part for name in names[first : first + NAMES_AT_ONCE] for part in ('-e', name)]
        output += git(tree.repo, 'grep', '-z', '-o', '-w', '-I', '-F', *args, tree.commit, '--', check=False)[
            :MAX_GREP_BYTES
        ]
    out: dict[str, dict[str, None]] = {}
    prefix = f'{tree.commit}:'
    for line in output.split(b'\n'):
        path, _, name = line.partition(b'\0')
        if name:
            out.setdefault(text(name), {}).setdefault(text(path).removeprefix(prefix))
    return {name: list(paths) for name, paths in out.items() if len(paths) <= MAX_FILES_OF_A_NAME}


def check(tree: Tree, anchors: tuple[Anchor, ...], since: str) -> tuple[Anchor, ...]:
    """The anchors with their state in `tree`. `since` is noted where code is first found to be changed or gone."""
    out = []
    for anchor in anchors:
        state = 'fresh'
        if anchor.path not in tree.blobs:
            state = 'gone'
        elif anchor.symbol:
            mark = tree.units(anchor.path).get(anchor.symbol)
            state = 'gone' if mark is None else 'fresh' if mark == anchor.hash else 'changed'
        noted = '' if state == 'fresh' else anchor.since if anchor.state != 'fresh' and anchor.since else since
        out.append(anchor._replace(state=state, since=noted))
    return tuple(out)


def follow(tree: Tree, anchor: Anchor, among: Iterable[str]) -> Anchor:
    """The anchor of a vanished unit in the only file of `among` that has the same text; else `anchor` as it is."""
    found = [
        (path, symbol)
        for path in among
        for symbol, mark in tree.units(path).items()
        if anchor.hash and mark == anchor.hash and symbol.rsplit('.', 1)[-1] == anchor.symbol.rsplit('.', 1)[-1]
    ]
    return Anchor(*found[0], anchor.hash) if len(found) == 1 else anchor


def changed_in(tree: Tree, anchor: Anchor) -> str:
    """The commit that changed or removed an anchor's code: the newest one before which the code was as noted. If that
    is further back than we look, the last commit that touched the file; '' if none is known."""
    what = (f'--max-count={MAX_CHANGES}', '--no-merges', '--no-renames', '--raw', '--no-abbrev', '--format=%H')
    touched = text(git(tree.repo, 'log', *what, tree.commit, '--', anchor.path, check=False)).split('\n')
    commit = last = ''
    for line in touched:
        if not line.startswith(':'):
            commit = line or commit
            continue
        last = last or commit
        before = line.split()[2]
        if not anchor.symbol or _units(tree.repo, before, anchor.path, tree.db).get(anchor.symbol) == anchor.hash:
            return commit
    return last


def in_history(tree: Tree, commit: str) -> bool:
    """Whether `commit` is still part of the tree's history; an amend or a rebase replaces it."""
    return text(git(tree.repo, 'merge-base', commit, tree.commit, check=False)).strip() == commit
