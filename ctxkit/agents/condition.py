"""What `ctxkit doctor` reports of the agents' files: each that is not as `ctxkit init --agent` would write it now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.agents import jsonc, marked, readlist
from ctxkit.agents.changes import Changes, Record
from ctxkit.agents.files import installed, is_ours, place, signed
from ctxkit.agents.template import Template, load, names, pointer_for
from ctxkit.errors import CtxError
from ctxkit.events.diagnosis import Finding
from ctxkit.repo import Repo


class Difference(NamedTuple):
    """A file that is not as it should be. `first` is a step before `ctxkit init`; with `meant` it is no fault."""

    path: str
    what: str
    first: str = ''
    meant: bool = False


def examine(repo: Repo) -> list[Finding]:
    """The findings, one a file; none where no agent was set up. Writes nothing; reads what `ctxkit init` would.

    An agent is set up if the work tree holds something of ours, or if `ctxkit init` recorded a file that now holds
    nothing of ours: an agent that rewrites its instructions silently removes our lines.
    """
    agents = installed(repo)
    found: dict[Difference, list[str]] = {}
    for agent in agents:
        for difference in _differences(repo, load(agent)):
            found.setdefault(difference, []).append(agent)
    expected = {path for agent in agents for path in _recorded_files(load(agent))}
    lost = [path for path in Record(repo).paths if path not in expected]
    return [
        *(_finding(difference, again) for difference, again in found.items()),
        *(_lost(path) for path in lost),
        *([Finding(True, f'agents are set up: {", ".join(agents)}')] if agents and not found and not lost else []),
    ]


def _finding(found: Difference, agents: list[str]) -> Finding:
    advice = f'{found.first}run: ctxkit init {" ".join(f"--agent {agent}" for agent in agents)}'
    if found.meant:  # advice is shown only with a fault, so it goes into the text
        return Finding(True, f'{found.path} {found.what}; {advice}')
    return Finding(False, f'{found.path} {found.what}', advice)


def _lost(path: str) -> Finding:
    whose = [agent for agent in names() if path in _recorded_files(load(agent))]
    return Finding(
        False,
        f'{path} no longer contains what ctxkit init wrote for {" or ".join(whose) or "an agent"}',
        f'run: ctxkit init --agent {whose[0] if len(whose) == 1 else "NAME"}, or add --remove if this was intended',
    )


def _recorded_files(template: Template) -> list[str]:
    """The person's own files that are edited for an agent and that `ctxkit init` records."""
    chosen = [path for choice, _ in template.settings for path in choice.split('|')]
    return [*filter(None, (template.pointer, template.read)), *chosen]


def _differences(repo: Repo, template: Template) -> Iterator[Difference]:
    """For an agent that is set up, the files that are not as `ctxkit init` would leave them."""
    changes = Changes(repo)
    if template.pointer:
        text = changes.text(template.pointer, careful=False)
        owners = marked.owners(text)
        if template.name not in owners:
            yield Difference(template.pointer, f'has no ctxkit section for {template.name}')
        elif marked.put(text, template.name, pointer_for(owners)) != text:
            yield Difference(template.pointer, 'has a ctxkit section that is from another version or was edited')
    for choice, entries in template.settings:
        path = changes.first(choice)
        text = changes.text(path, careful=False) or '{}'
        try:
            lacking = ['.'.join(entry.at) for entry in entries if not entry.as_value and place(text, entry) is None]
        except jsonc.NotJson as error:
            yield Difference(path, f'cannot be read ({error})', 'repair it, then ')
            continue
        if lacking:
            yield Difference(path, f'lacks the ctxkit entries in {", ".join(lacking)}')
    if template.read:
        text = changes.text(template.read, careful=False)
        try:
            if readlist.put(text, template.read) != text:
                yield Difference(template.read, f'has no {readlist.PATH} in its list `read`')
        except CtxError as error:
            yield Difference(template.read, f'cannot be read ({error.message})', 'repair it, then ')
    for path, wanted in template.files:
        text = changes.text(path, careful=False).replace('\r\n', '\n')
        if not text:
            yield Difference(path, 'is missing')
        elif not is_ours(path, text):
            yield Difference(path, 'was edited, so ctxkit leaves it alone', 'to replace it, delete it and ', True)
        elif text != signed(path, wanted):
            yield Difference(path, 'is from another version of ctxkit')
