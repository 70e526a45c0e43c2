"""Select the files of a tree to read: regular, tracked, and not excluded by the repository or the user."""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit import repo as git
from ctxkit.repo import Repo, TreeEntry
from ctxkit.settings import SliceSettings

IGNORE_FILE = '.ctxignore'
PORTION = 100  # paths in one call of git
GENERATED = ('linguist-generated', 'linguist-vendored')


def scan(repo: Repo, commit: str, settings: SliceSettings) -> tuple[list[TreeEntry], list[tuple[str, str]]]:
    """(files to index, [(path, why it is left out)]) of a commit's tree; both in path order."""
    entries = [entry for entry in git.tree(repo, commit) if not entry.path.startswith('.ctx/')]
    reasons = left_out(repo, [entry.path for entry in entries], settings)
    return [entry for entry in entries if entry.path not in reasons], sorted(reasons.items())


def left_out(repo: Repo, paths: Sequence[str], settings: SliceSettings, edits: bool = False) -> dict[str, str]:
    """Path -> why it is not indexed, for those of `paths` that are not.

    `paths` are all of a tree, or with `edits` some of the work tree, which git may not track yet.
    """
    reasons: dict[str, str] = {}
    if repo.bare or not paths:
        return reasons
    only = paths if edits else None
    if _has_file_above(repo, paths, IGNORE_FILE, edits):
        reasons |= dict.fromkeys(_ignored(repo, [f'--exclude-per-directory={IGNORE_FILE}'], only), IGNORE_FILE)
    if settings.exclude:
        rules = [f'--exclude={glob}' for glob in settings.exclude]
        reasons |= dict.fromkeys(_ignored(repo, rules, only), 'slicing.exclude')
    if _has_file_above(repo, paths, '.gitattributes', edits):
        reasons |= _attributes(repo, paths)
    if settings.languages:
        from ctxkit.slicing import language_of

        wanted = set(settings.languages)
        reasons |= {path: 'slicing.languages' for path in paths if language_of(path) not in wanted}
    known = set(paths)
    return {path: reason for path, reason in reasons.items() if path in known}


def _has_file_above(repo: Repo, paths: Sequence[str], name: str, edits: bool) -> bool:
    """Whether a file called `name` is among `paths`, at the top, or with `edits` in a folder above one of them."""
    if (repo.root / name).is_file() or any(path.rpartition('/')[2] == name for path in paths):
        return True
    folders: set[str] = set()
    for path in paths if edits else ():
        while (path := path.rpartition('/')[0]) and path not in folders:
            folders.add(path)
    return any((repo.root / folder / name).is_file() for folder in folders)


def _ignored(repo: Repo, rules: Sequence[str], only: Sequence[str] | None) -> list[str]:
    """Paths that gitignore-style rules match; git itself does the matching, nested ignore files included.

    All tracked files of the tree are tested, or if `only` is given these, tracked or not.
    """
    if only is None:
        calls: list[list[str]] = [['--cached', *rules]]
    else:  # in portions, since a command line is bounded
        portions = [only[at : at + PORTION] for at in range(0, len(only), PORTION)]
        calls = [['--cached', '--others', *rules, '--', *portion] for portion in portions]
    found = [git.git(repo, 'ls-files', '-z', '--ignored', *call, check=False) for call in calls]
    return [git.text(path) for out in found for path in out.split(b'\0') if path]


def _attributes(repo: Repo, paths: Sequence[str]) -> dict[str, str]:
    data = b''.join(path.encode('utf-8', 'surrogateescape') + b'\0' for path in paths)
    fields = git.git(repo, 'check-attr', '-z', '--stdin', *GENERATED, data=data, check=False).split(b'\0')
    return {
        git.text(path): git.text(name)
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
        if value in (b'set', b'true')
    }
