"""Writing whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading

import pytest

from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.repo import find
from ctxkit.safety.paths import ctx_folder, data_folder, is_link, may_write, real_folder, write_whole


def test_folder_is_made_and_made_again(tmp_path):
    assert real_folder(tmp_path / '.ctx' / 'memory') == tmp_path / '.ctx' / 'memory'
    assert real_folder(tmp_path / '.ctx' / 'memory').is_dir()


@pytest.mark.parametrize('below', ['.ctx', '.ctx/memory', '.ctx/memory/skills'])
def test_folder_behind_a_link_is_refused_and_nothing_is_made_there(tmp_path, below):
    outside = tmp_path / 'outside'
    outside.mkdir()
    root = tmp_path / 'root'
    root.mkdir()
    (root / '.ctx').symlink_to(outside, target_is_directory=True)
    with pytest.raises(CtxError, match='is a link'):
        real_folder(root / below)
    assert list(outside.iterdir()) == []


def test_dangling_and_circular_links_and_files_are_refused(tmp_path):
    (tmp_path / 'dangling').symlink_to('nowhere')
    (tmp_path / 'circle').symlink_to('circle')
    (tmp_path / 'file').write_text('x')
    for name, said in (('dangling', 'is a link'), ('circle', 'is a link'), ('file', 'is not a folder')):
        with pytest.raises(CtxError, match=said):
            real_folder(tmp_path / name)
    with pytest.raises(CtxError, match='is not a folder'):
        real_folder(tmp_path / 'file' / 'below')
    assert (tmp_path / 'file').read_text() == 'x'


def test_git_ignores_all_of_the_folder_but_the_settings_and_a_rule_that_stands_there_stays(git_repo, git):
    root = git_repo({'a.py': ''})
    folder = ctx_folder(root / '.ctx')
    (folder / 'context.xml').write_text('')
    assert git(root, 'status', '--porcelain', '-uall') == ''
    (folder / 'config.yaml').write_text('')
    assert git(root, 'status', '--porcelain', '-uall') == '?? .ctx/config.yaml\n'
    (folder / '.gitignore').write_text('mine\n')
    ctx_folder(folder)
    assert (folder / '.gitignore').read_text() == 'mine\n'


def test_folder_above_the_repository_may_be_a_link(tmp_path):
    (tmp_path / 'real').mkdir()
    (tmp_path / 'home').symlink_to('real', target_is_directory=True)
    assert real_folder(tmp_path / 'home' / '.ctx').is_dir()


@pytest.mark.parametrize('gone', ['.', '.git'])
def test_repository_that_was_deleted_does_not_come_back(git_repo, gone):
    root = git_repo({'a.py': 'x = 1\n'})
    repo = find(root)
    data_folder(repo.data_dir, 'trees')
    shutil.rmtree(root / gone)
    for make in (
        lambda: data_folder(repo.data_dir),
        lambda: data_folder(repo.data_dir, 'trees'),
        lambda: requests.note(repo.common_dir, requests.MAIN, 'post-commit', '', root),
        *([lambda: ctx_folder(repo.ctx_dir), lambda: real_folder(repo.ctx_dir / 'memory')] if gone == '.' else []),
    ):
        with pytest.raises((CtxError, OSError)):
            make()
    assert not (root / gone).exists()


def test_writing_the_same_bytes_changes_nothing(tmp_path):
    file = tmp_path / 'file'
    assert write_whole(file, 'a') is True
    before = file.stat()
    assert write_whole(file, b'a') is False
    assert file.stat().st_ino == before.st_ino
    assert write_whole(file, 'b') is True


def test_pieces_are_written_and_compared_as_the_whole(tmp_path):
    file = tmp_path / 'file'
    assert write_whole(file, [b'one', memoryview(b'two'), b'']) is True
    assert file.read_bytes() == b'onetwo'
    assert write_whole(file, [b'on', b'etwo']) is False
    assert write_whole(file, [b'one', b'two!']) is True
    assert write_whole(file, [b'one', b'too!']) is True
    assert file.read_bytes() == b'onetoo!'


def test_link_is_replaced_and_its_target_left_alone(tmp_path):
    target = tmp_path / 'target'
    target.write_text('theirs')
    file = tmp_path / 'file'
    file.symlink_to(target)
    assert write_whole(file, 'ours')
    assert not is_link(file) and file.read_text() == 'ours' and target.read_text() == 'theirs'


@pytest.mark.skipif(os.name == 'nt', reason='permissions of POSIX')
def test_permissions_stay_or_are_given_or_are_private(tmp_path):
    file = tmp_path / 'file'
    write_whole(file, 'a')
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o754)
    write_whole(file, 'b')
    assert file.stat().st_mode & 0o777 == 0o754
    write_whole(file, 'c', 0o644)
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name == 'nt', reason='Windows refuses to replace what is read without a pause')
def test_readers_never_see_half_a_file(tmp_path):
    file = tmp_path / 'file'
    texts = {char * 200_000 for char in 'abc'}
    write_whole(file, 'a' * 200_000)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for text in texts:
                write_whole(file, text)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = {file.read_text() for _ in range(200)}
    finally:
        stop.set()
        writer.join()
    assert seen <= texts


def test_text_with_half_a_surrogate_pair_is_written(tmp_path):
    write_whole(tmp_path / 'file', 'a\ud800b')
    assert (tmp_path / 'file').read_bytes() == b'a?b'
    write_whole(tmp_path / 'file', 'a\udcffb')
    assert (tmp_path / 'file').read_bytes() == b'a\xffb'


@pytest.mark.skipif(os.name == 'nt', reason='limits of POSIX')
def test_full_disk_is_one_line_and_leaves_the_old_file(tmp_path):
    file = tmp_path / 'file'
    file.write_text('old')
    script = (
        'import resource, signal, sys; from pathlib import Path\n'
        'from ctxkit.errors import CtxError; from ctxkit.safety.paths import write_whole\n'
        'signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n'
        'try:\n    write_whole(Path(sys.argv[1]), "x" * 100_000)\n'
        'except CtxError as error:\n    print(error.format_message())'
    )
    done = subprocess.run([sys.executable, '-c', script, str(file)], capture_output=True, text=True, check=True)
    assert 'cannot be written' in done.stdout and 'free space' in done.stdout
    assert file.read_text() == 'old'
    assert [path.name for path in tmp_path.iterdir()] == ['file']


def test_folder_in_the_place_of_the_file_is_one_line(tmp_path):
    (tmp_path / 'file').mkdir()
    with pytest.raises(CtxError, match='cannot be written'):
        write_whole(tmp_path / 'file', 'x')
    with pytest.raises(CtxError, match='cannot be written'):
        write_whole(tmp_path / 'missing' / 'file', 'x')
    assert [path.name for path in tmp_path.iterdir()] == ['file']


@pytest.mark.skipif(os.name == 'nt', reason='no umask')
def test_ignore_file_is_readable_to_a_user_whose_git_add_would_fail_at_it(tmp_path):
    before = os.umask(0o077)
    try:
        folder = ctx_folder(tmp_path / '.ctx')
    finally:
        os.umask(before)
    assert (folder / '.gitignore').stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may read everything')
def test_file_that_may_not_be_read_is_replaced(tmp_path):
    (tmp_path / 'file').write_text('theirs')
    (tmp_path / 'file').chmod(0)
    assert write_whole(tmp_path / 'file', 'ours')
    assert (tmp_path / 'file').read_text() == 'ours'


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() != 0, reason='only root may write as another user')
def test_root_leaves_a_file_to_its_owner(tmp_path):
    (tmp_path / 'file').write_text('theirs')
    os.chown(tmp_path / 'file', 4711, 4711)
    assert write_whole(tmp_path / 'file', 'new')
    assert ((tmp_path / 'file').stat().st_uid, (tmp_path / 'file').read_text()) == (4711, 'new')


def test_trying_whether_a_folder_may_be_written_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / 'file').touch()
    assert may_write(tmp_path) and not may_write(tmp_path / 'missing')
    with monkeypatch.context() as patched:
        patched.setattr('os.open', lambda *_: (_ for _ in ()).throw(OSError(errno.EROFS, 'read-only')))
        assert not may_write(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr('os.open', lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, 'no space')))
        assert may_write(tmp_path), 'who is asked next says what is wrong'
    assert [file.name for file in tmp_path.iterdir()] == ['file']


def test_longest_name_of_a_file_is_written(tmp_path):
    name = '\N{OLD ITALIC LETTER A}' * 60 + '.json'  # 245 bytes
    assert write_whole(tmp_path / name, 'x') and [file.name for file in tmp_path.iterdir()] == [name]
