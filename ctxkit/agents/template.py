"""The data files of the agents, loaded as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from ctxkit.errors import CtxError

ORDER = (
    'claude-code',
    'codex',
    'gemini',
    'qwen',
    'cursor',
    'opencode',
    'kilo',
    'pi',
    'aider',
    'copilot',
    'continue',
    'agents-md',
)


@dataclass(frozen=True)
class Setting:
    """One entry of a JSON settings file: an `item` in the list at the keys `at`, or the value there if `as_value`."""

    at: tuple[str, ...]
    item: Any
    as_value: bool


@dataclass(frozen=True)
class Template:
    """Everything that is written for one agent; paths are relative to the work tree.

    `pointer` is the instructions file with the marked lines that say where the block is ('' for none), `imported` is
    the agent's own syntax there to import the block. `settings` maps "FILE" or "FILE|OTHER NAME" to entries, `read` is
    a YAML file whose list `read` takes the block, `files` maps whole files to their text.
    """

    name: str
    title: str
    pointer: str
    imported: str
    settings: tuple[tuple[str, tuple[Setting, ...]], ...]
    read: str
    files: tuple[tuple[str, str], ...]


def names() -> list[str]:
    """The agents that `ctxkit init --agent` knows."""
    return list(ORDER)


def pointer_for(agents: Iterable[str]) -> str:
    """The lines of the marked section that `agents` share: where the block is, and the imports of those agents that
    have one. A name unknown to this version has none."""
    imports = [load(name).imported for name in sorted(agents) if name in ORDER]
    return '\n'.join([_text('pointer.md').strip('\n'), *filter(None, imports)])


def load(name: str) -> Template:
    """The template of an agent. Raises CtxError for an unknown name."""
    if name not in ORDER:
        raise CtxError(
            f'{name} is not an agent that ctxkit knows',
            f'known agents: {", ".join(ORDER)} (the last for any other that reads AGENTS.md)',
        )
    import yaml

    data = yaml.safe_load(_text(f'{name}.yaml'))
    settings = tuple(
        (
            path,
            tuple(
                Setting(tuple(entry['at']), entry.get('item', entry.get('value')), 'value' in entry)
                for entry in entries
            ),
        )
        for path, entries in data['settings'].items()
    )
    files = tuple((path, text.replace('{pointer}\n', _text('pointer.md'))) for path, text in data['files'].items())
    return Template(name, data['title'], data['pointer'], data.get('import', ''), settings, data.get('read', ''), files)


def _text(name: str) -> str:
    return resources.files('ctxkit.agents').joinpath('templates', name).read_text('utf-8')
