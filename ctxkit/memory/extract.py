"""Phase 1 without a model: what one conversation decided, ruled, aimed at, left open and repaired.

The result is deterministic. Only what a person typed makes a person's statements; an agent's sentences and a tool's
output make proposals. A person's plain assent to an agent's proposal makes it theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ctxkit.memory.commands import Workflow, repairs, workflow
from ctxkit.memory.facts import Statement, clean, source_of, statement_in
from ctxkit.memory.phrases import Options, Phrases, languages, options, phrases
from ctxkit.memory.sentences import sentences
from ctxkit.memory.transcripts.record import Message, SessionInfo
from ctxkit.memory.words import content
from ctxkit.safety.secrets import redact

VERSION = 4  # raise with any change that alters what is extracted: conversations are then read again
OWN_MARK = 'ctxkit-memory-call'
MAX_SENTENCE = 400
MAX_HUMAN_TEXT = 20_000
MAX_AGENT_STATEMENTS = 5
MAX_STATEMENTS = 200
MAX_AGENT_TEXT = 200_000
KIND_ORDER = ('question', 'goal', 'convention', 'decision')


@dataclass(frozen=True)
class Extract:
    """What one conversation gave; empty for one of ctxkit's own model calls. `turns` counts a person's messages."""

    statements: tuple[Statement, ...]
    workflow: Workflow
    synopsis: str
    turns: int


def extract(info: SessionInfo, messages: Iterable[Message], known: frozenset[str] = frozenset()) -> Extract:
    """Read a conversation once and return what is worth keeping, redacted; `known` holds exact secret values."""
    statements: list[Statement] = []
    offered: list[Statement] = []
    runs: list[Message] = []
    turns, asked, from_agent, agent_said = 0, '', 0, ''
    for message in messages:
        if message.human:
            turns += 1
            text = redact(message.text, known)[:MAX_HUMAN_TEXT]  # cut first, half of a secret could be left
            if turns == 1 and OWN_MARK in message.text:
                return Extract((), Workflow((), ''), '', 0)
            asked = asked or text
            if offered and _assents(text):
                statements += [replace(item, who='human', source=source_of(message)) for item in offered[-1:]]
            elif len(statements) < MAX_STATEMENTS:
                statements += _of_human(info, message, text, statements, agent_said)
            offered = []
        elif message.role == 'assistant':
            agent_said = (agent_said + '\n' + message.text)[-MAX_AGENT_TEXT:]
            offered = _of_agent(info, message, known)
            if from_agent < MAX_AGENT_STATEMENTS:
                statements += offered[:1]
                from_agent += len(offered[:1])
        if message.human or message.role in ('tool_call', 'tool_result'):
            runs.append(message)
    statements += repairs(info, runs, known)
    return Extract(tuple(statements), workflow(runs, known), clean(asked[:2000])[:200], turns)


def _assents(text: str) -> bool:
    text = text.strip()
    return len(text) <= 80 and any(phrases(name).has('assent', text) for name in languages(text))


def _of_human(
    info: SessionInfo, message: Message, text: str, earlier: list[Statement], agent_said: str
) -> list[Statement]:
    found: list[Statement] = []
    for sentence in sentences(text):
        kind, said = classify(sentence)
        if not kind or (len(sentence) > 30 and sentence in agent_said):
            continue  # nothing to keep, or the agent's own words pasted back
        if kind == 'withdraw':
            said = _taken_back(said, [*earlier, *found])
        picked = options(said)
        found.append(_statement(info, message, kind, said, 'human', picked))
    return found


def _taken_back(said: str, earlier: list[Statement]) -> str:
    """The words of the statement that `said` takes back: what this person said about the topic it names, or else the
    topic itself; without a topic ("Scratch that"), what they said last in this conversation."""
    mine = [item for item in reversed(earlier) if item.who == 'human' and item.kind != 'withdraw']
    for language in languages(said):
        about = phrases(language).has('about', said)
        topic = content(about['topic']) if about else frozenset()
        if about and topic:
            return next((item.text for item in mine if topic <= content(item.text)), about['topic'])
    return mine[0].text if mine and len(said) < 60 else said


def classify(sentence: str) -> tuple[str, str]:
    """The kind of a sentence that a person wrote ('' for nothing worth keeping), and the sentence without filler."""
    if len(sentence) > MAX_SENTENCE:
        return '', ''
    for language in languages(sentence):
        known = phrases(language)
        said = sentence
        filler = known.has('filler', said)
        if filler:
            said = said[filler.end() :]
        correction = known.has('correction', said)
        if correction:
            said = said[correction.end() :]
        kind = _kind(known, said, correcting=correction is not None)
        if kind:
            return kind, said[:1].upper() + said[1:]
    return '', ''


def _kind(known: Phrases, said: str, correcting: bool) -> str:
    if known.has('withdraw', said):
        return 'withdraw'
    if said.rstrip().endswith((':', '：')):
        return ''  # it only introduces what follows
    question = known.has('question', said) is not None
    asks = said.rstrip(' "\')').endswith(('?', '？'))
    if not question and known.has('reject', said):
        return ''
    if question:
        return 'question'
    if asks:
        return ''
    for kind in KIND_ORDER[1:]:
        if known.has(kind, said):
            return kind
    # A correction of the agent is a rule for the next time, if it names an option or forbids something.
    picked = options(said) if correcting else Options('', '', False)
    return 'convention' if picked.chosen or picked.instead_of or picked.negative else ''


def _of_agent(info: SessionInfo, message: Message, known_values: frozenset[str]) -> list[Statement]:
    """An agent's own decisions and suggestions, for the inbox: the few sentences that state one outright."""
    found: list[Statement] = []
    text = message.text[-6000:]
    for language in languages(text[-600:])[:1]:
        known = phrases(language)
        if not known.has('agent', text):
            return []
        for sentence in sentences(redact(message.text, known_values)[-6000:]):
            match = known.has('agent', sentence)
            if match and len(sentence) <= MAX_SENTENCE and not sentence.rstrip().endswith(':'):
                kind, said = classify(sentence)
                if kind != 'withdraw':
                    said = said or sentence
                    found.append(_statement(info, message, kind or 'decision', said, 'agent', options(said)))
    return found


def _statement(info: SessionInfo, message: Message, kind: str, said: str, who: str, picked: Options) -> Statement:
    text = clean(re.sub(r'\*\*|__', '', said)).rstrip(' .。;；')
    return statement_in(info, message, kind, text, who, picked)
