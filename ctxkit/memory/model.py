"""Ask a model, if the person configured one: by role, within the caps, with every call in the ledger.

A role is an OpenAI-compatible endpoint or a local command. What is sent is redacted; `tasks.py` says what is asked.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctxkit.errors import CtxError
from ctxkit.memory import ledger
from ctxkit.safety import http, programs
from ctxkit.safety.paths import real_folder
from ctxkit.safety.secrets import redact
from ctxkit.settings import MemorySettings
from ctxkit.tokens import count

MAX_ANSWER_BYTES = 256 * 1024


@dataclass(frozen=True)
class Role:
    """How a role is served: by an endpoint with a model's name, or by a command."""

    name: str
    endpoint: str
    model: str
    command: str


def role(memories: MemorySettings, name: str) -> Role | None:
    """The role `default` or `smol` (which falls back to `default`); None if no model is configured."""
    if name == 'smol' and (memories.smol_command or memories.smol_endpoint):
        return Role('smol', memories.smol_endpoint, memories.smol_model, memories.smol_command)
    if memories.default_command or memories.default_endpoint:
        return Role('default', memories.default_endpoint, memories.default_model, memories.default_command)
    return None


@dataclass
class Caller:
    """Makes the model calls of one run. Once `refused` says why a call was not allowed, this run makes no more."""

    memories: MemorySettings
    environ: Mapping[str, str]
    folder: Path
    repository: str
    run: str
    refused: str = ''
    failures: list[str] = field(default_factory=list)
    known: frozenset[str] = frozenset()

    def ask(self, phase: str, name: str, system: str, prompt: str) -> dict[str, Any] | None:
        """The model's JSON object; None if no model is configured, a cap forbids the call, or the call failed."""
        serving = role(self.memories, name)
        if serving is None or self.refused:
            return None
        system, prompt = redact(system, self.known), redact(prompt, self.known)
        file = ledger.path(self.environ)
        try:
            number, self.refused = ledger.book(
                file,
                self.memories,
                time.time(),
                self.run,
                self.repository,
                phase,
                serving.name,
                serving.model or serving.command,
                count(system) + count(prompt),
            )
        except CtxError as error:
            self.refused = error.format_message()  # a call that cannot be booked is not made
        if self.refused:
            return None
        begun, answer, outcome = time.monotonic(), '', 'failed'
        try:
            answer = self._answer(serving, system, prompt)
            body = _object(answer)
            outcome = 'answered' if body is not None else 'no JSON object'
        except (OSError, ValueError, CtxError) as error:
            body, outcome = None, f'{type(error).__name__}: {error}'
        ledger.settle(file, number, count(answer[:MAX_ANSWER_BYTES]), time.monotonic() - begun, outcome)
        if body is None:
            self.failures.append(redact(outcome)[:200])
        return body

    def _answer(self, serving: Role, system: str, prompt: str) -> str:
        seconds = self.memories.max_model_seconds_per_call
        if serving.command:
            # In a folder of its own, so that a session log left by the command is recognized as ours.
            command = _argv(serving.command, self.environ.get('PATH'))
            given, environ = f'{system}\n\n{prompt}'.encode(), {**self.environ, 'CTXKIT_MEMORY_CALL': '1'}
            answer = programs.ask(command, given, seconds, MAX_ANSWER_BYTES, real_folder(self.folder), environ)
            return answer.decode('utf-8', 'replace')
        return _post(serving, self.environ.get(self.memories.api_key_variable, ''), system, prompt, seconds)


def _argv(command: str, path: str | None, windows: bool = os.name == 'nt') -> list[str]:
    """The words of a command, with the program's full path: on Windows its bare name starts no `.cmd`, and may start a
    file in the current folder. Backslashes are no escapes there. Raises CtxError if the program is not found."""
    lexer = shlex.shlex(command, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ''
    if windows:
        lexer.escape = ''
    words = list(lexer)
    program = shutil.which(words[0], path=path) if words else None
    if program is None or not os.path.isabs(program):
        raise CtxError(f'{command!r} was not found', 'give the whole path of the program')
    return [program, *words[1:]]


def _post(serving: Role, key: str, system: str, prompt: str, seconds: float) -> str:
    body = {
        'model': serving.model,
        'temperature': 0,
        'max_tokens': 2000,
        'messages': [{'role': 'system', 'content': system}, {'role': 'user', 'content': prompt}],
    }
    headers = {'Authorization': f'Bearer {key}'} if key else {}
    found = http.ask(f'{serving.endpoint.rstrip("/")}/chat/completions', seconds, headers, body)
    try:
        return str(found['choices'][0]['message']['content'])
    except (LookupError, TypeError) as error:
        raise CtxError('the endpoint answered without choices[0].message.content') from error


def _object(answer: str) -> dict[str, Any] | None:
    """The JSON object in an answer: the whole text, else what its outermost braces hold."""
    for text in (answer, answer[answer.find('{') : answer.rfind('}') + 1]):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None
