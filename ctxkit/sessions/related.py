"""Whether a request is about the ephemeral context's matter: by shared names, by what it refers to, by the embedding.

The cheap signs come first, and the embedding is loaded only where they do not decide. A false "related" keeps a context
alive for too long, a false "unrelated" costs nothing until it comes N times in a row: doubt means unrelated.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ctxkit.rules import first, table
from ctxkit.sessions.matter import Judgement, State
from ctxkit.sessions.words import content, strong

CUES = Path(__file__).with_name('cues.rules')
PIECES = 12  # texts of the matter that are looked at: the request that began it and the newest
PIECE_CHARACTERS = 1500


@dataclass(frozen=True)
class Matter:
    """What a request is held against: the texts of the context, and the unrelated requests since, newest last."""

    texts: tuple[str, ...]
    strayed: tuple[str, ...] = ()


def judge(db: sqlite3.Connection, session_id: str, state: State, request: str) -> Judgement:
    """The judgement on a request to a conversation with this state."""
    return compare(request, matter_of(db, session_id, state))


def matter_of(db: sqlite3.Connection, session_id: str, state: State) -> Matter:
    """The active context's texts: the request that began it, its messages, the follow-ups and their answers."""
    opening = db.execute('SELECT id, turn, content FROM chat_messages WHERE session_id = ? AND id < ? '
                         "AND role = 'user' ORDER BY id DESC LIMIT 1", (session_id, state.since)).fetchone()
    turn = opening[1] if opening else -1
    newest = db.execute(
        'SELECT content FROM chat_messages m WHERE session_id = ? AND id >= ? AND (turn = ? OR EXISTS ('
        "SELECT 1 FROM chat_messages u WHERE u.session_id = m.session_id AND u.role = 'user' AND u.turn = m.turn AND "
        'u.related = 1)) ORDER BY id DESC LIMIT ?', (session_id, state.since, turn, PIECES)).fetchall()
    strayed = db.execute("SELECT content FROM chat_messages WHERE session_id = ? AND id >= ? AND role = 'user' AND "
                         'related = 0 ORDER BY id DESC LIMIT ?', (session_id, state.since, state.unrelated)).fetchall()
    texts = [str(row[0] or '')[:PIECE_CHARACTERS] for row in ([(opening[2],)] if opening else []) + newest[::-1]]
    return Matter(tuple(texts), tuple(str(row[0] or '')[:PIECE_CHARACTERS] for row in strayed[::-1]))


def compare(request: str, matter: Matter) -> Judgement:
    """Whether the request is about the matter."""
    shared = strong(request) & frozenset().union(*map(strong, matter.texts))
    if shared:
        return Judgement(True, f'names {sorted(shared)[0]}')
    words = content(request)
    common = words & frozenset().union(*map(content, matter.texts))
    strayed = words & frozenset().union(*map(content, matter.strayed))
    cues = table(CUES)
    alone = first(cues, 'alone', request) is not None
    back = None if alone or matter.strayed else first(cues, 'refers', request) or first(cues, 'changes', request)
    if common - strayed and (len(common) > 1 or 2 * len(common) >= len(words) or not alone):
        return Judgement(True, f'says {", ".join(sorted(common))}')
    if back is not None:
        return Judgement(True, f'{back.verdict} ({back.reason})')
    return Judgement(False, 'nothing in common')
