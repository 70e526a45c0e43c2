"""From an event to an updated `.ctx/`: the whole story on one page.

scan     which blobs of the commit's tree are not in the index yet             index.current, index.scan
slice    cut those files into chunks; embed and fold them; store by content    index.build
compare  with the tree that this work tree had before: what changed            units.changed
link     join what changed to what it touches, as units                        units.prepare, units.unit
stream   add the new units to units.jsonl and drop old ones                    units.stream
prepare  keep units ready for a render without a request                       units.prepare, units.hot
render   write context.xml anew                                                render
report   write to status.json what was done and what was skipped               here
tidy     remove what exceeds its bound                                         index.collect
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from ctxkit import repo as git
from ctxkit.embedding import encoder_for
from ctxkit.index import manifest as manifests
from ctxkit.index.build import Built
from ctxkit.index.collect import tidy
from ctxkit.index.current import index_commit, open_corpus
from ctxkit.index.manifest import Manifest
from ctxkit.index.repair import repairing
from ctxkit.index.store import Store
from ctxkit.metrics import journal
from ctxkit.repo import Repo
from ctxkit.safety import lock
from ctxkit.safety.paths import ctx_folder, writable_folder, write_whole
from ctxkit.settings import Settings
from ctxkit.units import changed, history, hot, prepare, stream
from ctxkit.units.unit import Event
from ctxkit.units.walk import Walk

MAX_SKIPPED = 500  # skipped files that status.json lists


@dataclass(frozen=True)
class Update:
    """What an update did: `commit` is the one that context.xml describes, `changed` says whether its bytes changed."""

    event: str
    commit: str
    branch: str
    time: float
    files: int
    chunks: int
    sliced_files: int
    embedded_chunks: int
    units: int
    seconds: float
    changed: bool
    skipped: tuple[tuple[str, str], ...]


@repairing
def update(
    repo: Repo,
    settings: Settings,
    *,
    now: float,
    event: str = 'update',
) -> Update:
    """Bring index, stream, prepared units, context.xml and status.json up to HEAD.

    Raises CtxError for what a person can fix; the earlier files then stay whole.
    """
    from ctxkit.render import build as render

    began = time.perf_counter()
    writable_folder(repo.data_dir)
    folder = ctx_folder(repo.ctx_dir)
    commit = git.resolve(repo)
    before = manifests.load_streamed(repo)
    encoder = encoder_for(settings.model.name)
    with Store(repo.data_dir) as store:
        manifest, built = index_commit(repo, store, settings, commit, now, encoder, before)
        corpus = open_corpus(repo, store, manifest, encoder)
        edits = history.edits_today(repo, commit, now)
        walk = Walk(corpus, commit, now)
        new = prepare.of_event(corpus, before, Event(event, commit, now), walk, edits) if before else []
        guard = repo.data_dir / 'units.lock'
        units = stream.extend(folder / 'units.jsonl', guard, new, now, settings.units.keep_hours)
        hot.save(repo, hot.Prepared(commit, prepare.of_tree(corpus, units, walk, now, edits)))
        manifests.save_streamed(repo, manifest)
    _remember(repo, settings, commit, before, manifest, now)
    if settings.stream.url:
        from ctxkit.stream.publish import publish

        publish(repo, settings, new, now)
    block = render(repo, settings, now=now)
    with lock.held(guard, wait=5.0):  # a parallel update must not mix its block with our status
        written = write_whole(folder / 'context.xml', block.to_xml())
        done = Update(
            event,
            block.commit,  # HEAD may have moved meanwhile
            git.branch(repo),
            now,
            len(manifest.files),
            sum(item.chunks for item in manifest.files),
            built.sliced_files,
            built.embedded_chunks,
            len(new),
            round(time.perf_counter() - began, 3),
            written,
            manifest.skipped,
        )
        _report(folder, done)
    tidy(repo, settings, now)
    journal.note(repo.data_dir, 'update', now, **_figures(done, built))
    return done


@repairing
def index(repo: Repo, settings: Settings, commit: str, *, now: float) -> Update:
    """Index a commit that is not checked out, so that a later checkout of it slices nothing.

    `.ctx/` goes on describing HEAD, because the block is about the work tree and its edits.
    """
    began = time.perf_counter()
    writable_folder(repo.data_dir)
    encoder = encoder_for(settings.model.name)
    with Store(repo.data_dir) as store:
        manifest, built = index_commit(repo, store, settings, commit, now, encoder, manifests.load(repo), keep=False)
    chunks = sum(item.chunks for item in manifest.files)
    seconds = round(time.perf_counter() - began, 3)
    done = (built.sliced_files, built.embedded_chunks, 0, seconds, False, manifest.skipped)
    return Update('index', commit, '', now, len(manifest.files), chunks, *done)


def _figures(done: Update, built: Built) -> dict[str, object]:
    """The figures of an update that the journal keeps."""
    kept = {name: value for name, value in asdict(done).items() if name not in ('time', 'changed', 'skipped')}
    return {**kept, 'skipped': len(done.skipped), 'slice_seconds': round(built.seconds, 4)}


def _remember(
    repo: Repo, settings: Settings, commit: str, before: Manifest | None, after: Manifest, now: float
) -> None:
    """Show the event to the memory: commit messages, and anchors whose code changed. This never fails an update."""
    from ctxkit.memory.event import on_commit

    paths = changed.paths_between(before, after) if before else set()
    on_commit(repo, settings, commit, paths, now, before.commit if before else '')


def _report(folder: Path, done: Update) -> None:
    data = asdict(done)
    alike = Counter(reason for _, reason in done.skipped)
    rare_first = sorted(done.skipped, key=lambda one: (alike[one[1]], one[1], one[0]))  # generated files hide others
    data['skipped'] = [{'path': path, 'reason': reason} for path, reason in rare_first[:MAX_SKIPPED]]
    data['skipped_files'] = len(done.skipped)
    write_whole(folder / 'status.json', json.dumps(data, indent=1) + '\n')
