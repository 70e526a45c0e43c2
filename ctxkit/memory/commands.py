"""What the commands of a conversation show: failures that were repaired, and the steps that were taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ctxkit.memory.facts import Statement, clean, source_of, statement_in
from ctxkit.memory.transcripts.record import Message, SessionInfo
from ctxkit.safety.secrets import redact

MAX_REPAIRS = 3
MAX_STEPS = 12
# Programs that only look around say nothing about how work is done here.
_LOOKING = frozenset(
    """ls cat head tail grep rg find fd sed awk wc pwd cd echo which tree stat file less more env
printenv whoami date diff sort uniq cut tr xargs test true false sleep history clear man type export set unset source
mkdir touch cp mv rm chmod chown ln curl wget ps kill top df du id uname hostname nl jq node python python3""".split()
)
_READING_GIT = re.compile(
    r'git (?:status|log|diff|show|branch|blame|rev-parse'
    r'|remote|stash list|ls-files|grep|fetch|config)\b'
)
_SHELL_TOOLS = frozenset(
    """bash shell exec_command run_shell_command local_shell_call execute_command terminal
container.exec shell_command""".split()
)
_PREFIX = re.compile(
    r'\A(?:(?:cd [^;&|\n]+|export \w+=[^;&|\n]*'
    r'|source [^;&|\n]+|\. [^;&|\n]+)\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]*=\S* )+'
)
_TAIL = re.compile(r'\s*(?:2>&1)?\s*\|\s*(?:tail|head|grep|tee|cat|less)\b[^|]*\Z|\s*2>&1\s*\Z|\s*>\s*/dev/null\s*\Z')
_ERROR_NAME = re.compile(
    r'\b([A-Z][A-Za-z]{2,40}(?:Error|Exception|Warning|Failure))\b|\b(E[A-Z]{4,12})\b'
    r'|\b(TS\d{4})\b|\b(E\d{4})\b'
)
_EDITS = frozenset('edit write multiedit apply_patch replace write_file str_replace_editor notebookedit patch'.split())
_PATCHED = re.compile(r'\*\*\* (?:Update|Add) File: (\S+)|"(?:file_path|filePath|path|absolute_path)":\s*"([^"]+)"')


class Workflow(NamedTuple):
    """The work commands of a conversation that succeeded, in order, each once; `purpose` is what was asked for."""

    steps: tuple[str, ...]
    purpose: str


def command(message: Message) -> str:
    """The command line of a tool call, without what only sets it up or shortens its output; '' for other tools."""
    if (message.tool_name or '').casefold() not in _SHELL_TOOLS:
        return ''
    line = message.text.strip()
    if '\n' in line or len(line) > 300:
        return ''
    line = _PREFIX.sub('', line)
    while (shorter := _TAIL.sub('', line)) != line:
        line = shorter
    return line.strip()


def is_work(line: str) -> bool:
    """Whether a command line is worth remembering: it builds, tests, migrates or commits."""
    words = line.split()
    if not words or _READING_GIT.match(line):
        return False
    program = words[0].rsplit('/', 1)[-1]
    if program in ('node', 'python', 'python3') and len(words) > 1 and words[1] not in ('-c', '-e', '-'):
        return True
    return program not in _LOOKING and re.fullmatch(r'[\w.+-]+', program) is not None


def workflow(messages: Sequence[Message], known: frozenset[str] = frozenset()) -> Workflow:
    """The steps of a conversation, and what the person asked for before the first of them."""
    steps: dict[str, None] = {}
    failed = _failures(messages)
    purpose, asked = '', ''
    for message in messages:
        if message.human:
            asked = message.text
        elif message.role == 'tool_call' and not failed.get(message.tool_call_id or '', True):
            line = redact(command(message), known)
            if is_work(line) and '[REDACTED' not in line:
                purpose = purpose or asked
                steps.setdefault(line)
    return Workflow(tuple(steps)[:MAX_STEPS], clean(redact(purpose[:500], known))[:120])


def _failures(messages: Sequence[Message]) -> dict[str, bool]:
    """Tool call id -> whether it failed, for the calls that have a result."""
    return {
        message.tool_call_id: bool(message.is_error)
        for message in messages
        if message.role == 'tool_result' and message.tool_call_id
    }


def repairs(info: SessionInfo, messages: Sequence[Message], known: frozenset[str] = frozenset()) -> list[Statement]:
    """Commands that failed and passed after a change: the command, the error's name, and what was changed.

    The text is made only of the command, the error's name and paths, never of free output: so a page or a test that
    prints advice cannot put a sentence into memory.
    """
    failed = _failures(messages)
    broken: dict[str, tuple[str, list[str], Message]] = {}
    outputs = {message.tool_call_id: message for message in messages if message.role == 'tool_result'}
    found: list[Statement] = []
    for message in messages:
        if message.role != 'tool_call' or message.tool_call_id not in failed:
            continue
        if (message.tool_name or '').casefold() in _EDITS or message.text.startswith('*** Begin Patch'):
            changed = [left or right for left, right in _PATCHED.findall(message.text)]
            for _, paths, _ in broken.values():
                paths += [_inside(path, info.cwd) for path in changed]
            continue
        line = redact(command(message), known)
        if not is_work(line):
            continue
        if failed[message.tool_call_id]:
            name = _ERROR_NAME.search(outputs[message.tool_call_id].text)
            broken.setdefault(line, (name[0] if name else '', [], message))
        elif line in broken:
            error, paths, first = broken.pop(line)
            where = ', '.join(f'`{path}`' for path in list(dict.fromkeys(path for path in paths if path))[:3])
            if where and len(found) < MAX_REPAIRS:
                said = f'`{line}` failed{f" with {error}" if error else ""}; passed after a change of {where}'
                found.append(
                    replace(statement_in(info, message, 'pitfall', clean(said), 'tool'), source=source_of(first))
                )
    return found


def _inside(path: str, cwd: str) -> str:
    """`path` relative to the conversation's folder `cwd`; '' if it is outside."""
    path = path.replace('\\\\', '/').replace('\\', '/')
    base = cwd.replace('\\', '/').rstrip('/') + '/'
    if path.startswith(base):
        return path[len(base) :]
    return '' if path.startswith(('/', '~', '..')) or ':' in path else path
