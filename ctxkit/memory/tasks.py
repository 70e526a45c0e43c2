"""What a model is asked: which facts a conversation holds, and which facts repeat or contradict which.

The answer is data that has to be proved: a fact counts only with a quotation found in the message that it names, a
replacement only between facts that were listed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.memory.facts import Fact, Statement, clean, statement_in
from ctxkit.memory.model import Caller
from ctxkit.memory.phrases import options
from ctxkit.memory.prompts import fill
from ctxkit.memory.transcripts.fields import clip
from ctxkit.memory.transcripts.record import Message, SessionInfo
from ctxkit.safety.secrets import redact
from ctxkit.tokens import count

MODEL_KINDS = ('decision', 'convention', 'goal', 'question')
MAX_FACTS = 30


def extract(caller: Caller, info: SessionInfo, messages: Sequence[Message]) -> list[Statement]:
    """The statements that the model finds in a conversation; a person's only if their message has the quotation."""
    kept = [message for message in messages if message.role in ('user', 'assistant') and message.text.strip()]
    limit = caller.memories.max_input_tokens_per_call - 1000
    items: list[dict[str, str]] = []
    spent = 0
    # A person's words first, then the newest of the agent's; what does not fit is left out entirely.
    for message in sorted(kept, key=lambda item: (not item.human, -item.seq)):
        row = {
            'id': message.msg_id,
            'from': 'person' if message.human else 'agent',
            'text': clip(redact(message.text, caller.known), 2000),  # no rule knows half of a secret
        }
        cost = count(json.dumps(row, ensure_ascii=False)) + 2
        if spent + cost <= limit:
            items.append({**row, 'seq': str(message.seq)})
            spent += cost
    items.sort(key=lambda row: int(row.pop('seq')))
    body = caller.ask(
        'extract',
        'default',
        fill('stage_one_system'),
        fill('stage_one_input', thread_id=info.session_id, response_items_json=json.dumps(items, ensure_ascii=False)),
    )
    return _quoted(info, {message.msg_id: message for message in kept}, body or {})


def _quoted(info: SessionInfo, by_id: Mapping[str, Message], body: Mapping[str, Any]) -> list[Statement]:
    found = body.get('facts')
    out = []
    for entry in found[:MAX_FACTS] if isinstance(found, list) else ():
        if not isinstance(entry, dict) or entry.get('kind') not in MODEL_KINDS:
            continue
        message = by_id.get(str(entry.get('message_id')))
        quote = ' '.join(str(entry.get('quote') or '').split())
        if message is None or len(quote) < 8 or quote not in ' '.join(redact(message.text).split()):
            continue
        # A person's fact keeps the person's words, because the model's wording could say something else.
        text = clean(redact(quote if message.human else str(entry.get('text') or quote)))
        who = 'human' if message.human else 'agent'
        out.append(statement_in(info, message, str(entry['kind']), text, who, options(text)))
    return out


def tidy(caller: Caller, facts: Sequence[Fact], synopses: Sequence[str]) -> dict[str, str]:
    """Which facts repeat or contradict which, according to the model: id -> id of the fact that holds. A fact gives way
    only to a newer one of its kind, and a person's only to a person's."""
    listed = [fact for fact in facts if fact.status == 'active'][-200:]
    if len(listed) < 2:
        return {}
    body = caller.ask(
        'consolidate',
        'smol',
        '',
        fill(
            'consolidation',
            raw_memories='\n'.join(f'{fact.id} {fact.kind}: {redact(fact.text)}' for fact in listed),
            rollout_summaries='\n'.join(f'- {redact(text)}' for text in synopses[-30:]),
        ),
    )
    known = {fact.id: fact for fact in listed}
    replaced: dict[str, str] = {}
    for name in ('same', 'replaced'):
        pairs = (body or {}).get(name)
        for pair in pairs[:100] if isinstance(pairs, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and all(str(part) in known for part in pair):
                keep, drop = (known[str(part)] for part in pair)
                if (
                    keep.id != drop.id
                    and keep.last_seen >= drop.last_seen
                    and keep.id not in replaced
                    and (keep.kind == drop.kind)
                    and (keep.who == 'human' or drop.who != 'human')
                ):
                    replaced[drop.id] = keep.id
    return replaced
