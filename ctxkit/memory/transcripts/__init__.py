"""Transcripts of coding agents, read-only, behind one interface.

Each reader module has `AGENT`, `candidates(home, environ, roots)` (which opens no file), `describe(candidate)` (session
and folder, from the head) and `messages(info, offset)`. Everything read is untrusted data; nothing is redacted yet.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxkit.errors import CtxError
from ctxkit.memory.transcripts.record import Candidate, Message, SessionInfo, candidate

AGENTS = ('claude', 'codex', 'pi', 'gemini', 'qwen', 'copilot', 'opencode', 'aider')
ALSO = {'claude-code': 'claude'}  # as `ctxkit init --agent` names it
SEVERAL_IN_ONE_FILE = ('opencode', 'aider')  # their modules also have `at(path)`: the sessions in one file


def reader(agent: str) -> Any:
    """The reader module of an agent. Raises CtxError for a name that is not in AGENTS."""
    if agent not in AGENTS:
        raise CtxError(f'no reader for {agent!r}', f'the agents are {", ".join(AGENTS)}')
    return importlib.import_module(f'ctxkit.memory.transcripts.{agent}')


def candidates(
    home: Path, environ: Mapping[str, str], roots: Sequence[Path] = (), agents: Sequence[str] = AGENTS
) -> Iterator[Candidate]:
    """All places that may hold a conversation, found without opening a file (a database is asked for its list).

    `roots` are the work trees whose own history files (aider's) are included.
    """
    for agent in agents:
        yield from reader(agent).candidates(home, environ, roots)


def sessions(
    home: Path, environ: Mapping[str, str], roots: Sequence[Path] = (), agents: Sequence[str] = AGENTS
) -> Iterator[SessionInfo]:
    """All conversations with this person's agents; opens the head of each file."""
    for found in candidates(home, environ, roots, agents):
        info = describe(found)
        if info is not None:
            yield info


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the head; None if the place holds no conversation or cannot be read."""
    try:
        info: SessionInfo | None = reader(found.agent).describe(found)
    except OSError:
        return None
    return info


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The messages of a conversation in their order. Raises OSError if the file can no longer be read."""
    found: Iterator[Message] = reader(info.agent).messages(info, offset)
    return found


def read(
    agent_or_path: str, home: Path, environ: Mapping[str, str], roots: Sequence[Path] = ()
) -> Iterator[tuple[SessionInfo, Iterator[Message]]]:
    """(session, its messages) of every session of an agent, the last used one at the end; or of the one file at a path,
    whichever agent wrote it.

    Raises CtxError if the path is no file, or no transcript that a reader knows.
    """
    agent = ALSO.get(agent_or_path, agent_or_path)
    if agent in AGENTS:
        for info in sorted(sessions(home, environ, roots, (agent,)), key=_last_used):
            yield info, messages(info)
        return
    path = Path(agent_or_path)
    if not path.is_file():
        raise CtxError(f'{agent_or_path} is neither a file nor an agent', f'the agents are {", ".join(AGENTS)}')
    found = False
    for agent in AGENTS:
        for info in _in_file(agent, path):
            found = True
            yield info, messages(info)
        if found:
            return
    raise CtxError(
        f'{agent_or_path} is not a transcript that ctxkit can read', f'it reads those of {", ".join(AGENTS)}'
    )


def _last_used(info: SessionInfo) -> float:
    return info.mtime_ns / 1e9


def _in_file(agent: str, path: Path) -> Iterator[SessionInfo]:
    """The sessions that `agent` wrote into the file `path`; none if it has another format."""
    if agent in SEVERAL_IN_ONE_FILE:
        places = list(reader(agent).at(path))
    else:
        place = candidate(agent, path) if path.suffix in ('.jsonl', '.json') else None
        places = [place] if place else []
    for found in places:
        info = describe(found)
        if info is not None:
            yield info
