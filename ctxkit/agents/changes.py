"""The files of a work tree to edit for an agent, and what was there before the first edit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder, write_whole

MAX_BYTES = 4 * 1024 * 1024


class Changes:
    """New texts of files, written together once all of them are known to be possible."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.texts: dict[str, str | None] = {}

    def exists(self, path: str) -> bool:
        """Whether a file exists on disk, whatever is planned."""
        return os.path.lexists(self.repo.root / path)

    def first(self, choice: str) -> str:
        """The file of "FILE|OTHER NAME" that exists, else the first."""
        options = choice.split('|')
        return next((path for path in options if self.exists(path)), options[0])

    def target(self, path: str) -> Path:
        """The real path of `path`. Raises CtxError where a link leads out of the work tree or into git's folder."""
        root = Path(os.path.realpath(self.repo.root))
        real = Path(os.path.realpath(root / path))
        if not real.is_relative_to(root) or '.git' in real.relative_to(root).parts:
            raise CtxError(
                f'{path} leads out of the repository', 'ctxkit writes only inside the repository; replace the link'
            )
        return real

    def text(self, path: str, careful: bool = True) -> str:
        """The text that a file will have, '' if it does not exist. Raises CtxError if it is no text file; with
        `careful=False` the text is '' then."""
        if path in self.texts:
            return self.texts[path] or ''
        try:
            real = self.target(path)
            if not os.path.lexists(real):
                return ''
            data = real.read_bytes() if real.is_file() and real.stat().st_size <= MAX_BYTES else b'\0'
            if b'\0' in data:
                raise CtxError(f'{path} is not a text file', 'move it away, then run this again')
            return data.decode('utf-8')
        except (CtxError, OSError, UnicodeDecodeError) as error:
            if not careful:
                return ''
            if isinstance(error, CtxError):
                raise
            raise CtxError(f'{path} cannot be read as UTF-8', 'convert it to UTF-8, then run this again') from error

    def put(self, path: str, text: str, gone: bool = False) -> None:
        """Plan the new text of a file, or with `gone` its deletion."""
        if gone and self.exists(path):
            self.texts[path] = None
        elif not gone and text != self.text(path, careful=False):
            self.texts[path] = text

    def write(self) -> list[str]:
        """Carry out what was planned and say so, a line each. Folders that deleting leaves empty are removed too."""
        said = []
        for path, text in self.texts.items():
            real = self.target(path)
            if text is None:
                os.unlink(self.repo.root / path)
                self._prune(Path(path).parent)
                said.append(f'removed {path}')
                continue
            verb = 'changed' if real.exists() else 'wrote'
            mode = real.stat().st_mode & 0o777 if real.exists() else 0o644
            write_whole((real.parent if real.parent.is_dir() else real_folder(real.parent)) / real.name, text, mode)
            said.append(f'{verb} {path}')
        return said

    def _prune(self, folder: Path) -> None:
        while folder != Path('.'):
            try:
                (self.repo.root / folder).rmdir()
            except OSError:
                return
            folder = folder.parent


class Record:
    """What was there before us, kept in git's folder: needed to restore an empty file or an empty list as it was."""

    def __init__(self, repo: Repo) -> None:
        self.file, self.tree = repo.data_dir / 'agents.json', str(repo.root)
        try:
            found = json.loads(self.file.read_text('utf-8'))
        except (OSError, ValueError, RecursionError):
            found = {}
        self.all: dict[str, Any] = found if isinstance(found, dict) else {}
        noted = self.all.get(self.tree)
        self.paths: dict[str, dict[str, Any]] = {
            path: note for path, note in (noted.items() if isinstance(noted, dict) else ()) if isinstance(note, dict)
        }

    def note(self, path: str, changes: Changes, kept: list[str]) -> None:
        """Record the state of `path` before the first edit."""
        existed = changes.exists(path)
        empty = existed and not changes.text(path, careful=False)
        self.paths.setdefault(path, {'existed': existed, 'kept': kept, **({'empty': True} if empty else {})})

    def existed(self, path: str) -> bool:
        """Whether `path` was there before us."""
        return bool(self.paths.get(path, {}).get('existed', False))

    def made(self, path: str) -> bool:
        """Whether it is recorded that `path` did not exist before us."""
        return path in self.paths and not self.existed(path)

    def empty(self, path: str) -> bool:
        """Whether `path` existed before us and was empty."""
        return self.paths.get(path, {}).get('empty') is True

    def kept(self, path: str) -> list[str]:
        """The keys of `path` that held an empty object or list before us."""
        kept = self.paths.get(path, {}).get('kept')
        return [key for key in kept if isinstance(key, str)] if isinstance(kept, list) else []

    def forget(self, path: str) -> None:
        """Drop the record of `path`, once nothing of ours is left in it."""
        self.paths.pop(path, None)

    def write(self) -> None:
        """Save the record for `remove`."""
        real_folder(self.file.parent)
        write_whole(self.file, json.dumps({**self.all, self.tree: self.paths}, indent=1, sort_keys=True) + '\n')
