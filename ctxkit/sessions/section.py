"""The block's `session_state`: what the person asked last, and the last answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.repo import Repo
from ctxkit.settings import Settings

if TYPE_CHECKING:
    import sqlite3

REQUESTS = 3
ANSWERS = 24  # answers searched for one that is not a tool call
ANSWER_SHARE = 0.3  # of the budget; the rest goes to the requests
A_DAY = 86_400
FRAME = '<session_state>\n</session_state>\n '  # the block puts this around the lines; part of the budget


def lines(repo: Repo, settings: Settings, budget: int, now: float, count: Callable[[str], int]) -> list[str]:
    """The section's lines within `budget` tokens by `count`: the last three requests, oldest first, and the answer.

    They are compressed and redacted, without markup and injected tags. [] if nothing is logged or the log cannot be
    read.
    """
    del settings
    from ctxkit.sessions.database import FILE

    if not (repo.ctx_dir / FILE).is_file():
        return []
    from ctxkit.errors import CtxError
    from ctxkit.sessions.database import opened

    try:
        with opened(repo.ctx_dir) as db:
            return _of(db, budget - count(FRAME), now, _as_escaped(count))
    except (CtxError, OSError, ValueError):
        return []


def _as_escaped(count: Callable[[str], int]) -> Callable[[str], int]:
    """A counter of text as it will be written in the block, where `<` is `&lt;`."""
    from ctxkit.safety.text import escape

    return lambda text: count(escape(text))


def _of(db: sqlite3.Connection, budget: int, now: float, count: Callable[[str], int]) -> list[str]:
    from ctxkit.sessions.channels import latest
    from ctxkit.sessions.state import state_of

    session_id = latest(db)
    requests = [
        row[0]
        for row in db.execute(
            "SELECT content FROM chat_messages WHERE session_id = ? AND is_ephemeral = 0 AND role = 'user' "
            'ORDER BY id DESC LIMIT ?',
            (session_id, REQUESTS),
        )
    ][::-1]
    answers = db.execute(
        "SELECT content, tool FROM chat_messages WHERE session_id = ? AND is_ephemeral = 0 AND role = 'assistant' "
        'ORDER BY id DESC LIMIT ?',
        (session_id, ANSWERS),
    ).fetchall()
    last = next((content for content, tool in answers if not tool), answers[0][0] if answers else None)
    newest = db.execute(
        'SELECT time FROM chat_messages WHERE session_id = ? ORDER BY id DESC LIMIT 1', (session_id,)
    ).fetchone()
    out = []
    if newest and 0 < newest[0] < now - A_DAY:
        out.append(f'last said on {time.strftime("%Y-%m-%d", time.gmtime(newest[0]))}')
    state = state_of(db, session_id)
    if state.active:
        out.append(f'in progress: {state.tool or "a draft"}')
    left = budget - count('\n'.join(out)) - 1
    texts = [('user', _readable(request)) for request in requests]
    if last:
        texts.append(('assistant', _readable(last)))
    return out + _shared_out(texts, left, count)


def _shared_out(texts: list[tuple[str, str]], left: int, count: Callable[[str], int]) -> list[str]:
    """A line for each text; short ones are served first, so that what they leave goes to the long ones."""
    costs = [count(f'{who}: {text}\n') for who, text in texts]
    said: dict[int, str] = {}
    for waiting, number in zip(range(len(texts), 0, -1), sorted(range(len(texts)), key=costs.__getitem__), strict=True):
        who, text = texts[number]
        share = left // waiting
        if who == 'assistant' and waiting > 1:
            share = min(share, int(left * ANSWER_SHARE))
        said[number] = _line(who, text, share, count)
        left -= count(f'{said[number]}\n') if said[number] else 0
    return [said[number] for number in sorted(said) if said[number]]


def _readable(content: object) -> str:
    """What was said, without secrets (an older log may hold some), markup and control characters."""
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import visible
    from ctxkit.sessions.compress import clean

    return visible(clean(redact(str(content or ''))))


def _line(who: str, text: str, limit: int, count: Callable[[str], int]) -> str:
    from ctxkit.safety.text import printable
    from ctxkit.sessions.compress import compress

    said = compress(text, limit - count(f'{who}: ') - 1, count)
    return printable(f'{who}: {said}') if said else ''
