"""Write what an agent reads, beside what is there; take exactly that away again.

The person's files are edited, never replaced: JSON keeps its comments and layout, instructions files get marked lines.
Whole files of ours end with a line that carries their hash, so a file that somebody edited is seen and left alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from ctxkit.agents import jsonc, marked, readlist
from ctxkit.agents.template import Template, load, names, pointer
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder, write_whole

COMMENTS = {'.md': '<!-- {} -->', '.mdc': '<!-- {} -->', '.ts': '// {}', '.toml': '# {}', '.yaml': '# {}'}
MAX_BYTES = 4 * 1024 * 1024


def install(repo: Repo, agents: list[str]) -> list[str]:
    """Write what each agent reads and say what was done, a line each. Running it again changes nothing.

    Raises CtxError, before anything is written for that agent, where a file cannot be edited safely.
    """
    said: list[str] = []
    for agent in agents:
        template = load(agent)
        changes, record = _Changes(repo), _Record(repo)
        _edit(changes, record, template)
        record.write()
        said += changes.write() or [f'{template.title}: nothing to do']
    return said


def remove(repo: Repo, agents: list[str]) -> list[str]:
    """Take away what `install` wrote for each agent and say what was done, a line each. Never raises for files that
    it cannot read: what was not written by ctxkit stays."""
    said: list[str] = []
    for agent in agents:
        template = load(agent)
        changes, record = _Changes(repo), _Record(repo)
        said += _unedit(changes, record, template)
        said += changes.write() or [f'{template.title}: nothing to take away']
        record.write()
    return said


def installed(repo: Repo) -> list[str]:
    """The agents for which something of ours stands in the work tree."""
    found = []
    for agent in names():
        changes = _Changes(repo)
        _unedit(changes, _Record(repo), load(agent))
        if changes.texts:
            found.append(agent)
    return found


def _edit(changes: _Changes, record: _Record, template: Template) -> None:
    if template.pointer:
        text = changes.text(template.pointer)
        record.note(template.pointer, changes, [])
        imports = [load(name).imported for name in sorted({*marked.owners(text), template.name})]
        body = '\n'.join([pointer().strip('\n'), *filter(None, imports)])
        changes.put(template.pointer, marked.put(text, template.name, body))
    for choice, entries in template.settings:
        path = changes.first(choice)
        text = changes.text(path) or '{}\n'
        try:
            emptied = [key for entry in entries for key in jsonc.empty_containers(text, list(entry.at))]
            record.note(path, changes, emptied)
            for entry in entries:
                if entry.as_value or _place(text, entry.at, entry.item) is None:
                    text = jsonc.insert(text, list(entry.at), entry.item, as_value=entry.as_value)
        except jsonc.NotJson as error:
            raise CtxError(f'{path} was left alone: {error}', 'mend it, then run this again') from error
        changes.put(path, text)
    if template.read:
        record.note(template.read, changes, [])
        changes.put(template.read, readlist.put(changes.text(template.read), template.read))
    for path, text in template.files:
        there = changes.text(path)
        if there and not _is_ours(path, there):
            raise CtxError(f'{path} is there and not as ctxkit wrote it', 'move it away, then run this again')
        changes.put(path, _signed(path, text))


def _unedit(changes: _Changes, record: _Record, template: Template) -> list[str]:
    said: list[str] = []
    if template.pointer:
        text = changes.text(template.pointer, careful=False)
        imports = [load(name).imported for name in marked.owners(text) if name != template.name]
        body = '\n'.join([pointer().strip('\n'), *filter(None, imports)])
        taken = marked.take(text, template.name, body)
        changes.put(template.pointer, taken, gone=not taken.strip() and not record.existed(template.pointer))
        if not marked.owners(taken):
            record.forget(template.pointer)
    for choice, entries in template.settings:
        for path in choice.split('|'):
            text = changes.text(path, careful=False)
            keep = frozenset(record.kept(path))
            try:
                for entry in entries if text else ():
                    place = None if entry.as_value else _place(text, entry.at, entry.item)
                    if place is not None:
                        text = jsonc.remove(text, list(entry.at), place, keep)
                text = _without_values(text, entries, record.existed(path))
            except jsonc.NotJson as error:
                said.append(f'left alone {path}: {error}')
                continue
            changes.put(path, text, gone=re.sub(r'\s', '', text) == '{}' and not record.existed(path))
            record.forget(path)
    if template.read:
        taken = readlist.take(changes.text(template.read, careful=False))
        changes.put(template.read, taken, gone=not taken.strip() and not record.existed(template.read))
        record.forget(template.read)
    for path, _ in template.files:
        text = changes.text(path, careful=False)
        if text and _is_ours(path, text):
            changes.put(path, '', gone=True)
        elif text and 'ctxkit' in text:
            said.append(f'left alone {path}: it was edited')
    return said


def _without_values(text: str, entries: tuple[Any, ...], existed: bool) -> str:
    """Single values (a version number) go only with a file that we made and that holds nothing else."""
    values = [entry for entry in entries if entry.as_value]
    if values and not existed and text:
        if jsonc.parse(text).value == {entry.at[0]: entry.item for entry in values}:
            return '{}'
    return text


def _place(text: str, at: tuple[str, ...], item: Any) -> int | None:
    """Which entry of the list at `at` is ours: the one that runs our commands, whatever else was changed in it."""
    value = jsonc.parse(text).value
    for key in at:
        value = value.get(key) if isinstance(value, dict) else None
    wanted = _commands(item)
    for number, entry in enumerate(value if isinstance(value, list) else []):
        if entry == item or (wanted and _commands(entry) == wanted):
            return number
    return None


def _commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value['command']] if isinstance(value.get('command'), str) else []
        return own + [command for part in value.values() for command in _commands(part)]
    if isinstance(value, list):
        return [command for part in value for command in _commands(part)]
    return []


def _signed(path: str, text: str) -> str:
    """The text with a last line that names us and carries the hash of the rest."""
    line = f'ctxkit:{hashlib.sha256(text.encode()).hexdigest()[:12]}'
    return text + COMMENTS[Path(path).suffix].format(line) + '\n'


def _is_ours(path: str, text: str) -> bool:
    text = text.replace('\r\n', '\n')
    body = text.rstrip('\n').rpartition('\n')[0] + '\n'
    return _signed(path, body) == text


class _Record:
    """What was there before us, in git's folder: needed to give back an empty file or an empty list as it was."""

    def __init__(self, repo: Repo) -> None:
        self.file, self.tree = repo.data_dir / 'agents.json', str(repo.root)
        try:
            self.all: dict[str, Any] = json.loads(self.file.read_text('utf-8'))
            self.paths: dict[str, Any] = dict(self.all.get(self.tree, {}))
        except (OSError, ValueError, AttributeError, TypeError):
            self.all, self.paths = {}, {}

    def note(self, path: str, changes: _Changes, kept: list[str]) -> None:
        """Remember the state of `path` before the first edit."""
        self.paths.setdefault(path, {'existed': changes.exists(path), 'kept': kept})

    def existed(self, path: str) -> bool:
        """Whether `path` was there before us."""
        return bool(self.paths.get(path, {}).get('existed', False))

    def kept(self, path: str) -> list[str]:
        """The keys of `path` that held an empty object or list before us."""
        return list(self.paths.get(path, {}).get('kept', []))

    def forget(self, path: str) -> None:
        """Nothing of ours is left in `path`."""
        self.paths.pop(path, None)

    def write(self) -> None:
        """Keep it for `remove`."""
        real_folder(self.file.parent)
        write_whole(self.file, json.dumps({**self.all, self.tree: self.paths}, indent=1, sort_keys=True) + '\n')


class _Changes:
    """The new texts of files, written together once all of them are known to be possible."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.texts: dict[str, str | None] = {}

    def exists(self, path: str) -> bool:
        """Whether a file is there, as the disk has it."""
        return os.path.lexists(self.repo.root / path)

    def first(self, choice: str) -> str:
        """Of "FILE|OTHER NAME" the one that is there, else the first."""
        options = choice.split('|')
        return next((path for path in options if self.exists(path)), options[0])

    def target(self, path: str) -> Path:
        """Where `path` really is. Raises CtxError where a link leads out of the work tree or into git's folder."""
        root = Path(os.path.realpath(self.repo.root))
        real = Path(os.path.realpath(root / path))
        if not real.is_relative_to(root) or '.git' in real.relative_to(root).parts:
            raise CtxError(f'{path} leads out of the repository', 'ctxkit does not write through such a link')
        return real

    def text(self, path: str, careful: bool = True) -> str:
        """The text of a file as it will be, '' if there is none. Raises CtxError where it is no text file; with
        `careful` False such a file counts as having none of ours."""
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
            raise CtxError(f'{path} cannot be read as UTF-8', 'ctxkit edits no other encoding') from error

    def put(self, path: str, text: str, gone: bool = False) -> None:
        """Note the new text; with `gone` the file is deleted."""
        if gone and self.exists(path):
            self.texts[path] = None
        elif not gone and text != self.text(path, careful=False):
            self.texts[path] = text

    def write(self) -> list[str]:
        """Write all that was noted; a line each. Folders that deleting leaves empty go too."""
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
