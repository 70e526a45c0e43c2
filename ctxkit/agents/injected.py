"""The answer to an agent's hook: the ready block, or nothing; nothing is computed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxkit import config, tokens
from ctxkit.agents import answer, child, freshness
from ctxkit.agents.payload import Payload
from ctxkit.events.requests import disabled
from ctxkit.feedback import log, share, state


def answer_to(
    given: Payload, agent: str, event: str, max_chars: int, folder: Path, environ: Mapping[str, str], now: float
) -> str:
    """What a hook answers, '' where nothing: the block for a conversation that begins, and a note of each prompt.

    `event` is the hook's, `folder` where the agent works, `max_chars` the most bytes (0: as many as the agent takes).
    Which conversations get the block, and whether it is stepped down to paths, is decided here and noted.
    """
    repo = freshness.find_tree(folder)
    if repo is None:
        return answer.nothing(agent, event).text
    settings = config.load(repo.ctx_dir / 'config.yaml', environ)
    group = share.group(given.session, settings.inject.share)
    if event in answer.PROMPT_EVENTS:
        if given.session and repo.data_dir.is_dir():
            log.note(repo, 'prompt', now, given.session, agent=agent, group=group)
            child.log_message(repo.root, given.session, 'user', given.prompt)
        return answer.nothing(agent, event).text
    xml = freshness.block(repo)
    if disabled(environ) or not xml:
        return answer.nothing(agent, event).text
    found = freshness.status(repo)
    down = state.current(repo, now)
    said = freshness.sentence(str(found.get('commit', '')), freshness.head(repo))
    if down.down:
        said += f' Paths only, since {down.reason}.'
    out = answer.nothing(agent, event)
    if group == share.BLOCK:
        out = answer.answer(agent, event, xml, said, max_chars or answer.LIMIT, down.down)
    log.note(
        repo,
        'shown',
        now,
        given.session,
        agent=agent,
        group=group,
        down=down.down,
        tokens=tokens.count(out.text) if group == share.BLOCK else 0,
    )
    return out.text
