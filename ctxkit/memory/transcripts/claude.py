"""Claude Code: one JSON-lines file a session below `projects/`, a tree linked by `parentUuid`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import blocks, command_of, epoch
from ctxkit.memory.transcripts.json_lines import head, records
from ctxkit.memory.transcripts.qwen import is_ours as is_qwens
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start

AGENT = 'claude'
SKIPPED = frozenset(
    {
        'attachment',
        'progress',
        'queue-operation',
        'file-history-snapshot',
        'mode',
        'permission-mode',
        'pr-link',
        'frame-link',
        'started',
        'result',
        'summary',
        'ai-title',
        'custom-title',
        'agent-name',
        'last-prompt',
        'system',
        'relocated',
        'worktree-state',
        'agent-color',
        'tag',
        # Copies of what was sent to the API, and its cost.
        'api-request',
        'api-request-blob',
        'api-request-shape',
        'atis-latch',
        'cost-state',
        'tools-used',
    }
)
# Text that the program itself puts into a user message.
_INJECTED = re.compile(
    r'<(command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|'
    r'local-command-caveat|system-reminder|task-notification|persisted-output|bash-input|bash-stdout|bash-stderr|'
    r'user-memory-input|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics)>.*?(?:</\1>|\Z)',
    re.DOTALL,
)
_INTERRUPTED = re.compile(r'\[Request interrupted by user[^\]\n]{0,80}\]')


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The session files of all projects, without opening one; folders of subagents are not entered."""
    del roots
    named = [Path(part.strip()) for part in environ.get('CLAUDE_CONFIG_DIR', '').split(',') if part.strip()]
    for root in named or [home / '.claude', home / '.config' / 'claude']:
        for file in sorted(root.glob('projects/*/*.jsonl')):
            found = candidate(AGENT, file)
            if found and not file.name.endswith('journal.jsonl'):
                yield found


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the head of the file; None if it holds no conversation."""
    info = start(found, Path(found.path).stem)
    origin_seen = False
    for value in head(found.path):
        if value.get('type') not in ('user', 'assistant', 'system'):
            continue
        if is_qwens(value):
            return None
        if not info.cwd and isinstance(value.get('cwd'), str) and not value.get('isSidechain'):
            info.cwd = value['cwd']
        info.git_branch = info.git_branch or _text(value.get('gitBranch')) or None
        info.started = info.started or epoch(value.get('timestamp'))
        if value.get('agentId') or _text(value.get('sessionId')).startswith('agent-'):
            info.kind = 'subagent'
        origin_seen = origin_seen or isinstance(value.get('origin'), dict)
        automated = value.get('promptSource') == 'sdk' or _text(value.get('entrypoint')).startswith('sdk')
        if automated and info.kind == 'main' and not origin_seen:
            info.kind = 'headless'
        if info.cwd and value.get('type') == 'assistant':
            break
    return info if info.cwd else None


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The live conversation in its own order, without abandoned branches, retracted lines and injected text."""
    kept, dropped, links = Kept(info), set[str](), dict[str, str]()
    seen: set[str] = set()
    for _, value in records(info, offset):
        kind = str(value.get('type'))
        uuid, parent = _text(value.get('uuid')), _text(value.get('parentUuid') or value.get('logicalParentUuid'))
        for name in ('supersedesUuids', 'retractedMessageUuids'):
            if isinstance(value.get(name), list):
                dropped.update(str(item) for item in value[name])
        if uuid and uuid in seen:
            continue
        if uuid:
            seen.add(uuid)
            links[uuid] = parent
        if kind in ('user', 'assistant') and isinstance(value.get('message'), dict):
            if value.get('isSidechain') is not True:
                _message(kept, value, kind, uuid)
        elif kind not in SKIPPED:
            info.unknown_types[kind[:40]] += 1
    yield from _live(kept.messages, links, dropped)


def _message(kept: Kept, value: dict[str, Any], kind: str, uuid: str) -> None:
    body = value['message']
    content = body.get('content')
    common: dict[str, Any] = {
        'msg_id': uuid or f'{body.get("id")}@{value.get("timestamp")}',
        'ts': epoch(value.get('timestamp')),
    }
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if block.get('type') == 'tool_use':
            kept.add(
                'tool_call',
                command_of(block.get('input')),
                tool=_text(block.get('name')),
                call=_text(block.get('id')),
                **common,
            )
        elif block.get('type') == 'tool_result':
            kept.add(
                'tool_result',
                blocks(block.get('content')),
                call=_text(block.get('tool_use_id')),
                error=block.get('is_error') is True,
                **common,
            )
    text = blocks(content, ('text',))
    if not text:
        return
    if kind == 'assistant':
        kept.add('assistant', text, **common)
    elif value.get('isCompactSummary'):
        kept.add('summary', text, **common)
    else:
        text = _INTERRUPTED.sub('', _INJECTED.sub('', text)).strip()
        if text:
            human = not value.get('isMeta') and _typed(value)
            kept.add('user' if human else 'meta', text, human=human, **common)


def _typed(value: dict[str, Any]) -> bool:
    """Whether a person typed it: `origin` says so if it exists; otherwise automation identifies itself."""
    origin = value.get('origin')
    if isinstance(origin, dict):
        return origin.get('kind') == 'human'
    return (
        value.get('promptSource') != 'sdk'
        and not _text(value.get('entrypoint')).startswith('sdk')
        and 'toolUseResult' not in value
        and 'interruptedMessageId' not in value
    )


def _live(found: list[Message], links: dict[str, str], dropped: set[str]) -> Iterator[Message]:
    """The messages ordered by the tree, not by lines (a fork mixes them), without those rewound or retracted."""
    depth, root = _depths(links)
    alive = _alive(found, links, root, dropped)
    lost = {message.msg_id for message in found if message.human and message.msg_id not in alive} | dropped
    gone: dict[str, bool] = {}

    def rewound(uuid: str) -> bool:
        """Whether this message, or else the nearest person's message above it, was left behind."""
        chain: list[str] = []
        while uuid and uuid not in gone and uuid in links and len(chain) <= len(links):
            if uuid in lost or uuid in alive:
                gone[uuid] = uuid in lost
                break
            chain.append(uuid)
            uuid = links[uuid]
        verdict = gone.get(uuid, False)
        gone.update((name, verdict) for name in chain)
        return verdict

    begun: dict[str, float] = {}
    for message in found:
        if message.msg_id in root and message.ts is not None:
            top = root[message.msg_id]
            begun[top] = min(begun.get(top, message.ts), message.ts)
    first = {top: index for index, top in reversed(list(enumerate(dict.fromkeys(root.values()))))}

    def place(message: Message) -> tuple[float, int, int, int]:
        top = root.get(message.msg_id, '')
        return begun.get(top, message.ts or 0.0), first.get(top, 0), depth.get(message.msg_id, 0), message.seq

    for seq, message in enumerate(sorted(found, key=place)):
        if message.msg_id not in dropped and not rewound(message.msg_id):
            yield message._replace(seq=seq)


def _depths(links: dict[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """The depth of each entry, and the root of its tree; a cycle is cut where it closes."""
    depth: dict[str, int] = {}
    root: dict[str, str] = {}
    for uuid in links:
        chain: list[str] = []
        at, walked = uuid, set[str]()
        while at in links and at not in depth and at not in walked:
            chain.append(at)
            walked.add(at)
            at = links[at]
        base, top = (depth[at], root[at]) if at in depth else (-1, chain[-1] if chain else at)
        for step, name in enumerate(reversed(chain), 1):
            depth[name], root[name] = base + step, top
    return depth, root


def _alive(found: list[Message], links: dict[str, str], root: dict[str, str], dropped: set[str]) -> set[str]:
    """The entries on the way from each tree's newest message up to its root."""
    leaves: dict[str, tuple[float, int, str]] = {}
    for message in found:
        if message.msg_id in links and message.msg_id not in dropped:
            rank = (message.ts or 0.0, message.seq, message.msg_id)
            top = root[message.msg_id]
            leaves[top] = max(leaves.get(top, rank), rank)
    alive: set[str] = set()
    for _, _, uuid in leaves.values():
        while uuid in links and uuid not in alive:
            alive.add(uuid)
            uuid = links[uuid]
    return alive


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ''
