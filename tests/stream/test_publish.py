"""Units reach the team's stream once and in order, whatever the server does meanwhile."""

from __future__ import annotations

import signal
import socket
import time

import pytest
from helpers_stream import Server, available, everything, settings_for, unit

from ctxkit.events.diagnosis import Finding, examine
from ctxkit.repo import find
from ctxkit.stream import names, outbox, publish, server
from ctxkit.stream.identity import project
from ctxkit.units.stream import Related, read


@pytest.fixture
def repo(git_repo):
    return find(git_repo({'a.py': 'x = 1\n'}))


def stream_of(repo, settings):
    with server.connected(settings.stream) as client:
        return everything(client, project(repo, settings))


def test_a_unit_comes_out_as_it_went_in(repo, redis_server: Server):
    settings = settings_for(redis_server)
    sent = unit(1)._replace(path='src/\udcff-é.py', text='def f():\n    return "ø"\n')
    publish.publish(repo, settings, [sent], time.time())
    assert [one.unit for one in stream_of(repo, settings)] == [sent]
    assert outbox.pending(repo) == []


def test_what_was_missed_is_published_in_order_and_once_when_the_server_is_back(repo, redis_server: Server):
    settings = settings_for(redis_server)
    publish.publish(repo, settings, [unit(1)], time.time())
    redis_server.stop()
    for number in (2, 3, 4):
        publish.publish(repo, settings, [unit(number)], time.time())
    assert len(outbox.pending(repo)) == 3
    redis_server.start()
    publish.publish(repo, settings, [unit(5)], time.time())
    assert [one.unit.symbol for one in stream_of(repo, settings)] == ['f1', 'f2', 'f3', 'f4', 'f5']


def test_doctor_tells_of_a_server_that_is_away_and_how_much_waits(repo, redis_server: Server):
    environ = {'CTXKIT_STREAM_URL': redis_server.url}
    address = redis_server.url.removesuffix('/0')
    assert Finding(True, f'{address} answers') in examine(repo, environ)
    redis_server.stop()
    publish.note(repo, [unit(1)])
    told = [finding for finding in examine(repo, environ) if address in finding.what]
    assert [(finding.good, finding.what.partition('; ')[2]) for finding in told] == [(False, 'events waiting: 1')]


def test_an_event_that_the_server_had_when_the_publisher_died_is_not_repeated(repo, redis_server: Server):
    settings = settings_for(redis_server)
    publish.note(repo, [unit(1), unit(2)])
    with server.connected(settings.stream) as client:  # sent, and killed before the outbox was emptied
        publish.add(client, project(repo, settings), read(outbox.pending(repo)[0], 0), settings)
    assert publish.flush(repo, settings, time.time()).units == 0
    assert len(stream_of(repo, settings)) == 2


def test_clones_that_pull_one_commit_publish_its_units_once(git, git_repo, tmp_path, redis_server: Server):
    settings = settings_for(redis_server)
    origin = git_repo({'a.py': 'x = 1\n'}, name='origin')
    clones = []
    for folder in ('one/origin', 'two/origin'):
        git(tmp_path, 'clone', '-q', str(origin), folder)
        clones.append(find(tmp_path / folder))
    for clone in clones:
        publish.publish(clone, settings, [unit(1)._replace(time=time.time())], time.time())
    assert len(stream_of(clones[0], settings)) == 1
    assert len(stream_of(find(origin), settings)) == 1


def test_two_saves_of_the_same_text_are_two_units(repo, redis_server: Server):
    settings = settings_for(redis_server)
    now = time.time()
    for when in (now - 1, now):
        publish.publish(repo, settings, [unit(1, commit='', when=when)], now)
    assert len(stream_of(repo, settings)) == 2


def test_secrets_do_not_reach_the_outbox_or_the_stream(repo, redis_server: Server):
    settings = settings_for(redis_server)
    (repo.root / '.env').write_text('API_TOKEN="hunter2-hunter2-hunter2"\n')
    publish.note(repo, [unit(1, text='call("hunter2-hunter2-hunter2")')])
    assert b'hunter2' not in outbox.pending(repo)[0].read_bytes()
    publish.flush(repo, settings, time.time())
    assert 'hunter2' not in stream_of(repo, settings)[0].unit.text


def test_no_part_of_a_unit_brings_a_secret_to_the_outbox(repo):
    secret = 'hunter2-hunter2-hunter2'
    (repo.root / '.env').write_text(f'API_TOKEN="{secret}"\n')
    touched = Related('calls', True, 1, f'{secret}/b.py', 1, 2, secret, f'def g(a="{secret}")')
    odd = {'path': f'{secret}/a.py', 'symbol': secret, 'signature': f'def f(a="{secret}")', 'text': secret}
    publish.note(repo, [unit(1)._replace(**odd, related=(touched,))])
    (written,) = outbox.pending(repo)
    assert b'REDACTED' in written.read_bytes() and b'hunter2' not in written.read_bytes()


def test_units_older_than_a_day_are_not_sent_and_old_entries_are_trimmed(repo, redis_server: Server):
    settings = settings_for(redis_server)
    now = time.time()
    name = project(repo, settings)
    with server.connected(settings.stream) as client:
        client.xadd(names.units(name), {'schema': '1'}, id=f'{int((now - 90_000) * 1000)}-0')
    publish.publish(repo, settings, [unit(1, when=now - 90_000), unit(2)], now)
    assert [one.unit.symbol for one in stream_of(repo, settings)] == ['f2']


def test_the_length_of_a_stream_is_bounded(repo, redis_server: Server):
    settings = settings_for(redis_server, max_length=100)
    publish.publish(repo, settings, [unit(number) for number in range(1000)], time.time())
    entries = stream_of(repo, settings)
    assert 100 <= len(entries) <= 300  # trimming frees whole nodes
    assert entries[-1].unit.symbol == 'f999'


def test_a_server_that_takes_connections_and_never_answers_does_not_fail_an_update(repo):
    with socket.socket() as silent:
        silent.bind(('127.0.0.1', 0))
        silent.listen()
        server_ = type('Silent', (), {'url': f'redis://127.0.0.1:{silent.getsockname()[1]}'})
        publish.publish(repo, settings_for(server_), [unit(1)], time.time())
    assert len(outbox.pending(repo)) == 1


@pytest.mark.skipif(not available(), reason='redis-server is not installed')
def test_a_password_is_needed_and_taken_from_the_environment(repo, tmp_path, monkeypatch):
    folder = tmp_path / 'locked'
    folder.mkdir()
    locked = Server(folder, '--requirepass', 'open-sesame')
    try:
        settings = settings_for(locked, password_variable='TEAM_REDIS')
        assert 'refuses' in publish.flush(repo_with(repo, 1), settings, time.time()).problem
        monkeypatch.setenv('TEAM_REDIS', 'open-sesame')
        assert publish.flush(repo, settings, time.time()).units == 1
    finally:
        locked.stop(signal.SIGTERM)


def repo_with(repo, number):
    publish.note(repo, [unit(number)])
    return repo


def test_a_repository_cannot_name_a_server(git_repo):
    from ctxkit.config import load
    from ctxkit.errors import CtxError

    root = git_repo({'.ctx/config.yaml': 'stream:\n  url: redis://evil.example\n'})
    with pytest.raises(CtxError, match='cannot be set by a repository'):
        load(root / '.ctx' / 'config.yaml', {})


def test_a_password_in_the_address_is_never_shown():
    from ctxkit.settings import StreamSettings

    settings = StreamSettings(url='redis://me:open-sesame@127.0.0.1:1/0')
    with pytest.raises(server.Away) as caught, server.connected(settings, 0.5):
        pass
    assert 'sesame' not in caught.value.format_message()
    assert '127.0.0.1' in caught.value.format_message()


def test_a_shallow_clone_says_how_to_name_its_project(git, git_repo, tmp_path):
    from ctxkit.errors import CtxError

    root = git_repo({'a.py': 'x = 1\n'})
    (root / 'a.py').write_text('x = 2\n')
    git(root, 'commit', '-qam', 'second')
    git(tmp_path, 'clone', '-q', '--depth=1', f'file://{root}', 'shallow')
    from ctxkit.settings import Settings, StreamSettings

    with pytest.raises(CtxError) as caught:
        project(find(tmp_path / 'shallow'), Settings())
    assert 'stream.project' in caught.value.hint
    assert project(find(tmp_path / 'shallow'), Settings(stream=StreamSettings(project='Team'))) == 'team'


def test_tls_is_checked_against_the_persons_certificates(repo, tmp_path):
    import shutil
    import subprocess

    from ctxkit.settings import Settings, StreamSettings

    if not available() or not shutil.which('openssl'):
        pytest.skip('redis-server or openssl is not installed')
    folder = tmp_path / 'tls'
    folder.mkdir()
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'cert.pem',
         '-days', '1', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    certificates = ('--tls-cert-file', 'cert.pem', '--tls-key-file', 'key.pem', '--tls-ca-cert-file', 'cert.pem')
    secure = Server(folder, '--tls-port', str(port), *certificates, '--tls-auth-clients', 'no')
    try:
        address = f'rediss://127.0.0.1:{port}/0'
        trusted = Settings(stream=StreamSettings(url=address, ca_file=str(folder / 'cert.pem')))
        publish.note(repo, [unit(1)])
        assert 'not trusted' in publish.flush(repo, Settings(stream=StreamSettings(url=address)), time.time()).problem
        assert publish.flush(repo, trusted, time.time()).units == 1
    finally:
        secure.stop()


def test_the_outbox_is_bounded(repo, monkeypatch):
    monkeypatch.setattr(outbox, 'MAX_FILES', 5)
    for number in range(9):
        publish.note(repo, [unit(number)])
    kept = [read(file, 0)[0].symbol for file in outbox.pending(repo)]
    assert kept == ['f4', 'f5', 'f6', 'f7', 'f8']


def test_an_update_publishes_what_its_commit_changed(git, git_repo, redis_server: Server):
    from ctxkit.pipeline import update

    settings = settings_for(redis_server)
    files = {'a.py': 'def f(x):\n    return x\n', 'b.py': 'from a import f\n\n\ndef g(x):\n    return f(x)\n'}
    repo = find(git_repo(files))
    update(repo, settings, now=time.time())
    (repo.root / 'a.py').write_text('def f(x):\n    return x + 1\n')
    git(repo.root, 'commit', '-qam', 'one more')
    update(repo, settings, now=time.time(), event='post-commit')
    (one,) = stream_of(repo, settings)
    head = git(repo.root, 'rev-parse', 'HEAD').strip()
    assert (one.unit.symbol, one.unit.event, one.unit.commit) == ('f', 'post-commit', head)
    assert [related.symbol for related in one.unit.related] == ['g']


def test_an_update_does_not_fail_where_the_server_is_away(git, git_repo, redis_server: Server):
    from ctxkit.pipeline import update

    settings = settings_for(redis_server)
    redis_server.stop()
    repo = find(git_repo({'a.py': 'def f(x):\n    return x\n'}))
    update(repo, settings, now=time.time())
    (repo.root / 'a.py').write_text('def f(x):\n    return x + 1\n')
    git(repo.root, 'commit', '-qam', 'one more')
    assert update(repo, settings, now=time.time()).units == 1
    assert len(outbox.pending(repo)) == 1
