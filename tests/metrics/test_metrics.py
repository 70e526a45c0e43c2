"""The metrics say what happened; Prometheus' own tool reads them and the alerts."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from helpers_stream import Server, available, settings_for, unit
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.errors import CtxError
from ctxkit.metrics import collect, journal
from ctxkit.metrics.serve import listen
from ctxkit.pipeline import update
from ctxkit.repo import find
from ctxkit.settings import Settings
from ctxkit.units import stream

DOCS = Path(__file__).parents[2] / 'docs'


@pytest.fixture
def repo(git_repo):
    return find(git_repo({'a.py': 'def f(x):\n    return x\n', 'big.bin': b'\0' * 100}))


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """(name, labels) -> value, read by the library's own parser."""
    out = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            out[one.name, tuple(sorted(one.labels.items()))] = one.value
    return out


def found(repo, settings: Settings | None = None, now: float | None = None) -> dict:
    return samples(collect.text(repo, settings or Settings(), lambda: now or time.time()))


def test_an_update_a_hook_and_a_render_are_counted(git, repo):
    update(repo, Settings(), now=time.time())
    journal.note(repo.data_dir, 'hook', time.time(), event='post-commit', seconds=0.4)
    subprocess.run([sys.executable, '-m', 'ctxkit', 'render'], cwd=repo.root, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    said = found(repo)
    assert said['ctxkit_update_seconds_count', ()] == 1
    assert said['ctxkit_slice_seconds_count', ()] == 2
    assert said['ctxkit_slice_seconds_sum', ()] > 0
    assert said['ctxkit_hook_seconds_bucket', (('le', '0.5'),)] == 1
    assert said['ctxkit_hook_seconds_bucket', (('le', '0.3'),)] == 0
    assert said['ctxkit_render_seconds_count', ()] == 1
    assert said['ctxkit_section_tokens_count', (('section', 'environment'),)] == 1
    assert said['ctxkit_skipped_files', ()] == 1
    assert said['ctxkit_stepped_down', ()] == 0


def test_a_hook_of_git_leaves_its_seconds(git, repo):
    from helpers_events import install_hooks, settle

    install_hooks(repo.root)
    (repo.root / 'a.py').write_text('def f(x):\n    return x + 1\n')
    git(repo.root, 'commit', '-qam', 'second')
    settle(repo.root)
    assert found(repo)['ctxkit_hook_seconds_count', ()] == 1


def test_hot_scores_are_those_of_now(repo):
    now = 1_800_000_000.0
    (repo.root / '.ctx').mkdir()
    fresh, old = unit(1, when=now), unit(2, when=now - 3600)
    stream.write(repo.ctx_dir / 'units.jsonl', [fresh._replace(edits_today=2), old._replace(edits_today=0)])
    said = found(repo, now=now)
    assert said['ctxkit_units', ()] == 2
    assert said['ctxkit_unit_hot_score_sum', ()] == pytest.approx(1.6 + 1 / 61)
    assert said['ctxkit_unit_cold_share', ()] == 0.5
    assert said['ctxkit_unit_hot_score_bucket', (('le', '0.3'),)] == 1


def test_a_repository_where_nothing_happened_yet_has_metrics(repo):
    said = found(repo)
    assert said['ctxkit_units', ()] == 0
    assert said['ctxkit_unit_cold_share', ()] == 0
    assert ('ctxkit_stream_up', ()) not in said


def test_a_damaged_journal_is_read_as_far_as_it_goes(repo):
    journal_file = repo.data_dir / journal.NAME
    repo.data_dir.mkdir()
    journal_file.write_bytes(
        b'{"kind":"hook","time":1,"seconds":0.1}\n\xff{{\n[]\n{"kind":"render","time":2}\n{"time":3}\n'
    )
    assert found(repo)['ctxkit_hook_seconds_count', ()] == 1
    journal_file.write_text(
        '{"kind":"update","time":9,"seconds":1,"sliced_files":1e400,"slice_seconds":1}\n{"kind":"hook","time":NaN}\n'
    )
    assert found(repo)['ctxkit_slice_seconds_count', ()] == 0


@pytest.mark.parametrize('address', ['127.0.0.1:\u00b2', 'no..host:0', ':99999999', 'x'])
def test_an_address_that_is_none_is_an_error_in_one_line(repo, address):
    with pytest.raises(CtxError):
        listen(repo, Settings(), address, time.time)


def test_the_journal_is_bounded(repo, monkeypatch):
    repo.data_dir.mkdir()
    monkeypatch.setattr(journal, 'MAX_BYTES', 2000)
    for number in range(200):
        journal.note(repo.data_dir, 'hook', number, seconds=0.1)
    size = sum(file.stat().st_size for file in repo.data_dir.glob('journal*'))
    assert size < 5000
    assert list(journal.records(repo.data_dir))[-1]['time'] == 199


@pytest.mark.skipif(not available(), reason='redis-server is not installed')
def test_the_team_stream_and_the_queue_are_seen(repo, tmp_path):
    from ctxkit.stream import feed, publish, server
    from ctxkit.stream.identity import project

    folder = tmp_path / 'redis'
    folder.mkdir()
    redis = Server(folder)
    settings = settings_for(redis)
    name = project(repo, settings)
    try:
        with server.connected(settings.stream) as client:
            publish.add(client, name, [unit(1), unit(2)], settings)
            feed.join(client, name, 'agents')
            feed.take(client, name, 'agents', 'r', 1, 30)
        said = found(repo, settings)
        assert said['ctxkit_stream_up', ()] == 1
        assert said['ctxkit_stream_length', ()] == 2
        assert said['ctxkit_stream_lag', (('group', 'agents'),)] == 1
        assert said['ctxkit_stream_pending', (('group', 'agents'),)] == 1
        assert said['ctxkit_jobs', ()] == 0
    finally:
        redis.stop()
    publish.publish(repo, settings, [unit(3)], time.time())
    said = found(repo, settings)
    assert said['ctxkit_stream_up', ()] == 0
    assert said['ctxkit_stream_waiting_events', ()] == 1


def test_they_are_served_on_this_machine_alone(repo):
    update(repo, Settings(), now=time.time())
    server, address = listen(repo, Settings(), '127.0.0.1:0', time.time)
    try:
        assert address.startswith('127.0.0.1:')
        assert server.server_address[0] == '127.0.0.1'
        with urllib.request.urlopen(f'http://{address}/metrics', timeout=10) as answer:
            assert samples(answer.read().decode())['ctxkit_update_seconds_count', ()] == 1
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(shutil.which('promtool') is None, reason='promtool is not installed')
def test_promtool_accepts_the_metrics(repo):
    update(repo, Settings(), now=time.time())
    done = subprocess.run(['promtool', 'check', 'metrics'], input=collect.text(repo, Settings(), time.time), text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (0, '')


@pytest.mark.skipif(shutil.which('promtool') is None, reason='promtool is not installed')
def test_promtool_accepts_the_alerts_and_the_cold_one_fires(tmp_path):
    shutil.copy(DOCS / 'alerts.yml', tmp_path / 'alerts.yml')
    (tmp_path / 'test.yml').write_text(
        'rule_files: [alerts.yml]\n'
        'tests:\n'
        '  - interval: 1m\n'
        '    input_series:\n'
        '      - {series: \'ctxkit_unit_cold_share{instance="a"}\', values: "0.8x60"}\n'
        '      - {series: \'ctxkit_units{instance="a"}\', values: "5x60"}\n'
        '      - {series: \'ctxkit_unit_cold_share{instance="b"}\', values: "0.1x60"}\n'
        '      - {series: \'ctxkit_units{instance="b"}\', values: "5x60"}\n'
        '    alert_rule_test:\n'
        '      - eval_time: 45m\n'
        '        alertname: CtxkitColdKnowledge\n'
        '        exp_alerts:\n'
        '          - exp_labels: {severity: warning, instance: a}\n'
        '            exp_annotations:\n'
        '              summary: "Cold knowledge in a: 80% of the units are below 0.3"\n'
        '              description: "Are the hooks installed and the watcher running?'
        ' `ctxkit doctor` in the repository says."\n'
    )
    subprocess.run(['promtool', 'check', 'rules', 'alerts.yml'], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        ['promtool', 'test', 'rules', 'test.yml'], cwd=tmp_path, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_about_a_metric_that_exists(repo):
    import re

    import yaml

    documented = set(re.findall(r'ctxkit_\w+', collect.__doc__ or ''))
    for group in yaml.safe_load((DOCS / 'alerts.yml').read_text('utf-8'))['groups']:
        for rule in group['rules']:
            for name in re.findall(r'ctxkit_\w+', rule['expr']):
                assert name.removesuffix('_bucket') in documented
