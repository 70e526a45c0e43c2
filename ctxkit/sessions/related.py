"""Whether a request is about the ephemeral context: by shared names, by what it refers to, or by the embedding.

The cheap signs come first, and the embedding is loaded only if they do not decide. A false "related" keeps a context
alive for too long, a false "unrelated" costs nothing until it comes N times in a row: so doubt means unrelated.

The context's matter is what it is about.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ctxkit.rules import table
from ctxkit.sessions.ttl import Judgement, State
from ctxkit.sessions.words import content, language, strong

CUES = Path(__file__).with_name('cues.rules')
FEW = 4  # new words that a request may have and still continue the matter; a new name counts as this many
# Cosines from which the embedding decides for "related". In the conversations of benchmarks/sessions follow-ups reach
# 0.5, unrelated everyday questions 0.4: the model knows code, and little else.
NEAR, NEAR_ALONE = 0.3, 0.5
PIECES = 12  # texts compared of the matter: the request that began it and the newest
PIECE_CHARACTERS = 1500


@dataclass(frozen=True)
class Matter:
    """What a request is compared with: the context's texts, and the unrelated requests since, newest last."""

    texts: tuple[str, ...]
    strayed: tuple[str, ...] = ()


def judge(db: sqlite3.Connection, session_id: str, state: State, request: str) -> Judgement:
    """The judgement on a request to a conversation in this state."""
    return compare(request, matter_of(db, session_id, state))


def matter_of(db: sqlite3.Connection, session_id: str, state: State) -> Matter:
    """The active context's texts: the request that began it, its messages, the follow-ups and their answers."""
    opening = db.execute(
        'SELECT id, turn, content FROM chat_messages WHERE session_id = ? AND id < ? '
        "AND role = 'user' ORDER BY id DESC LIMIT 1",
        (session_id, state.since),
    ).fetchone()
    turn = opening[1] if opening else -1
    newest = db.execute(
        'SELECT content FROM chat_messages m WHERE session_id = ? AND id >= ? AND (turn = ? OR EXISTS ('
        "SELECT 1 FROM chat_messages u WHERE u.session_id = m.session_id AND u.role = 'user' AND u.turn = m.turn AND "
        'u.related = 1)) ORDER BY id DESC LIMIT ?',
        (session_id, state.since, turn, PIECES),
    ).fetchall()
    strayed = db.execute(
        "SELECT content FROM chat_messages WHERE session_id = ? AND id >= ? AND role = 'user' AND "
        'related = 0 ORDER BY id DESC LIMIT ?',
        (session_id, state.since, state.unrelated),
    ).fetchall()
    texts = [str(row[0] or '')[:PIECE_CHARACTERS] for row in ([(opening[2],)] if opening else []) + newest[::-1]]
    return Matter(tuple(texts), tuple(str(row[0] or '')[:PIECE_CHARACTERS] for row in strayed[::-1]))


def compare(request: str, matter: Matter) -> Judgement:
    """Whether the request is about the matter."""
    names, known = strong(request), frozenset().union(*map(strong, matter.texts))
    if names & known:
        return Judgement(True, f'names {sorted(names & known)[0]}')
    words, said = content(request), frozenset().union(*map(content, matter.texts))
    strayed_words = words & frozenset().union(*map(content, matter.strayed))
    common = (words & said) - strayed_words
    cues = _cues(request)
    if len(common) > 1 or (common and len(words) <= len(common) * (3 if 'world' in cues else FEW)):
        return Judgement(True, f'says {", ".join(sorted(common))}')
    news = len(words - said) + FEW * len(names)
    if 'world' not in cues and not strayed_words and _goes_on(cues, news, matter):
        return Judgement(True, 'goes on with what was said')
    return _by_meaning(request, matter, NEAR_ALONE if 'world' in cues or matter.strayed else NEAR)


def _goes_on(cues: frozenset[str], news: int, matter: Matter) -> bool:
    """Whether a request that is incomplete in itself continues the matter, judged by what the last request was about.

    If the talk has left the matter, only a change to something existing counts, because only the matter can be changed.
    `news` counts the new words: a question that brings some and refers to nothing stands on its own.
    """
    if _is_elsewhere(matter):
        return 'changes' in cues and 'asks' not in cues and news < FEW
    if cues & {'refers', 'changes'}:
        return True
    if matter.strayed or 'asks' in cues:
        return not news
    return news <= FEW


def _is_elsewhere(matter: Matter) -> bool:
    """Whether the talk has surely left the matter; a single doubtful request is not enough."""
    return len(matter.strayed) > 1 or any('world' in _cues(text) for text in matter.strayed)


def _cues(request: str) -> frozenset[str]:
    """The verdicts of the rules in the request's own language that match it."""
    spoken = language(request)
    found = {rule.verdict for rule in table(CUES) if rule.language == spoken and rule.search(request)}
    return frozenset(found | ({'asks'} if request.rstrip().endswith(('?', '？')) else set()))


def _by_meaning(request: str, matter: Matter, needed: float) -> Judgement:
    """The embedding's judgement: near to one text of the matter, and nearer than to any text that strayed."""
    from ctxkit.embedding import load
    from ctxkit.errors import CtxError

    try:
        encoder = load()
        texts = [*matter.texts, *matter.strayed]
        near = [float(value) for value in encoder.encode(texts) @ encoder.encode_query(request)]
    except (CtxError, ImportError, OSError):
        return Judgement(False, 'nothing in common, and no embedding to ask')
    to_matter = max(near[: len(matter.texts)], default=0.0)
    to_strayed = max(near[len(matter.texts) :], default=0.0)
    related = to_matter >= needed and to_matter > to_strayed
    return Judgement(related, f'{"near" if related else "nothing in common"} ({to_matter:.2f})')
