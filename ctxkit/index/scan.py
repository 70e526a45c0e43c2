"""Which files of a tree are read: regular, tracked, and not left out by the repository or the person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxkit import repo as git
from ctxkit.config import SliceSettings
from ctxkit.repo import Repo, TreeEntry

IGNORE_FILE = '.ctxignore'
GENERATED = ('linguist-generated', 'linguist-vendored')


def scan(repo: Repo, commit: str, settings: SliceSettings) -> tuple[list[TreeEntry], list[tuple[str, str]]]:
    """(files to index, [(path, why it is left out)]) of a commit's tree; both in path order."""
    entries = [entry for entry in git.tree(repo, commit) if not entry.path.startswith('.ctx/')]
    reasons = left_out(repo, [entry.path for entry in entries], settings)
    return [entry for entry in entries if entry.path not in reasons], sorted(reasons.items())


def left_out(repo: Repo, paths: Sequence[str], settings: SliceSettings) -> dict[str, str]:
    """Path -> why it is not indexed, for those of `paths` that are not."""
    reasons: dict[str, str] = {}
    names = {path.rpartition('/')[2] for path in paths}
    if repo.bare:
        return reasons
    if IGNORE_FILE in names or (repo.root / IGNORE_FILE).is_file():
        reasons |= dict.fromkeys(_ignored(repo, [f'--exclude-per-directory={IGNORE_FILE}']), IGNORE_FILE)
    if settings.exclude:
        reasons |= dict.fromkeys(_ignored(repo, [f'--exclude={glob}' for glob in settings.exclude]), 'slicing.exclude')
    if '.gitattributes' in names:
        reasons |= _attributes(repo, paths)
    if settings.languages:
        from ctxkit.slicing import language_of

        wanted = set(settings.languages)
        reasons |= {path: 'slicing.languages' for path in paths if language_of(path) not in wanted}
    known = set(paths)
    return {path: reason for path, reason in reasons.items() if path in known}


def _ignored(repo: Repo, rules: Iterable[str]) -> list[str]:
    """Tracked paths that gitignore-style rules match; git itself does the matching, nested files included."""
    out = git.git(repo, 'ls-files', '-z', '--cached', '--ignored', *rules, check=False)
    return [git.text(path) for path in out.split(b'\0') if path]


def _attributes(repo: Repo, paths: Sequence[str]) -> dict[str, str]:
    data = b''.join(path.encode('utf-8', 'surrogateescape') + b'\0' for path in paths)
    fields = git.git(repo, 'check-attr', '-z', '--stdin', *GENERATED, data=data, check=False).split(b'\0')
    return {
        git.text(path): git.text(name)
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
        if value in (b'set', b'true')
    }
