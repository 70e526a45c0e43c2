"""What an update leaves behind, and that it leaves everything as it was where it cannot write."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest
from helpers_main import block, parsed, run, status_of, symbols, units_of, update, write

from ctxkit import pipeline

CODE = {'app.py': 'def charge(order):\n    return order.total\n', 'README.md': '# Money\n\nAbout money.\n'}


def test_artefacts_are_there_whole_and_ignored_by_git(git_repo, git):
    root = git_repo(CODE)
    update(root)
    assert sorted(file.name for file in (root / '.ctx').iterdir()) == [
        '.gitignore',
        'context.xml',
        'status.json',
        'units.jsonl',
    ]
    assert git(root, 'status', '--porcelain') == ''
    assert git(root, 'status', '--porcelain', '--ignored').strip() == '!! .ctx/'
    parsed((root / '.ctx' / 'context.xml').read_text('utf-8'))


def test_shared_config_can_be_tracked_and_nothing_else(git_repo, git):
    root = git_repo(CODE)
    update(root)
    write(root, {'.ctx/config.yaml': 'units:\n  top_k: 3\n', '.ctx/stray.txt': 'x'})
    git(root, 'add', '-A')
    assert git(root, 'diff', '--cached', '--name-only').split() == ['.ctx/config.yaml']


def test_status_says_what_was_done(git_repo, git):
    root = git_repo({**CODE, 'data.bin': b'\0\1\2' * 50})
    done = update(root, now=1_900_000_000.0, event='post-commit')
    status = status_of(root)
    assert status['commit'] == git(root, 'rev-parse', 'HEAD').strip()
    assert (status['event'], status['branch'], status['time']) == ('post-commit', 'main', 1_900_000_000.0)
    assert (status['files'], status['sliced_files'], status['chunks']) == (3, 3, done.chunks)
    assert status['skipped'] == [{'path': 'data.bin', 'reason': 'binary'}] and status['skipped_files'] == 1
    assert status['seconds'] > 0


def test_status_names_the_commit_of_the_block_where_head_moved_meanwhile(git_repo, git, monkeypatch):
    root = git_repo(CODE)
    write(root, {'new.py': 'def brand_new():\n    return 1\n'})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'two')
    first, save = git(root, 'rev-parse', 'HEAD~1').strip(), pipeline.hot.save

    def save_and_reset(*given):
        save(*given)
        git(root, 'reset', '-q', '--hard', first)

    monkeypatch.setattr(pipeline.hot, 'save', save_and_reset)
    update(root)
    assert status_of(root)['commit'] == first
    assert f'commit="{first[:12]}"' in (root / '.ctx' / 'context.xml').read_text('utf-8')


def test_context_file_is_what_render_prints(git_repo):
    root = git_repo(CODE)
    update(root, now=1_900_000_000.0)
    assert run(root, 'render', SOURCE_DATE_EPOCH='1900000000').stdout == (root / '.ctx' / 'context.xml').read_text(
        'utf-8'
    )


def test_update_describes_the_commit_and_the_edits_over_it(git_repo, git):
    root = git_repo(CODE)
    write(root, {'new.py': 'def brand_new():\n    return 1\n'})
    update(root)
    element = parsed((root / '.ctx' / 'context.xml').read_text('utf-8'))
    assert element.get('commit') == git(root, 'rev-parse', 'HEAD')[:12]
    assert element.get('dirty') == 'true'
    assert 'brand_new' in {unit.get('symbol') for unit in element.iter('unit')}
    assert units_of(root) == [], 'an edit is no event'


def test_secret_values_of_env_files_are_known_at_once(git_repo):
    root = git_repo(
        {'app.py': 'VALUE = "zq8Rk2vX7mPw9sLtN4bY"\n\n\ndef get():\n    return VALUE\n', '.gitignore': '.env\n'}
    )
    write(root, {'.env': 'SERVICE_KEY=zq8Rk2vX7mPw9sLtN4bY\n'})
    assert 'zq8Rk2vX7mPw9sLtN4bY' not in block(root, 'get value').to_xml()


RUN = [sys.executable, '-m', 'ctxkit']


@pytest.mark.skipif(os.name == 'nt', reason='needs limits of the operating system')
@pytest.mark.parametrize('limit', [0, 1, 4, 16], ids=lambda blocks: f'{blocks} KB')
@pytest.mark.parametrize('command', [['update'], ['render'], ['search', 'charge']])
def test_full_disk_is_one_line_and_loses_nothing(git_repo, git, command, limit):
    """No file may grow above the limit: to a program this is a disk that is full."""
    root = git_repo(CODE)
    update(root)
    write(
        root,
        {
            f'mod{number}.py': f'def more_{number}(value):\n    """Say {number}."""\n    return value * {number}\n'
            for number in range(30)
        },
    )
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'more')
    before = {file.name: file.read_bytes() for file in (root / '.ctx').iterdir()}

    def full():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limit * 1024, limit * 1024))

    done = subprocess.run(
        [*RUN, *command],
        cwd=root,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        preexec_fn=full,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    if done.returncode:
        assert done.stderr.count('\n') == 1 and 'Traceback' not in done.stderr and 'bug' not in done.stderr, done.stderr
    else:
        assert done.stderr == ''
    after = {file.name: file.read_bytes() for file in (root / '.ctx').iterdir()}
    assert set(after) == set(before), 'no half file is left'
    json.loads(after['status.json'])
    parsed(after['context.xml'].decode())
    assert update(root).files == 32
    assert 'more_7' in symbols(root, 'more_7')


@pytest.mark.skipif(os.name == 'nt', reason='needs limits of the operating system')
def test_full_disk_is_one_line_where_worker_processes_index_too(git_repo):
    root = git_repo({f'mod{number}.py': f'def more_{number}():\n    return {number}\n' for number in range(130)})
    limited = (
        'import os, resource, sys; os.cpu_count = lambda: 2; '
        'resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)); '
        'from ctxkit.cli import main; sys.argv = ["ctxkit", "update"]; main()'
    )
    done = subprocess.run([sys.executable, '-c', limited], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count('\n')) == (1, 1), done.stderr


def without_privileges():
    """root may write anywhere; a program that it starts without these capabilities may not."""
    if sys.platform == 'linux' and os.geteuid() == 0:
        import ctypes

        for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.fixture
def locked_up(git_repo):
    """Makes a repository read-only, as a mounted image is."""
    if os.name == 'nt':
        pytest.skip('permissions of another kind')
    done = []

    def lock(root):
        done.append(root)
        read_only(root)
        probe = subprocess.run(
            [sys.executable, '-c', 'open("probe", "w")'],
            cwd=root,
            capture_output=True,
            check=False,
            preexec_fn=without_privileges,
        )
        if not probe.returncode:
            pytest.skip('this person may write anywhere')

    yield lock
    for root in done:
        for path in [root, *root.rglob('*')]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def read_only(root):
    for path in [root, *root.rglob('*')]:
        mode = path.stat().st_mode & 0o555
        path.chmod(stat.S_IMODE(mode) | (0o555 if path.is_dir() else 0o444))


@pytest.mark.parametrize('indexed', [True, False], ids=['indexed', 'new'])
@pytest.mark.parametrize(
    'command',
    [
        ['update'],
        ['render'],
        ['render', '--query', 'charge'],
        ['search', 'charge'],
        ['units'],
        ['status'],
        ['show'],
        ['gc'],
    ],
)
def test_read_only_repository_works_or_says_so_in_one_line(git_repo, locked_up, command, indexed):
    root = git_repo(CODE)
    if indexed:
        update(root)
    locked_up(root)
    done = subprocess.run(
        [*RUN, *command],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        preexec_fn=without_privileges,
    )
    assert done.returncode in (0, 1), done.stderr
    assert 'Traceback' not in done.stderr and 'bug' not in done.stderr, done.stderr
    if done.returncode:
        assert done.stderr.startswith('ctxkit: ') and done.stderr.count('\n') == 1, done.stderr
    else:
        assert done.stderr.startswith('ctxkit: no units: ') if command == ['units'] else done.stderr == ''
    if indexed and command[0] in ('units', 'status', 'show'):
        assert done.returncode == 0


def test_ctx_that_is_a_file_is_refused_and_kept(git_repo):
    root = git_repo({'app.py': CODE['app.py']})
    (root / '.ctx').write_text('mine')
    done = run(root, 'update')
    assert done.returncode == 1 and done.stderr.count('\n') == 1
    assert (root / '.ctx').read_text() == 'mine'
    assert 'def charge' in run(root, 'render').stdout


def test_update_of_another_revision(git_repo, git):
    root = git_repo(CODE)
    first = git(root, 'rev-parse', 'HEAD').strip()
    write(root, {'app.py': 'def replaced(order):\n    return 0\n'})
    git(root, 'commit', '-qam', 'second')
    update(root)
    context, units, second = block(root, now=1e9).to_xml(), units_of(root), git(root, 'rev-parse', 'HEAD').strip()
    files = {file: file.read_bytes() for file in (root / '.ctx').iterdir()}
    git(root, 'checkout', '-q', '--orphan', 'other')
    write(root, {'lib.py': 'def elsewhere():\n    return 7\n'})
    git(root, 'add', 'lib.py')
    git(root, 'commit', '-qm', 'other')
    git(root, 'checkout', '-q', 'main')
    done = run(root, 'update', '--rev', 'other', '--json')
    assert (said := json.loads(done.stdout))['commit'] == git(root, 'rev-parse', 'other').strip()
    assert (said['event'], said['sliced_files'], said['units'], said['changed']) == ('index', 1, 0, False)
    assert f'context.xml still describes {second[:8]}' in done.stderr and done.stderr.count('\n') == 1
    assert files == {file: file.read_bytes() for file in (root / '.ctx').iterdir()}
    assert context == block(root, now=1e9).to_xml() and units == units_of(root)
    git(root, 'checkout', '-q', 'other')
    assert update(root, event='post-checkout').sliced_files == 0
    git(root, 'checkout', '-q', 'main')
    assert json.loads(run(root, 'update', '--rev', first, '--json').stdout)['commit'] == first
    assert run(root, 'update', '--rev', 'nowhere').returncode == 1
    assert run(root, 'update', '--rev', '--output=x').returncode == 1
    assert not (root / 'x').exists()
    update(root)
    assert 'replaced' in symbols(root, 'replaced') and 'charge' not in symbols(root, 'charge')
