"""What a commit message states for the memory: `Decision:`, `Convention:`, `Goal:`, `Question:` lines and trailers."""

from __future__ import annotations

import re

from ctxkit.memory.facts import Source, Statement, clean
from ctxkit.repo import Repo, git, resolve, text

# The names in seven languages, at the beginning of a line or as a trailer.
_NAMES = {
    'decision': 'decision|decided|decisione|решение|决定|决策|entscheidung|decisión|décision',
    'convention': 'convention|constraint|rule|convenzione|vincolo|соглашение|правило|ограничение|约定|规范|约束'
    '|konvention|vorgabe|convención|restricción|contrainte',
    'goal': 'goal|project-goal|obiettivo|цель|目标|ziel|objetivo|objectif|but',
    'question': 'question|open-question|open question|domanda aperta|domanda|открытый вопрос|вопрос|问题|待定'
    '|offene frage|frage|pregunta abierta|pregunta|question ouverte',
    'withdraw': 'retract|retracts|retracted',
}
_LINE = re.compile(
    r'^[-*\s]*(?:'
    + '|'.join(f'(?P<{kind}>{names})' for kind, names in _NAMES.items())
    + r')\s*[:：]\s*(?P<text>\S.*)$',
    re.IGNORECASE,
)
MAX_MESSAGE = 64 * 1024
MOST = 200  # commits read of one event, the newest of them


def statements(repo: Repo, commit: str, since: str = '') -> list[Statement]:
    """The statements of `commit` and the commits before it that are not in `since`, oldest first; MOST commits at most.

    Each is dated by its commit's author. Without `since`, or if git no longer knows it, only `commit` is read.
    """
    known = resolve(repo, since) if since else ''
    asked = (f'--max-count={MOST}', commit, f'^{known}') if known and known != commit else ('--max-count=1', commit)
    raw = git(
        repo, 'log', '--reverse', '--no-show-signature', '--format=%x00%at%x00%H%x00%B', *asked, '--', check=False
    )
    fields = raw.split(b'\0')[1:]
    out = []
    for time, ident, message in zip(*(fields[first::3] for first in range(3)), strict=False):
        at, said = text(time), message[:MAX_MESSAGE].decode('utf-8', 'replace')
        out += of_message(said, text(ident), float(at) if at.isdigit() else 0.0)
    return out


def of_message(message: str, commit: str, at: float) -> list[Statement]:
    """The statements in one `message`. An indented line continues the one above it."""
    from ctxkit.memory.phrases import options

    found: list[tuple[str, str]] = []
    for line in message.splitlines():
        match = _LINE.match(line)
        if match:
            kind = next(name for name in _NAMES if match[name])
            found.append((kind, match['text']))
        elif found and line[:1] in (' ', '\t') and line.strip():
            found[-1] = found[-1][0], f'{found[-1][1]} {line.strip()}'
        elif not line.strip() or line[:1] not in (' ', '\t'):
            found.append(('', ''))
    out = []
    for kind, said in found:
        if kind:
            text = clean(said)  # shortens first: options() takes minutes on a line of 64 KB
            picked = options(text)
            out.append(
                Statement(
                    kind,
                    text,
                    'commit',
                    Source('git', '', commit[:12]),
                    at,
                    chosen=picked.chosen,
                    instead_of=picked.instead_of,
                    negative=picked.negative,
                )
            )
    return out
