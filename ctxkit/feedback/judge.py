"""Judge an answer: which names in it exist nowhere, and whether its author says that it cannot see the code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxkit.feedback import phrases
from ctxkit.feedback.extract import extract
from ctxkit.feedback.installed import installed
from ctxkit.feedback.names import SOURCE_END, Name
from ctxkit.feedback.reading import MAX_CHARS
from ctxkit.feedback.tree import Tree
from ctxkit.repo import Repo

MAX_NAMES = 2000


@dataclass(frozen=True)
class Verdict:
    """The judged `names`, those of them that are `invented`, in the answer's order, and `unable`: whether the author
    says that it cannot see the latest code."""

    names: tuple[str, ...]
    invented: tuple[str, ...]
    unable: bool

    @property
    def rate(self) -> float:
        """The hallucination rate: the share of the names that exist nowhere."""
        return len(self.invented) / len(self.names) if self.names else 0.0

    def as_data(self) -> dict[str, Any]:
        """The figures and the invented names, for JSON."""
        return {
            'names': len(self.names),
            'invented': list(self.invented),
            'rate': round(self.rate, 4),
            'unable': self.unable,
        }


def judge(repo: Repo, answer: str, block: str = '', environ: Mapping[str, str] | None = None) -> Verdict:
    """Judge an agent's answer against the work tree as it is now.

    A name is invented if it is neither in the tree, nor in `block` (what the agent was shown), nor in installed
    dependencies, nor among the languages' built-ins. Names that the answer proposes or says to be missing count only if
    they exist.
    """
    names = extract(answer)[:MAX_NAMES]
    tree = Tree(repo, block)
    tree.where({part for name in names for part in name.parts})
    exists = {name: _exists(tree, name) for name in names}
    doubtful = {part for name in names if not exists[name] and not name.excused for part in _missing(tree, name)}
    python = any(path.endswith('.py') for path in tree.paths)
    outside = installed(doubtful, repo.root, environ or {}, python) if doubtful else set()
    counted, invented = [], []
    for name in names:
        missing = _missing(tree, name)
        found = exists[name] or (bool(missing) and missing <= outside)
        if not found and (name.excused or not name.strong or _foreign(tree, name)):
            continue
        counted.append(name.text)
        if not found:
            invented.append(name.text)
    return Verdict(tuple(counted), tuple(invented), phrases.says_unable(answer[:MAX_CHARS]))


def _missing(tree: Tree, name: Name) -> set[str]:
    return {part for part in name.parts if not tree.has_word(part)}


def _foreign(tree: Tree, name: Name) -> bool:
    """Whether the name is in a package that the tree does not know: an example may use one that is not installed."""
    return name.kind == 'import' and name.parts[0] not in tree.packages and not tree.has_word(name.parts[0])


def _exists(tree: Tree, name: Name) -> bool:
    if name.kind == 'path':
        if tree.has_path(name.text):
            return True
        # `response.json` could be an attribute.
        parts = name.text.split('.')
        attribute = len(parts) == 2 and all(part.isidentifier() for part in parts) and not SOURCE_END.search(name.text)
        return attribute and all(map(tree.has_word, parts))
    if _missing(tree, name):
        lead = name.parts[0]
        return (
            len(name.parts) > 1
            and tree.has_word(lead)
            and lead not in tree.packages
            and not tree.members(lead)
            and tree.imported(lead)
        )
    return len(name.parts) == 1 or _chain(tree, name.parts)


def _chain(tree: Tree, parts: tuple[str, ...]) -> bool:
    """Whether the last part belongs to the part before it, as far as that can be decided."""
    owner, member = parts[-2], parts[-1]
    modules = '/'.join(parts[:-1])
    if '/'.join(parts) in tree.stems:
        return True
    if member in tree.builtin and parts[0] in tree.builtin:
        return True  # `context.Background`, though the tree has a context.go of its own
    # A lone `client` or `app` is as often a variable as a module, unless the tree's own code is imported by that name.
    if modules in tree.stems and (len(parts) > 2 or parts[0] in tree.packages):
        files = {path for path in tree.paths if _stem_is(path, modules)}
        inside = tree.where([member])[member]
        return not files or bool(files & inside)
    if owner[:1].isupper():
        return tree.has_member(owner, member) is not False
    return True


def _stem_is(path: str, modules: str) -> bool:
    stem = path.rpartition('.')[0]
    for tail in ('/index', '/__init__', '/mod'):
        stem = stem.removesuffix(tail)
    return stem == modules or stem.endswith('/' + modules)
