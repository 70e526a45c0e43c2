"""Gemini with Google Search grounding, over its REST interface (`models/…:generateContent`, tool `google_search`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ctxkit.errors import CtxError
from ctxkit.safety.http import ask, is_loopback
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, found


def search(query: str, settings: WebSettings, environ: Mapping[str, str]) -> Found:
    """A grounded answer with the pages that it is based on. Raises CtxError."""
    key = environ.get(settings.gemini_key_variable, '')
    if not key:
        raise CtxError(f'{settings.gemini_key_variable} is not set', 'put your Gemini API key there')
    base = settings.gemini_url.rstrip('/')
    if not base.startswith('https://') and not is_loopback(base):
        raise CtxError('web.gemini_url is not https', 'use https, or the key could be read on the way')
    answer = ask(
        f'{base}/v1beta/models/{quote(settings.gemini_model, safe="")}:generateContent',
        settings.timeout_seconds,
        {'x-goog-api-key': key},
        {'contents': [{'role': 'user', 'parts': [{'text': query}]}], 'tools': [{'google_search': {}}]},
    )
    return _read(answer)


def _read(answer: Any) -> Found:
    if not isinstance(answer, dict):
        raise CtxError('Gemini answered in an unknown format')
    candidates = answer.get('candidates')
    if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], dict):
        feedback = answer.get('promptFeedback')
        reason = feedback.get('blockReason') if isinstance(feedback, dict) else None
        raise CtxError(f'Gemini gave no answer ({reason or "no candidate"})')
    content = candidates[0].get('content')
    parts = content.get('parts') if isinstance(content, dict) else None
    text = ''.join(
        part['text']
        for part in parts or []
        if isinstance(part, dict) and isinstance(part.get('text'), str) and not part.get('thought')
    )
    if not text.strip():
        raise CtxError(f'Gemini gave no answer ({candidates[0].get("finishReason", "empty")})')
    grounding = candidates[0].get('groundingMetadata')
    chunks = grounding.get('groundingChunks') if isinstance(grounding, dict) else None
    links = [
        (str(web.get('title') or ''), str(web.get('uri') or ''))
        for web in (chunk.get('web') for chunk in chunks or [] if isinstance(chunk, dict))
        if isinstance(web, dict)
    ]
    return found(text, links)
