"""What git tracks of `.ctx/`: only config.yaml may be tracked, and nothing tracked may hold a secret."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.repo import REGULAR, Repo, blobs, git, text


class Entry(NamedTuple):
    """An entry of git's index: mode, blob id, path."""

    mode: str
    blob: str
    path: str


def entries(repo: Repo, index: str = '') -> list[Entry]:
    """All that is tracked or staged below `.ctx`, in any spelling that a case-insensitive file system would mix up;
    read from the work tree's index, or from the file `index`."""
    # Pathspecs are literal, so other spellings take a look at all names; git lists a large index in milliseconds.
    found = []
    for record in git(repo, 'ls-files', '--stage', '-z', '--full-name', index=index).split(b'\0'):
        meta, _, path = record.partition(b'\t')
        if path[:4].lower() == b'.ctx' and path[4:5] in (b'', b'/'):
            mode, blob, _ = meta.decode('ascii').split(' ')
            found.append(Entry(mode, blob, text(path)))
    return found


def index_of_commit(repo: Repo, environ: Mapping[str, str]) -> str:
    """The index of the commit in progress if it is not the work tree's own, else ''. `git commit -a` and `git commit
    PATH` make another one beside it and tell their hooks."""
    file = os.path.realpath(repo.root / environ.get('GIT_INDEX_FILE', ''))
    ours = os.path.dirname(file) == os.path.realpath(repo.git_dir) and os.path.isfile(file)
    return file if ours else ''  # the variable may come from another repository's hook


def foreign(tracked: list[Entry]) -> list[Entry]:
    """The entries that must not be tracked: all but a regular `.ctx/config.yaml`."""
    return [entry for entry in tracked if entry.path != '.ctx/config.yaml' or entry.mode not in REGULAR]


def problems(repo: Repo, tracked: list[Entry]) -> list[str]:
    """The problems with what is staged, a line each: foreign files, secrets, an invalid config."""
    from ctxkit.safety.secrets import env_values, find

    known = env_values(repo.root)
    wrong = foreign(tracked)
    found = [
        f'{entry.path} is staged, but only .ctx/config.yaml may be; run: git rm --cached -- {entry.path}'
        for entry in wrong
    ]
    for entry, (_, content) in zip(tracked, blobs(repo, [entry.blob for entry in tracked]), strict=True):
        said = (content or b'').decode('utf-8', 'replace')
        for finding in find(said, known):
            line = said.count('\n', 0, finding.start) + 1
            found.append(f'{entry.path}:{line}: a secret ({finding.rule}); remove it, and change it at its source')
        if entry not in wrong and content is not None:
            found += _config_problems(content)
    return found


def _config_problems(content: bytes) -> list[str]:
    """The problems with the bytes of a repository's config.yaml; nothing of the person's own settings is read."""
    import tempfile
    from pathlib import Path

    from ctxkit import config
    from ctxkit.errors import CtxError

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'config.yaml')
        file.write_bytes(content)
        try:
            config.load(file, {'CTXKIT_CONFIG': os.devnull})
        except CtxError as error:
            said = error.format_message().replace(str(file), '.ctx/config.yaml')
            return [said.replace(f'set it in {os.devnull} instead', 'set it in your own settings instead')]
    return []
