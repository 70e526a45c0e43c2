"""Write what an agent reads beside what is there, and remove exactly that again.

The person's files are edited, never replaced: JSON keeps its comments and layout, instructions files get marked lines.
Files that are wholly ours end with a line that carries their hash, so a file that somebody edited is detected and left
alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path
from typing import Any

from ctxkit.agents import jsonc, marked, readlist
from ctxkit.agents.changes import Changes, Record
from ctxkit.agents.template import Setting, Template, load, names, pointer_for
from ctxkit.errors import CtxError
from ctxkit.repo import Repo, find

COMMENTS = {'.md': '<!-- {} -->', '.mdc': '<!-- {} -->', '.ts': '// {}', '.toml': '# {}', '.yaml': '# {}'}
SIGNATURE = re.compile(r'^(?:<!-- |// |# )ctxkit:[0-9a-f]{12}(?: -->)?\r?$', re.MULTILINE)


def install(repo: Repo, agents: list[str]) -> list[str]:
    """Write what each agent reads and return what was done, a line each. Running it again changes nothing.

    Raises CtxError, before anything is written for that agent, where a file cannot be edited safely.
    """
    said: list[str] = []
    for agent in agents:
        template = load(agent)
        changes, record = Changes(repo), Record(repo)
        _edit(changes, record, template)
        record.write()
        said += changes.write() or [f'{template.title}: nothing to do']
    return said


def remove(repo: Repo, agents: list[str]) -> list[str]:
    """Remove what `install` wrote for each agent and return what was done, a line each. Never raises for files that it
    cannot read: what ctxkit did not write stays."""
    said: list[str] = []
    for agent in agents:
        template = load(agent)
        changes, record = Changes(repo), Record(repo)
        said += _unedit(changes, record, template)
        said += changes.write() or [f'{template.title}: nothing to remove']
        record.write()
    return said


def installed(repo: Repo) -> list[str]:
    """The agents for which the work tree holds something of ours."""
    found = []
    for agent in names():
        changes, template = Changes(repo), load(agent)
        _unedit(changes, Record(repo), template)
        edited = (SIGNATURE.search(changes.text(path, careful=False)) for path, _ in template.files)
        if changes.texts or any(edited):
            found.append(agent)
    return found


def trees(repo: Repo) -> list[Repo]:
    """This work tree, then the repository's other work trees in which `install` was run."""
    found = [repo]
    for root in Record(repo).all:
        with contextlib.suppress(CtxError, OSError):
            other = find(Path(root))
            if other.common_dir == repo.common_dir and other.root not in {tree.root for tree in found}:
                found.append(other)
    return found


def _edit(changes: Changes, record: Record, template: Template) -> None:
    if template.pointer:
        text = changes.text(template.pointer)
        record.note(template.pointer, changes, [])
        body = pointer_for({*marked.owners(text), template.name})
        changes.put(template.pointer, marked.put(text, template.name, body))
    for choice, entries in template.settings:
        path = changes.first(choice)
        text = changes.text(path) or '{}\n'
        try:
            emptied = [key for entry in entries for key in jsonc.empty_containers(text, list(entry.at))]
            record.note(path, changes, emptied)
            for entry in entries:
                if entry.as_value or place(text, entry) is None:
                    text = jsonc.insert(text, list(entry.at), entry.item, as_value=entry.as_value)
        except jsonc.NotJson as error:
            raise CtxError(f'{path} was left alone: {error}', 'repair it, then run this again') from error
        changes.put(path, text)
    if template.read:
        record.note(template.read, changes, [])
        changes.put(template.read, readlist.put(changes.text(template.read), template.read))
    for path, text in template.files:
        existing = changes.text(path)
        if existing and not is_ours(path, existing):
            raise CtxError(f'{path} already exists and was not written by ctxkit', 'move it away, then run this again')
        changes.put(path, signed(path, text))


def _unedit(changes: Changes, record: Record, template: Template) -> list[str]:
    said: list[str] = []
    if template.pointer:
        text = changes.text(template.pointer, careful=False)
        taken = marked.take(text, template.name, pointer_for({*marked.owners(text)} - {template.name}))
        _take(changes, record, template.pointer, text, taken)
        if not marked.owners(taken):
            record.forget(template.pointer)
    for choice, entries in template.settings:
        for path in choice.split('|'):
            text = taken = changes.text(path, careful=False)
            keep = frozenset(record.kept(path))
            try:
                for entry in entries if text else ():
                    taken = taken if entry.as_value else _without(taken, entry, keep)
                if record.made(path) or (taken != text and not record.existed(path)):
                    taken = _bare(taken, entries, record.made(path))
                if record.empty(path) and taken.strip() == '{}':
                    taken = ''
            except jsonc.NotJson as error:
                said.append(f'left alone {path}: {error}')
                continue
            _take(changes, record, path, text, taken)
            record.forget(path)
    if template.read:
        text = changes.text(template.read, careful=False)
        _take(changes, record, template.read, text, readlist.take(text))
        record.forget(template.read)
    for path, _ in template.files:
        text = changes.text(path, careful=False)
        if text and is_ours(path, text):
            changes.put(path, '', gone=True)
        elif text and 'ctxkit' in text:
            said.append(f'left alone {path}: it was edited')
    return said


def _take(changes: Changes, record: Record, path: str, text: str, taken: str) -> None:
    """Plan `taken` as the text of a person's file. It is deleted only if it held something of ours and nothing else."""
    empty = re.sub(r'\s', '', taken) in ('', '{}')
    changes.put(path, taken, gone=empty and taken != text and not record.existed(path))


def _bare(text: str, entries: tuple[Setting, ...], made: bool) -> str:
    """`{}` if nothing meaningful is left, else `text`. A single value of ours (a version number) is not meaningful, nor
    in a file that we made what agents add by themselves (`$schema`, `$version`)."""
    values = {entry.at[0]: entry.item for entry in entries if entry.as_value}
    left = jsonc.parse(text).value if text else {}
    if made and isinstance(left, dict):
        left = {key: value for key, value in left.items() if not key.startswith('$')}
    return '{}' if text and left == values else text


def _without(text: str, entry: Setting, keep: frozenset[str]) -> str:
    """`text` without our entry, or without only our command if the person added other commands to the entry."""
    number = place(text, entry)
    if number is None:
        return text
    existing = _list(text, entry)[number]
    hooks = existing.get('hooks') if isinstance(existing, dict) else []
    hooks = hooks if isinstance(hooks, list) else []
    for within, hook in enumerate(hooks):
        if len(hooks) > 1 and _commands(hook) == _commands(entry.item):
            return jsonc.remove(text, [*entry.at, number, 'hooks'], within, keep)
    return jsonc.remove(text, list(entry.at), number, keep)


def place(text: str, entry: Setting) -> int | None:
    """The index in its list of our entry, which is the one that runs our commands, even if it was changed or extended.

    None where there is none. Raises NotJson where the text does not parse.
    """
    wanted = _commands(entry.item)
    for number, item in enumerate(_list(text, entry)):
        if item == entry.item or (wanted and set(wanted) <= set(_commands(item))):
            return number
    return None


def _list(text: str, entry: Setting) -> list[Any]:
    value = jsonc.parse(text).value
    for key in entry.at:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []


def _commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value['command']] if isinstance(value.get('command'), str) else []
        return own + [command for part in value.values() for command in _commands(part)]
    if isinstance(value, list):
        return [command for part in value for command in _commands(part)]
    return []


def signed(path: str, text: str) -> str:
    """`text` with a last line that names us and carries the hash of the rest."""
    line = f'ctxkit:{hashlib.sha256(text.encode()).hexdigest()[:12]}'
    return text + COMMENTS[Path(path).suffix].format(line) + '\n'


def is_ours(path: str, text: str) -> bool:
    """Whether the file is as some version of ctxkit wrote it, whatever its line endings."""
    text = text.replace('\r\n', '\n')
    body = text.rstrip('\n').rpartition('\n')[0] + '\n'
    return signed(path, body) == text
