"""Facts as lines for a person and as rows for a program."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ctxkit.counted import counted
from ctxkit.memory.facts import Fact
from ctxkit.safety.secrets import redact

if TYPE_CHECKING:
    from ctxkit.memory.work import Report


def day(moment: float) -> str:
    """The UTC date of an epoch time."""
    try:
        return datetime.fromtimestamp(moment, timezone.utc).strftime('%Y-%m-%d')
    except (OverflowError, OSError, ValueError):
        return 'unknown'


def line(fact: Fact) -> str:
    """One fact on one line: id, status, kind, text, doubts, who, agents and date."""
    since = fact.unverified_since
    mark = ' (its code is gone)' if fact.gone else f' (unverified since {since[:10]})' if since else ''
    sources = ', '.join(dict.fromkeys(source.agent for source in fact.sources))
    return redact(
        f'{fact.id} {fact.status} {fact.kind}: {fact.text}{mark} [{fact.who}; {sources}; {day(fact.first_seen)}]'
    )


def row(fact: Fact) -> dict[str, Any]:
    """One fact with all its provenance, for JSON lines."""
    return {
        'id': fact.id,
        'kind': fact.kind,
        'status': fact.status,
        'text': redact(fact.text),
        'who': fact.who,
        'first_seen': fact.first_seen,
        'last_seen': fact.last_seen,
        'confirmations': fact.confirmations,
        'superseded_by': fact.superseded_by,
        'expires': fact.expires,
        'sources': [{name: redact(value) for name, value in source._asdict().items()} for source in fact.sources],
        'anchors': [anchor._asdict() for anchor in fact.anchors],
    }


def report_lines(report: Report) -> list[str]:
    """What a run did, in a few lines."""
    by_status: dict[str, int] = {}
    for fact in report.facts:
        by_status[fact.status] = by_status.get(fact.status, 0) + 1
    out = [f'{counted(report.read, "conversation")} read']
    out += [f'{number} left alone: {reason}' for reason, number in sorted(report.skipped.items())]
    out += [f'{name} failed: {redact(reason)}' for name, reason in sorted(report.failed.items())]
    out += [f'{name} could not be read and was left unchanged' for name in report.unread]
    if report.facts:
        out.append('facts: ' + ', '.join(f'{number} {status}' for status, number in sorted(by_status.items())))
    if not report.consolidated and not report.failed:
        out.append('nothing to consolidate, or another process is doing it')
    return out
