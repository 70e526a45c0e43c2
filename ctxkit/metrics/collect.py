"""The metrics of a repository, from its journal, its stream and, where one is configured, the team's server.

name                              type       what
ctxkit_unit_hot_score             histogram  hot score of each unit in the stream, now
ctxkit_unit_cold_share            gauge      share of those below 0.3
ctxkit_units                      gauge      units in the stream
ctxkit_slice_seconds              histogram  seconds a sliced file, embedded and stored, mean of its update
ctxkit_hook_seconds               histogram  from a git event to the fresh block
ctxkit_render_seconds             histogram  making a block
ctxkit_update_seconds             histogram  a whole update
ctxkit_section_tokens             histogram  tokens of a section in a block, by section
ctxkit_skipped_files              gauge      files that the last update left out
ctxkit_step_downs_total           counter    blocks that gave paths in place of code
ctxkit_stepped_down               gauge      1 while blocks give paths only
ctxkit_last_update_timestamp_seconds gauge   when the last update ended
ctxkit_stream_waiting_events      gauge      events that wait for the server
ctxkit_stream_length              gauge      units in the project's stream
ctxkit_stream_lag                 gauge      units that a consumer group has not read, by group
ctxkit_stream_pending             gauge      units taken and not acknowledged, by group
ctxkit_jobs, ctxkit_jobs_in_work, ctxkit_jobs_set_aside  gauges of the worker queue
ctxkit_stream_up                  gauge      1 if the server answers
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ctxkit.errors import CtxError
from ctxkit.feedback import log as feedback
from ctxkit.feedback.state import stepped_down
from ctxkit.metrics import journal
from ctxkit.records import count
from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.units import stream
from ctxkit.units.score import COLD, hot_score

if TYPE_CHECKING:
    from prometheus_client.core import Metric

SCORE_EDGES = (0.05, 0.1, 0.2, COLD, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
SECOND_EDGES = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.18, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
MAX_FILES = 1_000_000  # of one update; each is counted separately
TOKEN_EDGES = (50.0, 100.0, 200.0, 300.0, 500.0, 1000.0, 2000.0, 3000.0, 3600.0, 4000.0)


class Collector:
    """The collector that prometheus_client asks for metrics; reads the files anew each time."""

    def __init__(self, repo: Repo, settings: Settings, clock: Any) -> None:
        self._repo, self._settings, self._clock = repo, settings, clock

    def collect(self) -> Iterator[Metric]:
        """All metrics of the repository as it is now."""
        now = self._clock()
        yield from _units(self._repo, self._settings, now)
        yield from _journal(self._repo, now)
        yield from _team(self._repo, self._settings)


def text(repo: Repo, settings: Settings, clock: Any) -> str:
    """The metrics in Prometheus' text format. Raises CtxError without the `metrics` extra."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector(repo, settings, clock))
    return generate_latest(registry).decode()


def _units(repo: Repo, settings: Settings, now: float) -> Iterator[Metric]:
    found = stream.read(repo.ctx_dir / 'units.jsonl', now - settings.units.keep_hours * 3600)
    scores = [hot_score((now - unit.time) / 60, unit.edits_today) for unit in found]
    yield _histogram('ctxkit_unit_hot_score', 'hot score of the units in the stream', {(): scores}, SCORE_EDGES)
    cold = sum(1 for score in scores if score < COLD) / len(scores) if scores else 0.0
    yield _gauge('ctxkit_unit_cold_share', f'share of units with a hot score below {COLD}', cold)
    yield _gauge('ctxkit_units', 'units in the stream', len(scores))


def _journal(repo: Repo, now: float) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily

    seconds: dict[str, list[float]] = {'update': [], 'hook': [], 'render': [], 'slice': []}
    tokens: dict[tuple[str, ...], list[float]] = defaultdict(list)
    last = 0.0
    for record in journal.records(repo.data_dir):
        try:
            kind = str(record['kind'])
            if kind in seconds:
                seconds[kind].append(float(record['seconds']))
            if kind == 'update':
                last = float(record['time'])
                files = min(count(record, 'sliced_files'), MAX_FILES)
                seconds['slice'] += [float(record['slice_seconds']) / files] * files if files else []
            elif kind == 'render':
                for name, used in record['sections'].items():
                    tokens[(str(name),)].append(float(used))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            continue
    helps = {
        'slice': 'seconds to slice, embed and store a file',
        'hook': 'seconds from a git event to the fresh block',
        'render': 'seconds to make a block',
        'update': 'seconds of a whole update',
    }
    for name, said in helps.items():
        yield _histogram(f'ctxkit_{name}_seconds', said, {(): seconds[name]}, SECOND_EDGES)
    yield _histogram('ctxkit_section_tokens', 'tokens of a section in a block', tokens, TOKEN_EDGES, ['section'])
    yield _gauge('ctxkit_last_update_timestamp_seconds', 'when the last update ended', last)
    yield _gauge('ctxkit_skipped_files', 'files that the last update left out', _skipped(repo))
    downs = sum(1 for one in feedback.everything(repo) if one.get('kind') == 'shown' and one.get('down'))
    counted = CounterMetricFamily('ctxkit_step_downs', 'blocks that gave paths in place of code')
    counted.add_metric([], downs)
    yield counted
    yield _gauge('ctxkit_stepped_down', '1 while blocks give paths in place of code', stepped_down(repo, now))


def _team(repo: Repo, settings: Settings) -> Iterator[Metric]:
    """The figures of the server; only `ctxkit_stream_up` if it does not answer, none if none is configured."""
    from ctxkit.stream import feed, outbox, queue, server
    from ctxkit.stream.identity import project

    yield _gauge('ctxkit_stream_waiting_events', 'events that wait for the server', len(outbox.pending(repo)))
    if not settings.stream.url:
        return
    try:
        with server.connected(settings.stream, 1.0) as client:
            info = feed.info(client, project(repo, settings))
            state = queue.state(client)
    except CtxError:
        yield _gauge('ctxkit_stream_up', '1 if the server answers', 0)
        return
    yield _gauge('ctxkit_stream_up', '1 if the server answers', 1)
    yield _gauge('ctxkit_stream_length', "units in the project's stream", info.length)
    lag = {one.name: float(one.lag) for one in info.groups if one.lag >= 0}
    yield _labelled('ctxkit_stream_lag', 'units that a consumer group has not read', lag)
    pending = {one.name: float(one.pending) for one in info.groups}
    yield _labelled('ctxkit_stream_pending', 'units taken and not acknowledged', pending)
    yield _gauge('ctxkit_jobs', 'jobs that wait or are in work', state.jobs)
    yield _gauge('ctxkit_jobs_in_work', 'jobs that a worker has taken', state.taken)
    yield _gauge('ctxkit_jobs_set_aside', 'files that were set aside after three tries', state.aside)


def _skipped(repo: Repo) -> int:
    try:
        data = json.loads((repo.ctx_dir / 'status.json').read_bytes())
        return count(data, 'skipped_files')
    except (OSError, ValueError, AttributeError, RecursionError):
        return 0


def _gauge(name: str, said: str, value: float) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    made = GaugeMetricFamily(name, said)
    made.add_metric([], float(value))
    return made


def _labelled(name: str, said: str, values: Mapping[str, float]) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    made = GaugeMetricFamily(name, said, labels=['group'])
    for label, value in values.items():
        made.add_metric([label], value)
    return made


def _histogram(
    name: str,
    said: str,
    values: Mapping[tuple[str, ...], list[float]],
    edges: Iterable[float],
    labels: Iterable[str] = (),
) -> Metric:
    from prometheus_client.core import HistogramMetricFamily

    made = HistogramMetricFamily(name, said, labels=list(labels))
    for label, found in values.items():
        buckets = [(f'{edge:g}', float(sum(1 for value in found if value <= edge))) for edge in edges]
        made.add_metric(list(label), [*buckets, ('+Inf', float(len(found)))], sum(found))
    return made
