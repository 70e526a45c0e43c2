"""Read a project's stream for as long as somebody wants it, through restarts of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxkit.settings import Settings
from ctxkit.stream import feed, server
from ctxkit.stream.feed import Entry

BLOCK_SECONDS = 2.0
MOST = 100  # entries requested at once


def read(
    settings: Settings,
    name: str,
    group: str = '',
    reader: str = '',
    *,
    count: int | None = None,
    follow: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> Iterator[Entry]:
    """The entries of a project's stream, oldest first, at most `count` of them; with `follow`, wait for new ones.

    In a group, the entries of a batch are acknowledged once all of them were consumed. With `follow`, a lost server is
    waited for: `notify` is called with one line, and reading continues after the last entry. Raises CtxError if the
    server cannot be used, and Away if it is absent at the start, or is lost without `follow`.
    """
    block = BLOCK_SECONDS if follow else 0.0
    after, used, failures, answered = '0-0', list[str](), 0, False
    while True:
        try:
            with server.connected(settings.stream, block=block) as client:
                if group:
                    feed.join(client, name, group)
                while True:
                    if group:
                        feed.done(client, name, group, used)
                    used = []
                    size = MOST if count is None else min(MOST, count)
                    if not size:
                        return
                    if group:
                        entries = feed.take(client, name, group, reader, size, settings.stream.lease_seconds, block)
                    else:
                        entries = feed.newer(client, name, after, size, block)
                    failures, answered = 0, True
                    if not entries and not follow:
                        return
                    yield from entries
                    used = [one.id for one in entries]
                    after = used[-1] if used else after
                    count = None if count is None else count - len(entries)
        except server.Away as error:
            if not follow or not answered:
                raise
            if not failures:
                notify(f'{error.message}; waiting for it')
            server.back_off(failures)
            failures += 1
