"""What Windows does otherwise, as far as it can be told on any system."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxkit.agents.files import install
from ctxkit.cli import prepare
from ctxkit.cli.web import _text
from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.events.shim import block
from ctxkit.feedback.tree import Tree
from ctxkit.index.current import read_regular
from ctxkit.memory.model import _argv
from ctxkit.repo import find, run
from ctxkit.safety import paths

# The command line as Windows lets it run: no file is replaced or removed while this process has it open or mapped.
STRICT = """
import os, pathlib, sys
from ctxkit.index import base, segment
base.REBASE_CHUNKS = 0
segment.MAP = sys.argv.pop(1) == 'map'

def busy(path):
    wanted = os.path.realpath(path)
    with open('/proc/self/maps') as lines:
        held = {line.rstrip('\\n').split(' ', 5)[-1].strip() for line in lines}
    for name in os.listdir('/proc/self/fd'):
        try:
            held.add(os.readlink('/proc/self/fd/' + name))
        except OSError:
            continue
    return wanted in held

def strict(do):
    def doing(*paths, **how):
        for path in paths:
            if isinstance(path, (str, os.PathLike)) and busy(path):
                raise PermissionError(13, 'Access is denied', os.fspath(path))
        return do(*paths, **how)
    return doing

os.replace, os.unlink, os.remove, os.rename = map(strict, (os.replace, os.unlink, os.remove, os.rename))
from ctxkit.cli import main
main()
"""


def run_strictly(root, how, *args):
    return subprocess.run([sys.executable, '-c', STRICT, how, *args], cwd=root, capture_output=True, text=True)


@pytest.mark.skipif(not os.path.isdir('/proc/self/fd'), reason='asks Linux which files are open')
def test_base_segment_is_made_anew_where_no_mapped_file_can_be_replaced(git_repo, git):
    root = git_repo({'a.py': 'def first():\n    return 1\n'})
    assert run_strictly(root, 'read', 'update').returncode == 0
    (root / 'b.py').write_text(''.join(f'def made_{i}(x):\n    return x + {i}\n\n\n' for i in range(9)))
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'more than the base may lack')
    assert 'base.segment' in run_strictly(root, 'map', 'update').stderr
    done = run_strictly(root, 'read', 'update')
    assert (done.returncode, done.stderr) == (0, '')
    assert 'b.py' in run_strictly(root, 'read', 'search', 'made_7').stdout
    assert run_strictly(root, 'read', 'gc').returncode == 0


def test_a_file_that_a_reader_holds_for_a_moment_is_replaced_and_removed_all_the_same(tmp_path, monkeypatch):
    refusals = [PermissionError(13, 'Access is denied')] * 3
    done = []

    def step():
        if refusals:
            raise refusals.pop()
        done.append(1)

    with pytest.raises(PermissionError):
        paths.patiently(step, tries=2, pause=0)
    paths.patiently(step, tries=2, pause=0)
    assert done == [1]
    (tmp_path / 'a').write_text('new')
    paths.replace(tmp_path / 'a', tmp_path / 'b')
    paths.remove(tmp_path / 'b')
    paths.remove(tmp_path / 'b')
    assert list(tmp_path.iterdir()) == []


def stream_of(terminal, encoding='cp1252'):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding, newline='\r\n')
    stream.isatty = lambda: terminal  # type: ignore[method-assign]
    return buffer, stream


def test_a_pipe_gets_utf8_and_plain_line_ends_whatever_the_locale(monkeypatch):
    monkeypatch.delenv('PYTHONIOENCODING', raising=False)
    buffer, stream = stream_of(terminal=False)
    prepare(stream)
    stream.write('Größe → 1\n\udcff')
    stream.flush()
    assert buffer.getvalue() == 'Größe → 1\n\\udcff'.encode()


def test_a_terminal_keeps_its_encoding_and_a_person_may_choose_one(monkeypatch):
    monkeypatch.delenv('PYTHONIOENCODING', raising=False)
    buffer, stream = stream_of(terminal=True)
    prepare(stream)
    stream.write('ö→')
    stream.flush()
    assert buffer.getvalue() == 'ö'.encode('cp1252') + b'\\u2192'
    monkeypatch.setenv('PYTHONIOENCODING', 'cp1252')
    buffer, stream = stream_of(terminal=False)
    prepare(stream)
    stream.write('ö')
    stream.flush()
    assert buffer.getvalue() == 'ö'.encode('cp1252')


def test_words_of_a_model_command_keep_backslashes_on_windows(tmp_path):
    program = tmp_path / 'a model'
    program.write_text('#!/bin/sh\n')
    program.chmod(0o755)
    command = f'"{program}" --log "C:\\Users\\me you" plain\\path # -p'
    assert _argv(command, '', windows=True) == [str(program), '--log', 'C:\\Users\\me you', 'plain\\path', '#', '-p']
    assert _argv(f'\'{program.as_posix()}\' -c "a \\"b\\""', '', windows=False)[1:] == ['-c', 'a "b"']


@pytest.mark.parametrize('command', ['', 'no-such-model -p', './model'])
def test_a_model_command_is_never_taken_from_the_current_folder(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'model').write_text('#!/bin/sh\n')
    (tmp_path / 'model').chmod(0o755)
    with pytest.raises(CtxError, match='was not found'):
        _argv(command, str(tmp_path / 'bin'))


@pytest.mark.parametrize('path', ['//host.invalid/share/file.py', '\\\\host.invalid\\share\\file.py', '../file.py'])
def test_no_other_machine_is_asked_for_a_path_of_an_answer(git_repo, monkeypatch, path):
    asked = []
    tree = Tree(find(git_repo({'a.py': ''})))
    monkeypatch.setattr(Path, 'exists', lambda self, **_: asked.append(self) or True)
    assert not tree.has_path(path)
    assert asked == []


def test_a_web_question_in_a_pipe_is_utf8_whatever_the_locale(monkeypatch):
    monkeypatch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO('Größe?'.encode()), encoding='cp1252'))
    assert _text('-') == 'Größe?'


def test_a_folder_that_is_gone_is_told_in_windows_words_too(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise NotADirectoryError(267, 'The directory name is invalid')

    monkeypatch.setattr(run.subprocess, 'run', refuse)
    (tmp_path / 'file').write_text('')
    for name, said in (('gone', 'does not exist'), ('file', 'is not a folder')):
        with pytest.raises(CtxError, match=said):
            find(tmp_path / name)
    with pytest.raises(CtxError, match='no longer exists'):
        run.git(tmp_path / 'gone', 'status')


def test_a_file_system_without_modes_takes_what_is_written_all_the_same(git_repo, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, 'Operation not permitted')

    root = git_repo({'CLAUDE.md': 'mine'})
    monkeypatch.setattr(os, 'chmod', refuse)
    assert 'changed CLAUDE.md' in install(find(root), ['claude-code'])
    assert (root / 'CLAUDE.md').read_text().startswith('mine')


def test_a_folder_that_the_disk_spells_in_another_case_is_the_same_folder(git_repo, monkeypatch):
    repo = find(git_repo({'Src/a.py': 'x = 1\n'}))
    real = os.path.realpath
    monkeypatch.setattr(os.path, 'realpath', lambda path, **how: real(path, **how).replace('/Src', '/src'))
    assert read_regular(repo, 'Src/a.py', 100) is None
    monkeypatch.setattr(os.path, 'normcase', lambda path: os.fspath(path).lower())
    assert read_regular(repo, 'Src/a.py', 100) == b'x = 1\n'
    other = repo._replace(root=Path(str(repo.root).upper()))
    assert other.tree_file('.json') == repo.tree_file('.json')


@pytest.mark.skipif(os.name == 'nt', reason='has the sh of Git for Windows')
def test_the_lines_in_a_hook_name_the_folder_where_sh_knows_no_windows_paths(git_repo):
    root = git_repo({'a.py': ''})
    (root / 'hook').write_bytes(b'#!/bin/sh\n' + block('post-commit', '/no/python'))
    environ = {'MSYSTEM': 'MINGW64', 'PATH': '/usr/bin:/bin'}
    subprocess.run(['sh', 'hook'], cwd=root, env=environ, check=True)
    (noted,) = requests.folder(root / '.git').iterdir()
    assert noted.read_text().splitlines()[2] == str(root)
