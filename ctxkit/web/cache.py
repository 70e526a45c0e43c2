"""Keep search results for a minute: in the person's cache folder, by normalized query, bounded in number and size."""

from __future__ import annotations

import contextlib
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.places import cache_dir
from ctxkit.web.found import Found, Link

KEEP_SECONDS = 60.0
MAX_ENTRIES = 64
MAX_ENTRY_BYTES = 64_000


def folder(environ: Mapping[str, str]) -> Path:
    """The person's cache folder for web results."""
    return cache_dir(environ) / 'web'


def normalised(query: str) -> str:
    """The query for the cache: without differences of case, blanks, width and marks at the ends."""
    return ' '.join(unicodedata.normalize('NFKC', query).casefold().split()).strip(' ?!.,;:¿¡？！。')


def key(provider: str, query: str) -> str:
    """The name of a query's entry; `provider` says which provider was asked, and how."""
    return hashlib.sha256(f'{provider}\0{normalised(query)}'.encode('utf-8', 'surrogatepass')).hexdigest()[:32]


def get(where: Path, name: str, now: float) -> Found | CtxError | None:
    """The result or failure of a query from less than a minute ago, else None. Never raises."""
    try:
        with open(where / f'{name}.json', 'rb') as stream:
            item = json.loads(stream.read(MAX_ENTRY_BYTES))
        if not 0 <= now - float(item['time']) < KEEP_SECONDS:
            return None
        if item.get('error'):
            return CtxError(str(item['error']))
        return Found(str(item['text']), tuple(Link(str(title), str(url)) for title, url in item['links']))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def put(where: Path, name: str, what: Found | CtxError, now: float) -> None:
    """Keep `what` for a minute, and drop entries that are older or too many. An unwritable cache is ignored."""
    from ctxkit.safety.paths import real_folder, write_whole

    item = {'error': what.message} if isinstance(what, CtxError) else {'text': what.text, 'links': what.links}
    data = json.dumps({'time': now, **item}, ensure_ascii=False).encode('utf-8', 'replace')
    with contextlib.suppress(CtxError, OSError):
        if len(data) <= MAX_ENTRY_BYTES:
            write_whole(real_folder(where) / f'{name}.json', data)
        _sweep(where, now)


def _sweep(where: Path, now: float) -> None:
    aged = sorted(((entry.stat().st_mtime, entry) for entry in where.glob('*.json')), reverse=True)
    for number, (modified, entry) in enumerate(aged):
        if number >= MAX_ENTRIES or now - modified > KEEP_SECONDS:
            entry.unlink(missing_ok=True)
