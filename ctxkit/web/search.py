"""Asking the person's provider, through the cache."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ctxkit.errors import CtxError
from ctxkit.settings import WebSettings
from ctxkit.web import cache
from ctxkit.web.found import Found

MAX_QUERY = 500


def search(query: str, settings: WebSettings, environ: Mapping[str, str], now: float, retry: bool = False) -> Found:
    """What the provider finds, or found less than a minute ago. Raises CtxError; a failure is remembered as long.

    The query leaves this machine, so secrets are taken out of it first. `retry`: ask again although it just failed.
    """
    from ctxkit.safety.secrets import redact

    query = ' '.join(redact(query).split())[:MAX_QUERY]
    where = cache.folder(environ)
    name = cache.key(_who(settings), query)
    known = cache.get(where, name, now)
    if isinstance(known, Found):
        return known
    if isinstance(known, CtxError) and not retry:
        raise known
    # each is a module with `search(query, settings, environ) -> Found`
    provider: Any = importlib.import_module(f'ctxkit.web.{settings.provider}')
    try:
        result: Found = provider.search(query, settings, environ)
    except CtxError as error:
        cache.put(where, name, error, now)
        raise
    cache.put(where, name, result, now)
    return result


def _who(settings: WebSettings) -> str:
    """Who is asked, and how: another instance or model is another entry."""
    how: dict[str, tuple[str, ...]] = {
        'gemini': (settings.gemini_url, settings.gemini_model),
        'searxng': (settings.searxng_url,),
        'command': settings.command,
    }
    return '\0'.join((settings.provider, *how[settings.provider]))
