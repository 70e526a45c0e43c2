"""Any SearXNG instance, over its search interface (`/search?q=…&format=json`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ctxkit.errors import CtxError
from ctxkit.safety.http import ask
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, found

RESULTS = 6


def search(query: str, settings: WebSettings, environ: Mapping[str, str]) -> Found:
    """The answers and the first results with their links. Raises CtxError."""
    del environ
    if not settings.searxng_url:
        raise CtxError('web.searxng_url is not set', 'name your instance in your own settings')
    address = f'{settings.searxng_url.rstrip("/")}/search?{urlencode({"q": query, "format": "json"})}'
    try:
        answer = ask(address, settings.timeout_seconds)
    except CtxError as error:
        if ' answered 403' in error.message:
            raise CtxError(error.message, 'the instance must list json in search.formats') from error
        raise
    if not isinstance(answer, dict) or not isinstance(answer.get('results'), list):
        raise CtxError('SearXNG answered in an unknown format')
    return _read(answer)


def _read(answer: dict[str, Any]) -> Found:
    said: list[str] = []
    links: list[tuple[str, str]] = []
    for item in _list(answer, 'answers'):
        said.append(str(item.get('answer') or '') if isinstance(item, dict) else str(item))
    for item in _list(answer, 'infoboxes'):
        if isinstance(item, dict) and item.get('content'):
            said.append(f'{item.get("infobox") or ""}: {item["content"]}')
    for item in [item for item in _list(answer, 'results') if isinstance(item, dict)][:RESULTS]:
        title = str(item.get('title') or '')
        said.append(f'{title}: {item.get("content") or ""}')
        links.append((title, str(item.get('url') or '')))
    text = '\n'.join(line for line in said if line.strip(' :'))
    if not text:
        engines = [str(item[0]) for item in _list(answer, 'unresponsive_engines') if isinstance(item, list) and item]
        raise CtxError('SearXNG found nothing' + (f' (no answer from {", ".join(engines[:5])})' if engines else ''))
    return found(text, links)


def _list(answer: dict[str, Any], key: str) -> list[Any]:
    value = answer.get(key)
    return value if isinstance(value, list) else []
