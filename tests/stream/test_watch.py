"""The watcher: saves become units, what git does becomes an update, what git ignores becomes nothing."""

from __future__ import annotations

import errno
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers_stream import PATIENCE, Server, everything, settings_for, until

from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.events.freshness import freshness
from ctxkit.pipeline import update
from ctxkit.repo import find
from ctxkit.settings import Settings
from ctxkit.stream.watch import watch
from ctxkit.units import edits, history, stream
from ctxkit.units.stream import StreamUnit

CODE = 'def one(x):\n    return x + 1\n\n\ndef two(x):\n    return one(x) * 2\n'


@contextmanager
def watching(repo, settings: Settings | None = None, poll: bool = False):
    """A watcher in a thread; gives the lines that it told."""
    told: list[str] = []
    failed: list[BaseException] = []
    stop = threading.Event()

    def run() -> None:
        try:
            watch(repo, settings or Settings(), os.environ, stop=stop, poll=poll, notify=told.append)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        until(lambda: any('watching' in line for line in told) or failed)
        time.sleep(0.3)  # the watches are set a moment after the line is told
        yield told
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert failed == []


def units(repo) -> dict[str, StreamUnit]:
    return {unit.symbol: unit for unit in stream.read(repo.ctx_dir / 'units.jsonl')}


def block(repo) -> str:
    file = repo.ctx_dir / 'context.xml'
    return file.read_text('utf-8') if file.exists() else ''


@pytest.fixture
def repo(git_repo):
    made = find(git_repo({'a.py': CODE, '.gitignore': 'build/\n*.log\n', 'src/b.py': 'def three():\n    return 3\n'}))
    update(made, Settings(), now=time.time())
    return made


def test_a_save_becomes_a_unit_of_what_changed_and_stands_in_the_block(repo):
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE.replace('* 2', '* 22'))
        until(lambda: 'two' in units(repo))
        until(lambda: '* 22' in block(repo))
    found = units(repo)
    assert list(found) == ['two']
    assert (found['two'].event, found['two'].change, found['two'].edits_today) == ('edit', 'edited', 1)
    assert '* 22' in found['two'].text


def test_an_editor_that_renames_a_new_file_over_the_old_one_is_seen(repo):
    with watching(repo):
        (repo.root / 'src' / '.b.py.tmp').write_text('def three():\n    return 33\n')
        os.replace(repo.root / 'src' / '.b.py.tmp', repo.root / 'src' / 'b.py')
        until(lambda: 'three' in units(repo))
    assert units(repo)['three'].path == 'src/b.py'


def test_a_file_that_was_empty_for_a_moment_gives_only_what_is_new(repo):
    with watching(repo):
        (repo.root / 'a.py').write_text('')
        time.sleep(0.5)
        (repo.root / 'a.py').write_text(CODE + '\n\ndef third():\n    pass\n')
        until(lambda: 'third' in units(repo))
    assert list(units(repo)) == ['third']


def test_a_moved_file_gives_only_what_was_edited_with_it(git, repo):
    with watching(repo):
        git(repo.root, 'mv', 'a.py', 'src/moved.py')
        time.sleep(0.5)
        (repo.root / 'src' / 'moved.py').write_text(CODE.replace('* 2', '* 22'))
        until(lambda: 'two' in units(repo))
    assert [(unit.path, unit.symbol, unit.change) for unit in units(repo).values()] == [
        ('src/moved.py', 'two', 'edited')
    ]
    assert edits.today(repo, time.time()) == {'src/moved.py': 1}


def test_what_git_ignores_and_our_own_folder_become_nothing(repo):
    with watching(repo):
        (repo.root / 'build').mkdir()
        (repo.root / 'build' / 'out.py').write_text('def built():\n    pass\n')
        (repo.root / 'x.log').write_text('line\n')
        (repo.ctx_dir / 'notes.py').write_text('def ours():\n    pass\n')
        time.sleep(0.5)
        (repo.root / 'a.py').write_text(CODE + '\n\ndef last():\n    pass\n')
        until(lambda: 'last' in units(repo))
    assert list(units(repo)) == ['last']


def test_files_in_new_folders_are_seen(repo):
    with watching(repo):
        (repo.root / 'new' / 'deep').mkdir(parents=True)
        time.sleep(1)
        (repo.root / 'new' / 'deep' / 'c.py').write_text('def fresh():\n    pass\n')
        until(lambda: 'fresh' in units(repo))
    assert units(repo)['fresh'].change == 'added'


def test_a_switch_of_branches_is_an_update_and_no_edit(git, repo):
    git(repo.root, 'checkout', '-qb', 'other')
    for number in range(30):
        (repo.root / f'm{number}.py').write_text(f'def of_other_{number}():\n    pass\n')
    git(repo.root, 'add', '-A')
    git(repo.root, 'commit', '-qm', 'other')
    git(repo.root, 'checkout', '-q', 'main')
    with watching(repo):
        git(repo.root, 'checkout', '-q', 'other')
        head = git(repo.root, 'rev-parse', 'HEAD').strip()
        until(lambda: freshness(repo).last['commit'] == head)
    assert all(unit.event != 'edit' for unit in units(repo).values())


def test_a_commit_without_hooks_is_indexed(git, repo):
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE.replace('+ 1', '+ 11'))
        git(repo.root, 'commit', '-qam', 'eleven')
        head = git(repo.root, 'rev-parse', 'HEAD').strip()
        until(lambda: any(unit.commit == head for unit in units(repo).values()))


def test_what_was_noted_and_no_worker_took_holds_nothing_up(git, repo):
    requests.note(repo.common_dir, requests.MAIN, 'post-applypatch', '', repo.root)  # as `git am --skip` leaves it
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE.replace('+ 1', '+ 11'))
        git(repo.root, 'commit', '-qam', 'eleven')
        head = git(repo.root, 'rev-parse', 'HEAD').strip()
        until(lambda: freshness(repo).last['commit'] == head)


def test_a_rebase_in_progress_is_left_alone(git, repo):
    (repo.git_dir / 'rebase-merge').mkdir()
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE.replace('+ 1', '+ 5'))
        time.sleep(0.8)
    assert units(repo) == {}


def test_a_mass_of_changes_is_one_scan_with_a_bounded_stream(repo):
    with watching(repo):
        for number in range(400):
            (repo.root / f'g{number}.py').write_text(f'def made_{number}():\n    return {number}\n')
        until(lambda: len(units(repo)) >= 60)
        time.sleep(0.5)
        (repo.root / 'a.py').write_text(CODE + '\n\ndef after():\n    pass\n')
        until(lambda: 'after' in units(repo))


def test_a_watcher_that_starts_again_does_not_repeat_what_the_stream_has(repo):
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE.replace('* 2', '* 7'))
        until(lambda: 'two' in units(repo))
    first = units(repo)['two']
    with watching(repo):
        time.sleep(0.3)
    assert units(repo)['two'] == first


def test_secrets_in_a_saved_file_do_not_reach_the_stream(repo):
    token = 'ghp_' + 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'
    with watching(repo):
        (repo.root / 'a.py').write_text(CODE + f'\n\ndef login():\n    return "{token}"\n')
        until(lambda: 'login' in units(repo))
        until(lambda: 'login' in block(repo))
    assert token not in (repo.ctx_dir / 'units.jsonl').read_text() + block(repo)


def test_one_watcher_a_work_tree(repo):
    with watching(repo), pytest.raises(CtxError, match='another watcher'):
        watch(repo, Settings(), os.environ, stop=threading.Event())


def test_a_system_without_file_watches_is_polled_with_a_message(repo, monkeypatch):
    import watchfiles

    def none_left(*_, **__):
        raise OSError(errno.ENOSPC, 'OS file watch limit reached')

    monkeypatch.setattr(watchfiles, 'watch', none_left)
    with watching(repo) as told:
        until(lambda: any('no file watches left' in line and 'max_user_watches' in line for line in told))
        time.sleep(1.2)
        (repo.root / 'a.py').write_text(CODE.replace('* 2', '* 3'))
        until(lambda: 'two' in units(repo))


def test_a_linked_worktree_is_watched_by_itself(git, repo, tmp_path):
    git(repo.root, 'worktree', 'add', '-q', '-b', 'side', str(tmp_path / 'side'))
    side = find(tmp_path / 'side')
    update(side, Settings(), now=time.time())
    with watching(side):
        (side.root / 'a.py').write_text(CODE.replace('* 2', '* 9'))
        until(lambda: 'two' in units(side))
        git(side.root, 'commit', '-qam', 'nine')
        head = git(side.root, 'rev-parse', 'HEAD').strip()
        until(lambda: freshness(side).last['commit'] == head)
    assert units(repo) == {}


def test_saves_reach_the_team_stream(repo, redis_server: Server):
    from ctxkit.stream import server
    from ctxkit.stream.identity import project

    settings = settings_for(redis_server)

    def streamed() -> list[str]:
        with server.connected(settings.stream) as client:
            return [one.unit.symbol for one in everything(client, project(repo, settings)) if one.unit]

    with watching(repo, settings):
        (repo.root / 'a.py').write_text(CODE.replace('* 2', '* 4'))
        until(lambda: streamed() == ['two'])


def test_saves_count_once_a_minute_and_for_a_day(repo):
    now = 1_800_000_000.0
    for when in (now, now + 10, now + 100):
        edits.note(repo, ['a.py'], when)
    assert edits.today(repo, now + 101)['a.py'] == 2
    assert edits.today(repo, now + 86_400 + 50)['a.py'] == 1
    assert edits.today(repo, now + 3 * 86_400)['a.py'] == 0


def test_saves_and_commits_of_today_count_together(git, repo):
    head = git(repo.root, 'rev-parse', 'HEAD').strip()
    now = time.time()
    assert history.edits_today(repo, head, now)['a.py'] == 1
    edits.note(repo, ['a.py'], now)
    assert history.edits_today(repo, head, now)['a.py'] == 2


def test_a_damaged_count_is_no_count(repo):
    edits.file_of(repo).write_text('{"a.py": "soon"}')
    assert edits.today(repo, time.time()) == {}
    edits.note(repo, ['a.py'], time.time())
    assert edits.today(repo, time.time()) == {'a.py': 1}


def test_the_command_ends_on_a_signal(repo):
    import signal
    import subprocess
    import sys

    process = subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'watch'], cwd=Path(repo.root), stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stderr is not None
        assert 'watching' in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize('poll', [False, True])
def test_the_watcher_of_a_work_tree_that_is_removed_ends_and_removal_gets_through(git, repo, tmp_path, poll):
    other = tmp_path / 'other'
    git(repo.root, 'worktree', 'add', '-q', '--detach', str(other))
    failed: list[CtxError] = []

    def run() -> None:
        with pytest.raises(CtxError) as error:
            watch(find(other), Settings(), os.environ, stop=stop, poll=poll, notify=told.append)
        failed.append(error.value)

    told: list[str] = []
    stop = threading.Event()
    thread = threading.Thread(target=run)
    thread.start()
    try:
        until(lambda: (other / '.ctx' / 'status.json').exists())  # written last; nothing is written any more
        git(repo.root, 'worktree', 'remove', str(other))
        thread.join(PATIENCE)
        assert failed and not other.exists()
    finally:
        stop.set()
        thread.join(PATIENCE)
