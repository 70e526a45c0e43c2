"""A clone that holds modules named like ours or Python's runs none of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers_events import settle

from ctxkit.safety.children import command, outside_the_work_tree

EVIL = 'open({!r}, "w").write("ran")\n'


@pytest.fixture
def hostile(git_repo, tmp_path):
    """(a clone full of traps, the file that any of them would write)."""
    ran = tmp_path / 'ran'
    evil = EVIL.format(str(ran))
    names = (
        'click.py',
        'json.py',
        'numpy.py',
        'ctxkit/__init__.py',
        'multiprocessing/__init__.py',
        'runpy.py',
        'yaml.py',
        'concurrent/__init__.py',
        'sitecustomize.py',
        'encodings/__init__.py',
    )
    files = {f'm{number}.py': f'def f{number}():\n    return 1\n' for number in range(101)}
    return git_repo(files | dict.fromkeys(names, evil)), ran


def console_script() -> list[str]:
    """The installed command, as a person calls it."""
    script = Path(sys.executable).with_name('ctxkit')
    return [str(script)] if script.exists() else command('ctxkit')


def test_first_index_in_several_processes_runs_no_file_of_the_clone(hostile):
    root, ran = hostile
    done = subprocess.run([*console_script(), 'update'], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not ran.exists()


def test_init_and_the_worker_run_no_file_of_the_clone(hostile):
    root, ran = hostile
    assert subprocess.run([*console_script(), 'init'], cwd=root, capture_output=True, check=False).returncode == 0
    settle(root)
    assert (root / '.ctx' / 'context.xml').exists() and not ran.exists()


def test_module_of_ours_is_run_in_any_folder_with_its_arguments(hostile):
    root, ran = hostile
    done = subprocess.run(command('ctxkit', '--version'), cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('ctxkit, version ')
    assert not ran.exists()


def test_working_folder_comes_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with outside_the_work_tree():
        assert Path.cwd() != tmp_path
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize('safe', ['', '1'])
def test_children_find_what_a_person_named_in_pythonpath_whatever_python_puts_first(tmp_path, safe):
    (tmp_path / 'named_by_a_person.py').write_text(
        'import sys; print(sys.argv[1:], [p for p in sys.path if "launch" in p])'
    )
    environ = {**os.environ, 'PYTHONPATH': str(tmp_path), 'PYTHONSAFEPATH': safe}
    done = subprocess.run(command('named_by_a_person', 'x'), capture_output=True, text=True, check=True, env=environ)
    assert done.stdout == "['x'] []\n"
