"""Every shape of repository: unborn, empty, detached, bare, shallow, partial, sparse, with other object names."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from helpers_main import block, parsed, run, search, status_of, symbols, update, write

from ctxkit.repo import BlobReader, find

CODE = {'app.py': 'def kept():\n    return 1\n', 'pack/mod.py': 'def second():\n    return kept()\n'}


def test_unborn_branch_shows_what_would_be_committed(git_repo):
    root = git_repo()
    write(root, CODE)
    for query in ('', 'kept'):
        shown = block(root, query)
        assert 'def kept' in shown.to_xml()
        assert (shown.commit, shown.branch) == ('', 'main')
        parsed(block(root, query).to_xml())
    assert 'kept' in symbols(root, 'kept')
    assert update(root).files == 0


@pytest.mark.parametrize(
    'command',
    [['update'], ['render'], ['render', '--query', 'anything'], ['search', 'anything'], ['units'], ['gc'], ['status']],
)
def test_empty_repository_is_no_error(git_repo, command):
    done = run(git_repo(), *command)
    said = {'search': 'ctxkit: nothing found\n', 'units': 'ctxkit: no units: no context yet; run ctxkit update\n'}
    assert (done.returncode, done.stderr) == (0, said.get(command[0], ''))


@pytest.mark.parametrize('command', [['update'], ['render'], ['search', 'x'], ['units'], ['gc'], ['doctor']])
def test_outside_of_a_repository_one_line_says_so(tmp_path, command):
    done = run(tmp_path, *command)
    assert done.returncode == 1
    assert done.stderr.count('\n') == 1 and 'git' in done.stderr


def test_bare_repository_says_what_to_do(git_repo, git, tmp_path):
    git(tmp_path, 'clone', '-q', '--bare', str(git_repo(CODE)), 'bare.git')
    done = run(tmp_path / 'bare.git', 'render')
    assert done.returncode == 1
    assert 'work tree' in done.stderr and done.stderr.count('\n') == 1


def test_inside_the_git_folder_says_what_to_do(git_repo):
    done = run(git_repo(CODE) / '.git', 'render')
    assert done.returncode == 1 and done.stderr.count('\n') == 1


def test_sub_folder_gives_the_whole_repository(git_repo):
    root = git_repo({**CODE, '.ctxignore': 'pack/\n'})
    done = run(root / 'pack', 'search', 'kept')
    assert done.stdout.startswith('app.py:')
    assert 'pack/mod.py' not in run(root / 'pack', 'search', 'second').stdout
    assert 'def kept' in run(root / 'pack', 'render').stdout


def test_detached_head(git_repo, git):
    root = git_repo(CODE)
    git(root, 'checkout', '-q', '--detach')
    update(root)
    assert status_of(root)['branch'] == ''
    assert parsed(block(root).to_xml()).get('branch') == ''


def test_shallow_clone(git_repo, git, tmp_path):
    origin = git_repo(CODE)
    write(origin, {'app.py': 'def kept():\n    return 2\n'})
    git(origin, 'commit', '-qam', 'second')
    git(tmp_path, 'clone', '-q', '--depth', '1', f'file://{origin}', 'shallow')
    update(tmp_path / 'shallow')
    assert 'return 2' in block(tmp_path / 'shallow').to_xml()


def test_partial_clone_fetches_nothing_and_names_what_is_missing(git_repo, git, tmp_path):
    origin = git_repo(CODE)
    git(origin, 'config', 'uploadpack.allowFilter', 'true')
    git(tmp_path, 'clone', '-q', '--filter=blob:none', '--no-checkout', f'file://{origin}', 'partial')
    root = tmp_path / 'partial'
    git(root, 'sparse-checkout', 'set', '--no-cone', '/app.py')
    git(root, 'checkout', '-q', 'main')
    missing = git(root, 'rev-parse', 'HEAD:pack/mod.py').strip()
    for _ in range(2):
        update(root)
        assert {item['path']: item['reason'] for item in status_of(root)['skipped']} == {
            'pack/mod.py': 'its content is not in this clone'
        }
    for query in ('', 'kept second'):
        assert 'def kept' in block(root, query).to_xml()
    assert 'kept' in symbols(root, 'kept')
    assert run(root, 'render', '--query', 'second').returncode == 0
    here = git(root, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
    assert missing not in here, 'an object was fetched'
    git(root, 'cat-file', 'blob', missing)  # the person fetches it
    assert update(root).sliced_files == 1
    assert 'second' in symbols(root, 'second')


def test_what_a_partial_clone_lacks_is_asked_of_git_at_once(git_repo, git, tmp_path, monkeypatch):
    origin = git_repo({f'pack/mod{number}.py': f'def name_{number}(): pass\n' for number in range(40)})
    git(origin, 'config', 'uploadpack.allowFilter', 'true')
    git(tmp_path, 'clone', '-q', '--filter=blob:none', '--no-checkout', f'file://{origin}', 'partial')
    root = tmp_path / 'partial'
    asked = []
    read = BlobReader.read

    def noted(self, blob):
        asked.append(blob)
        return read(self, blob)

    monkeypatch.setattr(BlobReader, 'read', noted)
    git(root, 'cat-file', 'blob', 'HEAD:pack/mod7.py')  # fetches this one
    done = update(root)
    assert set(asked) == {git(root, 'rev-parse', 'HEAD:pack/mod7.py').strip()}
    assert (done.sliced_files, len(done.skipped)) == (1, 39)
    said = run(root, 'doctor').stdout
    assert 'the clone is partial' in said and 'its content is not in this clone' in said


def test_sparse_checkout_indexes_the_commit_and_sees_no_deletion(git_repo, git):
    root = git_repo(CODE)
    git(root, 'sparse-checkout', 'set', '--no-cone', '/app.py')
    assert not (root / 'pack').exists()
    update(root)
    assert not block(root).dirty
    assert 'second' in symbols(root, 'second')
    assert 'def second' in block(root, 'second').to_xml()


def test_what_a_sparse_checkout_leaves_out_is_shown_as_not_checked_out(git_repo, git):
    root = git_repo(CODE)
    update(root)
    (root / 'pack' / 'mod.py').write_text(CODE['pack/mod.py'] + '\n\ndef third():\n    return 3\n')
    (root / 'app.py').write_text(CODE['app.py'] + '\n\ndef fourth():\n    return 4\n')
    git(root, 'commit', '-qam', 'two more')
    git(root, 'sparse-checkout', 'set', '--no-cone', '/app.py')
    update(root)
    for query in ('', 'third fourth'):
        told = {unit.path: unit.why.endswith('not checked out') for unit in block(root, query).units}
        assert told['pack/mod.py'] and not told['app.py']
    assert 'third (not checked out)' in run(root, 'search', 'third').stdout
    assert 'not checked out' not in run(root, 'search', 'fourth', '-k', '1').stdout
    git(root, 'update-index', '--force-remove', 'pack/mod.py')  # `git rm` would need --sparse, of git 2.34
    git(root, 'commit', '-qm', 'gone')
    update(root)
    gone = [unit for unit in block(root).units if unit.path == 'pack/mod.py']
    assert gone and not any('not checked out' in unit.why for unit in gone)
    git(root, 'sparse-checkout', 'disable')
    assert not any('not checked out' in unit.why for unit in block(root).units)


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everywhere')
@pytest.mark.parametrize('moved', [False, True], ids=['as indexed', 'with a newer commit'])
def test_index_that_may_not_be_written_is_searched_all_the_same(git_repo, git, moved):
    """As in the sandbox of an agent, which may write in the work tree alone."""
    root = git_repo(CODE)
    update(root)
    if moved:
        write(root, {'newer.py': 'def newer():\n    return 1\n'})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'newer')
    write(root, {'app.py': 'def edited():\n    return 1\n'})
    data = find(root).data_dir
    before = {file: file.read_bytes() for file in data.rglob('*') if file.is_file()}
    folders = [data, data / 'trees']
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert symbols(root, 'second')[0] == 'second'
        assert 'def edited' in block(root).to_xml() and 'def second' in block(root, 'second').to_xml()
        assert ('def newer' in block(root).to_xml()) == moved
        assert 'is not writable' in run(root, 'update').stderr
        assert 'is not writable' in run(root, 'gc').stderr
        assert {file: file.read_bytes() for file in before} == before
    finally:
        for folder in folders:
            folder.chmod(0o700)


# Lets nothing but /dev/null be written, though access(2) goes on saying that it may be; 77 where the system cannot.
LANDLOCK = """
import ctypes, os, runpy, struct, sys
call, writing = ctypes.CDLL(None, use_errno=True).syscall, 0x1FF2
rules = call(444, struct.pack('Q', writing), 8, 0)
call(445, rules, 1, struct.pack('=Qi', 2, os.open('/dev/null', os.O_PATH)), 0)
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
if rules < 0 or call(446, rules, 0):
    sys.exit(77)
sys.argv[0] = 'ctxkit'
runpy.run_module('ctxkit', run_name='__main__')
"""


@pytest.mark.skipif(sys.platform != 'linux', reason='Landlock is of Linux')
def test_index_is_searched_where_a_sandbox_refuses_what_permissions_allow(git_repo, git):
    root = git_repo(CODE)
    update(root)
    write(root, {'app.py': 'def edited():\n    return 1\n'})
    data = find(root).data_dir
    (data / 'base.segment').unlink()
    before = {file: file.read_bytes() for file in data.rglob('*') if file.is_file()}

    def sandboxed(*command):
        return subprocess.run([sys.executable, '-c', LANDLOCK, *command], cwd=root, capture_output=True, text=True)

    found = sandboxed('search', 'second')
    if found.returncode == 77:
        pytest.skip('no Landlock here')
    assert found.stdout.startswith('pack/mod.py:'), found.stderr
    assert 'def edited' in sandboxed('render').stdout
    assert 'def second' in sandboxed('render', '--query', 'second').stdout
    for command in ('update', 'gc', 'init'):
        refused = sandboxed(command)
        assert refused.returncode == 1 and 'check permissions' in refused.stderr and refused.stderr.count('\n') == 1
    said = sandboxed('doctor').stdout
    assert 'is read-only' in said and 'index cannot be read' not in said
    assert {file: file.read_bytes() for file in data.rglob('*') if file.is_file()} == before
    with closing(sqlite3.connect(data / 'index.db', isolation_level=None)) as reader:
        reader.execute('BEGIN').execute('SELECT * FROM file').fetchone()
        write(root, {'later.py': 'def later():\n    return 1\n'})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'later')
        update(root)
        assert (data / 'index.db-wal').stat().st_size
        assert sandboxed('search', 'later').stdout.startswith('later.py:'), 'what only the log of writes has'
    (data / 'index.db').write_bytes(b'bytes' * 1000)
    refused = sandboxed('search', 'second')
    assert refused.returncode == 1 and 'cannot be read' in refused.stderr and refused.stderr.count('\n') == 1


def test_repository_with_sha256_names(git_repo, git, tmp_path):
    root = tmp_path / 'long'
    root.mkdir()
    git(root, 'init', '-q', '--object-format=sha256')
    write(root, CODE)
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'first')
    update(root)
    assert 'kept' in symbols(root, 'kept')
    assert 'def kept' in block(root).to_xml()


def test_merge_with_conflicts_is_shown_as_it_stands(git_repo, git):
    root = git_repo(CODE)
    git(root, 'checkout', '-qb', 'side')
    write(root, {'app.py': 'def kept():\n    return "side"\n'})
    git(root, 'commit', '-qam', 'side')
    git(root, 'checkout', '-q', 'main')
    write(root, {'app.py': 'def kept():\n    return "main"\n'})
    git(root, 'commit', '-qam', 'main')
    git(root, 'merge', 'side', check=False)
    assert '<<<<<<<' in (root / 'app.py').read_text()
    for query in ('', 'kept'):
        shown = parsed(block(root, query).to_xml())
        assert shown.get('dirty') == 'true'
    assert [place.path for place in search(root, 'kept') if place.symbol == 'kept'].count('app.py') >= 1


def test_hostile_configuration_of_the_repository_runs_nothing(git_repo, git, tmp_path):
    root = git_repo({**CODE, '.gitattributes': '*.py diff=evil filter=evil\n'})
    mark = tmp_path / 'ran'
    script = tmp_path / 'evil.sh'
    script.write_text(f'#!/bin/sh\necho "$0" >> {mark}\ncat\n')
    script.chmod(0o755)
    for key in (
        'core.fsmonitor',
        'diff.external',
        'diff.evil.command',
        'diff.evil.textconv',
        'core.pager',
        'pager.log',
    ):
        git(root, 'config', key, str(script))
    git(root, 'config', 'log.showSignature', 'true')
    git(root, 'config', 'gpg.program', str(script))
    mark.unlink(missing_ok=True)
    update(root)
    for query in ('', 'kept'):
        block(root, query)
    assert not mark.exists(), mark.read_text()


def test_subject_of_a_commit_cannot_be_an_option_for_git(git_repo, git, tmp_path):
    """A subject may hold any byte but NUL; nothing in it may be taken for a commit id."""
    root = git_repo({'1': 'x', 'b.py': 'y', 'c.py': 'def third(): pass\n', 'd': 'z'})
    git(root, 'commit', '-q', '--amend', '-m', 'evil\x01--output=../pwned')
    for query in ('', 'third'):
        assert 'def third' in block(root, query).to_xml()
    update(root)
    assert not (tmp_path / 'pwned').exists()


def test_content_is_that_of_the_blob_although_another_one_replaces_it(git_repo, git):
    root = git_repo({'a.py': 'def original():\n    return 1\n'})
    (root / 'other').write_text('# a line more\n\n\ndef replaced():\n    return 2\n')
    other = git(root, 'hash-object', '-w', 'other').strip()
    git(root, 'replace', 'HEAD:a.py', other)
    update(root)
    git(root, 'replace', '-d', git(root, 'rev-parse', 'HEAD:a.py').strip())
    update(root)
    assert 'original' in symbols(root, 'original') and 'replaced' not in symbols(root, 'replaced')
