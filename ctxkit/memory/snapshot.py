"""`.ctx/memory.json`: the snapshot that other programs and the block's section read.

Its `seal` equals the text of `<git common dir>/ctxkit/memory.seal`. A clone cannot bring a git folder along, so
somebody else's tracked memory.json is never taken for ours.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ctxkit.memory.facts import KINDS, STATUSES, WHO, Anchor, Fact, Source
from ctxkit.repo import Repo
from ctxkit.safety.secrets import redact

FORMAT = 1
MAX_BYTES = 8 * 1024 * 1024
GROUPS = {
    'goal': 'goal',
    'decision': 'decisions',
    'convention': 'conventions',
    'question': 'openQuestions',
    'pitfall': 'pitfalls',
}


def path(repo: Repo) -> Path:
    """The path of this work tree's snapshot."""
    return repo.ctx_dir / 'memory.json'


def seal_path(repo: Repo) -> Path:
    """The file whose text marks the snapshots that this repository's ctxkit wrote."""
    return repo.data_dir / 'memory.seal'


def dump(facts: list[Fact], seal: str, commit: str) -> str:
    """The snapshot as JSON, redacted: facts grouped by kind, the current goal as `goal`, all with provenance."""
    body: dict[str, Any] = {'version': FORMAT, 'seal': seal, 'commit': commit, 'goal': None}
    body.update((name, []) for name in ('decisions', 'conventions', 'openQuestions', 'pitfalls', 'formerGoals'))
    for fact in facts:
        entry = _entry(fact)
        if fact.kind == 'goal' and fact.status == 'active' and body['goal'] is None:
            body['goal'] = entry
        else:
            body['formerGoals' if fact.kind == 'goal' else GROUPS[fact.kind]].append(entry)
    return json.dumps(body, ensure_ascii=False, indent=1) + '\n'


def load(repo: Repo) -> list[Fact]:
    """The facts of this work tree's snapshot; [] if there is none, it is not ours, or it cannot be read."""
    try:
        seal = seal_path(repo).read_text('ascii').strip()
    except (OSError, ValueError):
        return []
    body = read(path(repo))
    return parse(body) if seal and body.get('seal') == seal else []


def read(file: Path) -> dict[str, Any]:
    """The JSON object in a snapshot file, whoever wrote it; {} if there is none. Never follows a link."""
    try:
        if file.is_symlink() or file.stat().st_size > MAX_BYTES:
            return {}
        body = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def parse(body: dict[str, Any]) -> list[Fact]:
    """The facts of a snapshot; invalid entries are left out."""
    entries: list[tuple[str, Any]] = [('goal', body.get('goal'))]
    for kind, group in (('goal', 'formerGoals'), *((kind, group) for kind, group in GROUPS.items() if kind != 'goal')):
        found = body.get(group)
        entries += [(kind, entry) for entry in found] if isinstance(found, list) else []
    facts = []
    for kind, entry in entries:
        try:
            fact = _fact(kind, entry)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
        if fact.kind in KINDS and fact.status in STATUSES and fact.who in WHO:
            facts.append(fact)
    return facts


def _entry(fact: Fact) -> dict[str, Any]:
    return {
        'id': fact.id,
        'text': redact(fact.text),
        'who': fact.who,
        'status': fact.status,
        'sources': [{name: redact(value) for name, value in source._asdict().items()} for source in fact.sources],
        'first_seen': fact.first_seen,
        'last_seen': fact.last_seen,
        'confirmations': fact.confirmations,
        'superseded_by': fact.superseded_by,
        'expires': fact.expires,
        'anchors': [anchor._asdict() for anchor in fact.anchors],
    }


def _fact(kind: str, entry: Any) -> Fact:
    expires, first, last = (
        None if value is None else float(value)
        for value in (entry.get('expires'), entry['first_seen'], entry['last_seen'])
    )
    if first is None or last is None or not all(map(math.isfinite, (first, last, expires or 0.0))):
        raise ValueError('no time')
    return Fact(
        id=str(entry['id']),
        kind=kind,
        text=str(entry['text']),
        who=str(entry['who']),
        status=str(entry['status']),
        sources=tuple(Source(str(s['agent']), str(s['session']), str(s['message'])) for s in entry['sources']),
        first_seen=first,
        last_seen=last,
        confirmations=int(entry['confirmations']),
        superseded_by=str(entry['superseded_by']),
        expires=expires,
        anchors=tuple(Anchor(*(str(a[name]) for name in Anchor._fields)) for a in entry['anchors']),
    )
