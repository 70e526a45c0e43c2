"""Ask the person's provider, through the cache."""

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
    """The provider's result, or a cached one from less than a minute ago. Raises CtxError; a failure is cached too.

    The query leaves this machine, so secrets are removed from it first. With `retry`, a cached failure is ignored.
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
    # each provider is a module with `search(query, settings, environ) -> Found`
    provider: Any = importlib.import_module(f'ctxkit.web.{settings.provider}')
    try:
        result: Found = provider.search(query, settings, environ)
    except CtxError as error:
        cache.put(where, name, error, now)
        raise
    cache.put(where, name, result, now)
    return result


def _who(settings: WebSettings) -> str:
    """The provider and how it is asked, so that another instance or model gets another cache entry."""
    how: dict[str, tuple[str, ...]] = {
        'gemini': (settings.gemini_url, settings.gemini_model),
        'searxng': (settings.searxng_url,),
        'command': settings.command,
    }
    return '\0'.join((settings.provider, *how[settings.provider]))
