"""Answer an agent's hook: the ready block when a conversation begins; for a prompt, its code or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ctxkit import config, tokens
from ctxkit.agents import answer, child, on_disk
from ctxkit.agents.payload import Payload
from ctxkit.events.requests import disabled
from ctxkit.feedback import control_group, log, state
from ctxkit.in_thread import in_thread
from ctxkit.repo import SERIES, Repo, operation
from ctxkit.settings import Settings


def answer_to(
    given: Payload, agent: str, event: str, max_chars: int, folder: Path, environ: Mapping[str, str], now: float
) -> str:
    """The answer to a hook, '' for none: the block for a new conversation, its code for a prompt (`inject.prompts`).

    `event` is the hook's, `folder` is where the agent works, `max_chars` is the most bytes (0: as many as the agent
    takes). This decides which conversations get the block and whether it is stepped down to paths. The decision,
    prompts and what was given are logged.
    """
    repo = on_disk.find_tree(folder)
    if repo is None:
        return answer.nothing(agent, event).text
    settings = config.load(repo.ctx_dir / 'config.yaml', environ)
    group = control_group.group(given.session, settings.inject.share)
    is_prompt = event in answer.PROMPT_EVENTS
    if is_prompt and given.session and repo.data_dir.is_dir():
        log.note(repo, 'prompt', now, given.session, agent=agent, group=group)
        child.log_message(repo.root, given.session, 'user', given.prompt)
    xml = on_disk.block(repo)
    if disabled(environ) or not xml:
        return answer.nothing(agent, event).text
    commit, head = str(on_disk.status(repo).get('commit', '')), on_disk.head(repo)
    if given.session or not is_prompt:
        _catch_up(repo, commit, head, environ)
    if is_prompt:
        if settings.inject.prompts == 'off' or group != control_group.BLOCK:
            return answer.nothing(agent, event).text
        return _code_for(repo, settings, given, agent, event, max_chars, now)
    if given.source == 'resume' and _has_block(repo, given.session, commit):
        return answer.nothing(agent, event).text
    down = state.current(repo, now)
    said = on_disk.sentence(commit, head)
    if down.down:
        said += f' Paths only, since {down.reason}.'
    out = answer.nothing(agent, event)
    if group == control_group.BLOCK:
        out = answer.answer(agent, event, xml, said, max_chars or answer.LIMIT, down.down)
    log.note(
        repo,
        'shown',
        now,
        given.session,
        agent=agent,
        group=group,
        resumed=given.source == 'resume',
        commit=commit,
        down=down.down,
        tokens=tokens.count(out.text) if group == control_group.BLOCK else 0,
    )
    return out.text


def _has_block(repo: Repo, session: str, commit: str) -> bool:
    """Whether a resumed conversation already holds the block of `commit`."""
    shown = [one for one in log.of_conversation(repo, session) if one.get('kind') == 'shown']
    return bool(commit and shown and shown[-1].get('commit') == commit and shown[-1].get('tokens'))


def _catch_up(repo: Repo, indexed: str, head: str, environ: Mapping[str, str]) -> None:
    """Have a worker index HEAD if the block is of another commit: `git reset` and some tools run no hook.

    Not during a rebase or `git am`, whose end is an event: a worker would wait for it, a minute for each prompt.
    """
    if not indexed or not head or indexed == head:
        return
    from ctxkit.events.detach import note_and_start
    from ctxkit.events.install import unwanted

    if operation(repo) not in SERIES and not unwanted(repo):
        note_and_start(repo, 'update', environ)


def _code_for(
    repo: Repo, settings: Settings, given: Payload, agent: str, event: str, max_chars: int, now: float
) -> str:
    """The code for a prompt in the agent's form; the agent's "no context" answer if no code is found in time."""
    from ctxkit.agents import prompted

    given_keys = prompted.given_keys(log.of_conversation(repo, given.session))
    if not prompted.is_wanted(settings, agent, given.prompt, given_keys):
        return answer.nothing(agent, event).text
    down, limit = state.current(repo, now).down, max_chars or answer.LIMIT
    besides = prompted.attached(repo, agent, given.prompt)
    waiting = in_thread(lambda: prompted.code_for(repo, settings, given.prompt, given_keys, now, limit, down, besides))
    found = None
    with suppress(TimeoutError):
        found = waiting(settings.inject.seconds)
    if found is None:
        return answer.nothing(agent, event).text
    text = answer.answer(agent, event, found.xml, '', limit, down).text
    log.note(repo, 'code', now, given.session, agent=agent, tokens=tokens.count(text), keys=found.keys)
    return text
