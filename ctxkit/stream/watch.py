"""The watcher: keeps the stream and the block of a work tree fresh between commits.

A save is compared with the save before and becomes units here, in a light process. A commit, a switch or a rebase is
noted as a hook would note it, and a detached worker does the whole update; the watcher never loads the model.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping

from ctxkit import repo as git
from ctxkit.errors import CtxError
from ctxkit.events import detach
from ctxkit.events.freshness import freshness
from ctxkit.repo import Repo
from ctxkit.safety import lock
from ctxkit.safety.paths import data_folder, real_folder, write_whole
from ctxkit.settings import Settings
from ctxkit.stream import file_events, outbox, publish, server
from ctxkit.stream.file_events import Seen
from ctxkit.stream.saves import Saves

PATIENCE = 10.0  # seconds to let git finish, before a half-done state is looked at
SETTLE = 0.5  # seconds for a hook to note a commit before the watcher does
PUBLISH_EVERY = 30.0  # seconds between tries to send to an absent server

Notify = Callable[[str], None]


def watch(
    repo: Repo,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    stop: threading.Event,
    poll: bool = False,
    notify: Notify = lambda _: None,
) -> None:
    """Watch until `stop` is set. `notify` is called with each line that a person should know.

    Raises CtxError if another watcher is running in this work tree, if the `watch` extra is missing, and when the work
    tree is removed or moved.
    """
    place = data_folder(repo.data_dir)
    real_folder(repo.ctx_dir)
    name = hashlib.blake2b(str(repo.root).encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()
    with lock.held(place / f'watch-{name}.lock') as mine:
        if not mine:
            raise CtxError('another watcher is running in this work tree', 'stop it first')
        watcher = _Watcher(repo, settings, environ, notify)
        watcher.handle(Seen(git=True, scan=True))
        notify(f'watching {repo.root}')
        if not poll:
            try:
                for seen in file_events.watched(repo, stop):
                    watcher.handle(seen)
                return
            except file_events.OutOfWatches as error:
                notify(error.format_message())
        for seen in file_events.polled(repo, stop):
            watcher.handle(seen)


class _Watcher:
    """Reacts to what was seen. A failure is shown and logged, and the watcher goes on."""

    def __init__(self, repo: Repo, settings: Settings, environ: Mapping[str, str], notify: Notify) -> None:
        self._repo, self._settings, self._environ, self._notify = repo, settings, environ, notify
        self._saves = Saves(repo, settings)
        self._head = ''
        self._wanted_at = -1.0  # when HEAD moved, or when to check on an update; -1 once HEAD is indexed
        self._flushed_at = 0.0

    def handle(self, seen: Seen) -> None:
        """Update everything for what was seen. Raises CtxError if the work tree is gone."""
        if not self._repo.git_dir.is_dir() or not (self._repo.root / '.git').exists():
            raise CtxError(f'{self._repo.root} is no longer a work tree', 'start the watcher in one')
        try:
            if seen.git or seen.scan or seen.paths:
                self._settle()
            if seen.git or seen.scan:
                self._look_at_head()
            if seen.scan or seen.paths:
                self._process_saves(seen)
            self._ask_for_update()
            self._send()
        except Exception as error:  # a watcher runs for weeks: one bad file must not end it
            said = error.format_message() if isinstance(error, CtxError) else f'{type(error).__name__}: {error}'
            self._notify(said)
            from ctxkit import log

            log.append(self._repo.common_dir, 'error', f'watch: {said}', time.time())

    def _settle(self) -> None:
        """Wait for git to finish a checkout, a reset or a stash: half of one looks like a mass of edits."""
        end = time.monotonic() + PATIENCE
        while (self._repo.git_dir / 'index.lock').exists() and time.monotonic() < end:
            time.sleep(0.02)

    def _look_at_head(self) -> None:
        head = git.resolve(self._repo)
        if head != self._head:
            self._head = head
            self._wanted_at = time.monotonic()
            self._saves.forget()

    def _process_saves(self, seen: Seen) -> None:
        if git.operation(self._repo) in git.SERIES:
            return  # every intermediate commit would be discarded; the end moves HEAD
        changes = git.status(self._repo, () if seen.scan else seen.paths)
        now = time.time()
        wanted = [one for one in changes if not one.path.endswith('/') and not one.gone]
        gone = [one.path for one in changes if one.gone]
        units = self._saves.process(wanted[: file_events.MASS], self._head, now, gone[: file_events.MASS])
        if units:
            publish.publish(self._repo, self._settings, units, now)
        if units or seen.scan or len(wanted) < len(changes) or not changes:
            self._render(now)

    def _render(self, now: float) -> None:
        """Write the block anew if the index is at HEAD; otherwise an update is under way and will write it."""
        from ctxkit.units import hot

        prepared = hot.load(self._repo)
        if prepared is None or prepared.commit != self._head:
            return
        from ctxkit.render import build

        write_whole(self._repo.ctx_dir / 'context.xml', build(self._repo, self._settings, now=now).to_xml())

    def _ask_for_update(self) -> None:
        """Have HEAD indexed if no hook did: after giving the hook time, and once git is done."""
        if (
            self._wanted_at < 0
            or time.monotonic() - self._wanted_at < SETTLE
            or git.operation(self._repo) in git.SERIES
        ):
            return
        state = freshness(self._repo)
        if state.fresh:
            self._wanted_at = -1.0
        elif not state.working:  # a noted request may have no worker: `git am --skip` ends a series without a hook
            detach.note_and_start(self._repo, 'watch', self._environ)
            self._wanted_at = time.monotonic() + PATIENCE  # then check that it was done

    def _send(self) -> None:
        """Publish what waits for a server that was away."""
        if not self._settings.stream.url or time.monotonic() - self._flushed_at < PUBLISH_EVERY:
            return
        self._flushed_at = time.monotonic()
        if outbox.pending(self._repo) and server.reachable(self._settings.stream):
            publish.flush(self._repo, self._settings, time.time())
