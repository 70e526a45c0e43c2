"""One HTTP request for JSON, whose failures are those of a provider."""

from __future__ import annotations

from typing import Any

from ctxkit.errors import CtxError
from ctxkit.safety import http
from ctxkit.web.found import WebError


def ask(url: str, timeout: float, headers: dict[str, str] | None = None, body: dict[str, Any] | None = None) -> Any:
    """The decoded JSON of the answer, as `http.ask` gives it. Raises WebError with what went wrong."""
    try:
        return http.ask(url, timeout, headers, body)
    except CtxError as error:
        raise WebError(error.message, error.hint) from error


def is_loopback(url: str) -> bool:
    """Whether the address is this machine. Raises WebError where it is no http address."""
    try:
        return http.is_loopback(url)
    except CtxError as error:
        raise WebError(error.message, error.hint) from error
