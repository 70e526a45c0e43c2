"""Asking a model: which one, by endpoint or command, redacted, within the caps, without harm where it fails."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers_memory import DAY, NOW, claude_session, enabled
from helpers_model_calls import MEMORIES, answering, go

from ctxkit.config import load
from ctxkit.errors import CtxError
from ctxkit.memory import ledger, model


@contextmanager
def serving(handler):
    """An endpoint on this machine; yields its address."""
    server = ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f'http://127.0.0.1:{server.server_port}'
    finally:
        server.shutdown()
        server.server_close()


def test_the_prompt_is_redacted_and_marked(place, tmp_path):
    root, home, _ = place
    token = 'ghp_' + 'a1B2' * 9
    (root / '.env').write_text('DB_PASSWORD=gentle-otter-lagoon-77\n')
    claude_session(home, root, 's1', [f'the key is {token}, use it', 'And gentle-otter-lagoon-77 for staging.'])
    go(place, answering(tmp_path, {}))
    prompt = (tmp_path / 'prompt').read_text()
    assert (
        token not in prompt and 'gentle-otter' not in prompt and 'ctxkit-memory-call' in prompt and 'REDACTED' in prompt
    )


def test_no_part_of_a_secret_at_the_cut_of_a_long_message_is_sent(place, tmp_path):
    root, home, _ = place
    token = 'ghp_' + 'a1B2' * 9
    claude_session(home, root, 's1', [f'{"word " * 236}{token} {"more " * 400}'])
    go(place, answering(tmp_path, {}))
    prompt = (tmp_path / 'prompt').read_text()
    assert 'characters left out' in prompt and 'a1B2' not in prompt


def test_the_caps_hold_over_runs_and_are_shown(place, tmp_path):
    root, home, environ = place
    for number in range(6):
        claude_session(home, root, f's{number}', ['Hello there.'], NOW - DAY - number)
    report = go(place, answering(tmp_path, {}), max_calls_per_run=2)
    assert any('calls per run' in name for name in report.failed) and report.read == 6
    for number in range(6, 12):
        claude_session(home, root, f's{number}', ['Hello there.'], NOW - DAY - number)
    go(place, answering(tmp_path, {}), max_calls_per_day=3)
    shown = ledger.lines(ledger.path(environ), enabled(max_calls_per_day=3), ledger_now())
    assert shown[-1].startswith('within a day: 3 of 3 calls') and len(shown) == 4
    assert all(' s, answered (' in line for line in shown[:-1])


def ledger_now() -> float:
    import time

    return time.time()


@pytest.mark.parametrize(
    'changes',
    [
        {'max_input_tokens_per_call': 500},
        {'max_input_tokens_per_run': 10},
        {'max_input_tokens_per_day': 10},
        {'max_model_seconds_per_run': 10},
        {'max_model_seconds_per_day': 10},
        {'max_calls_per_day': 0},
    ],
)
def test_each_cap_refuses_before_the_call(tmp_path, changes):
    number, refusal = ledger.book(
        tmp_path / 'l.db', replace(MEMORIES, **changes), NOW, 'r', 'repo', 'extract', 'default', 'm', 1000
    )
    assert number == 0 and 'above the cap' in refusal


def test_calls_of_a_clock_that_was_ahead_leave_the_days_caps_as_they_are(tmp_path):
    memories = replace(MEMORIES, max_calls_per_day=2)

    def refused(now: float, run: str) -> bool:
        number, _ = ledger.book(tmp_path / 'l.db', memories, now, run, 'repo', 'extract', 'default', 'm', 10)
        return not number

    assert [refused(NOW + 365 * DAY, f'ahead {n}') for n in range(3)] == [False, False, True]
    assert [refused(NOW + n, f'right {n}') for n in range(3)] == [False, False, True]


def test_eight_bookings_at_once_stay_below_the_cap(tmp_path):
    memories = replace(MEMORIES, max_calls_per_day=5, max_calls_per_run=100, max_model_seconds_per_run=3600)
    results = []
    threads = [
        threading.Thread(
            target=lambda n=n: results.append(
                ledger.book(tmp_path / 'l.db', memories, NOW, f'r{n}', 'repo', 'extract', 'default', 'm', 10)
            )
        )
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(number > 0 for number, _ in results) == 5


@pytest.mark.parametrize(
    'command',
    [
        '"{python}" -c "import sys; sys.exit(3)"',
        '"{python}" -c "print(1)"',
        'no-such-program-at-all',
        '"{python}" -c "import time; time.sleep(30)"',
    ],
)
def test_a_model_that_fails_costs_no_fact(place, command):
    root, home, _ = place
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    report = go(place, command.format(python=sys.executable), max_model_seconds_per_call=2)
    assert [fact.text for fact in report.facts] == ['We decided to use pnpm instead of npm']
    assert any(name.startswith('model call') for name in report.failed)


def test_a_model_command_that_is_late_is_ended_with_what_it_started(place, tmp_path):
    alive = tmp_path / 'alive'
    script = tmp_path / 'model.py'
    child = f'import time; time.sleep(4); open({str(alive)!r}, "w").close()'
    script.write_text(
        f'import subprocess, sys, time\nsubprocess.Popen([sys.executable, "-c", {child!r}])\ntime.sleep(60)\n'
    )
    claude_session(place[1], place[0], 's1', ['We decided to use pnpm instead of npm.'])
    go(place, f'"{sys.executable}" "{script}"', max_model_seconds_per_call=1)
    time.sleep(4.5)
    assert not alive.exists()


@pytest.mark.parametrize('answer', [b'{}', b'[]', b'{"choices": []}', b'{"choices": 5}', b'[' * 100_000, None])
def test_an_endpoint_that_answers_something_else_costs_no_fact(place, answer):
    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers['content-length']))
            if answer is None:
                self.wfile.write(b'no status line\r\n')
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args):
            return

    root, home, _ = place
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    with serving(Answer) as address:
        report = go(place, '', default_endpoint=address, default_model='m')
    assert [fact.text for fact in report.facts] == ['We decided to use pnpm instead of npm']
    assert any(name.startswith('model call') for name in report.failed)


def test_an_endpoint_that_answers_a_byte_at_a_time_is_given_up_in_time(place):
    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_response(200)
            self.end_headers()
            for _ in range(80):
                try:
                    self.wfile.write(b' ')
                except OSError:
                    return
                time.sleep(0.25)

        def log_message(self, *args):
            return

    root, home, _ = place
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    with serving(Answer) as address:
        began = time.monotonic()
        report = go(place, '', default_endpoint=address, default_model='m', max_model_seconds_per_call=1)
        assert time.monotonic() - began < 10
        assert any('did not answer within 1 s' in name for name in report.failed)


def test_without_its_book_no_model_is_called_and_no_fact_is_lost(place, tmp_path):
    root, home, environ = place
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    ledger.path(environ).parent.mkdir(parents=True)
    ledger.path(environ).write_bytes(b'no database at all' * 1000)
    report = go(place, answering(tmp_path, {}))
    assert [fact.text for fact in report.facts] == ['We decided to use pnpm instead of npm']
    assert any('move it away' in name for name in report.failed) and not (tmp_path / 'prompt').exists()
    with pytest.raises(CtxError, match='not a database'):
        ledger.lines(ledger.path(environ), enabled(), NOW)


def test_smol_falls_back_to_default():
    both = replace(
        MEMORIES, default_endpoint='http://a/v1', default_model='big', smol_endpoint='http://b/v1', smol_model='small'
    )
    assert (
        model.role(both, 'smol').model == 'small' and model.role(replace(both, smol_endpoint=''), 'smol').model == 'big'
    )
    assert model.role(MEMORIES, 'smol') is None


def test_a_repository_cannot_choose_a_model(tmp_path):
    file = tmp_path / 'config.yaml'
    for key in ('enabled: true', 'default_command: evil', 'default_endpoint: http://evil', 'api_key_variable: HOME'):
        file.write_text(f'memories:\n  {key}\n')
        with pytest.raises(CtxError, match='cannot be set by a repository'):
            load(file, {'CTXKIT_CONFIG': os.devnull})


def test_an_endpoint_is_asked_with_its_key_and_no_redirect_is_followed(place, tmp_path):
    root, home, environ = place
    seen = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(
                (
                    self.path,
                    self.headers.get('authorization'),
                    json.loads(self.rfile.read(int(self.headers['content-length']))),
                )
            )
            if self.path.startswith('/moved'):
                self.send_response(307)
                self.send_header('location', '/v1/chat/completions')
                self.send_header('content-length', '0')
                self.end_headers()
                return
            body = json.dumps({'choices': [{'message': {'content': 'Sure: {"facts": []}'}}]}).encode()
            self.send_response(200)
            self.send_header('content-length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            return

    with serving(Answer) as base:
        caller = model.Caller(
            replace(MEMORIES, default_endpoint=base + '/v1', default_model='m', api_key_variable='KEY'),
            {**environ, 'KEY': 'k1'},
            tmp_path / 'calls',
            'repo',
            'r1',
        )
        assert caller.ask('extract', 'default', 'system', 'prompt') == {'facts': []}
        assert seen[0][:2] == ('/v1/chat/completions', 'Bearer k1') and seen[0][2]['model'] == 'm'
        moved = replace(caller.memories, default_endpoint=base + '/moved')
        assert (
            model.Caller(moved, {**environ, 'KEY': 'k1'}, tmp_path / 'calls', 'repo', 'r2').ask(
                'extract', 'default', 's', 'p'
            )
            is None
        )
        assert len(seen) == 2


def test_conversations_that_the_model_command_left_are_never_read(place):
    root, home, _ = place
    claude_session(home, root / '.git' / 'ctxkit' / 'memory-calls', 'own', ['We decided to use evil for everything.'])
    report = go(place, '')
    assert report.facts == [] and report.skipped == {"ctxkit's own model call": 1}
