"""The result of a web search, as every provider returns it."""

from __future__ import annotations

from typing import NamedTuple

MAX_LINKS = 8
MAX_TEXT = 8000
MAX_TITLE = 160
MAX_URL = 600


class Link(NamedTuple):
    """The page where something was found. `url` is http or https."""

    title: str
    url: str


class Found(NamedTuple):
    """The text of an answer or of the results, and its links; untrusted, redacted, bounded."""

    text: str
    links: tuple[Link, ...]


def found(text: str, links: list[tuple[str, str]]) -> Found:
    """A provider's answer made safe to keep: no secrets, control characters or tags, bounded, links to the web only."""
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable, visible
    from ctxkit.sessions.compress import clean

    kept: dict[str, Link] = {}
    for title, url in links:
        url = url.strip()
        if url.lower().startswith(('http://', 'https://')) and len(url) <= MAX_URL and ' ' not in url:
            said = printable(clean(redact(title)).replace('\n', ' '))[:MAX_TITLE]
            kept.setdefault(url, Link(said, printable(redact(url))))
    return Found(visible(clean(redact(text)))[:MAX_TEXT], tuple(kept.values())[:MAX_LINKS])
