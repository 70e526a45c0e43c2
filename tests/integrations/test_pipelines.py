"""The examples of docs/pipelines.md, run; the JSON form against its schema; completion; the manual page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r'^```sh\n(.*?)```', (ROOT / 'docs/pipelines.md').read_text('utf-8'), re.MULTILINE | re.DOTALL)


@pytest.fixture
def shop(git_repo: Callable[..., Path], git: Callable[..., str]) -> Path:
    """A repository with two commits, a prompt, and a program that stands for `llm`."""
    root = git_repo(
        {'shop/cart.py': 'class Cart:\n    def total(self):\n        return sum(self.prices)\n', 'prompt.txt': 'Why?\n'}
    )
    (root / 'shop/order.py').write_text('from shop.cart import Cart\n\n\ndef place(cart):\n    return cart.total()\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'second')
    return root


def environment(tmp_path: Path) -> dict[str, str]:
    """PATH with ctxkit and a program `llm` that repeats what it reads."""
    programs = tmp_path / 'bin'
    programs.mkdir()
    (programs / 'llm').write_text('#!/bin/sh\nexec cat\n')
    (programs / 'ctxkit').write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ctxkit "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    return {**os.environ, 'PATH': f'{programs}{os.pathsep}{os.environ["PATH"]}'}


@pytest.mark.skipif(shutil.which('sh') is None, reason='the examples are for a POSIX shell')
def test_the_examples_of_the_page_work(shop: Path, tmp_path: Path) -> None:
    environ = environment(tmp_path)
    (shop / '.git/ctxkit').mkdir(exist_ok=True)
    printed = []
    for example in EXAMPLES:
        done = subprocess.run(
            ['sh', '-e', '-c', example], cwd=shop, env=environ, input='', capture_output=True, text=True
        )
        assert done.returncode == 0, example + done.stderr
        printed.append(done.stdout)
    assert len(printed) == 7
    assert printed[0].rstrip().endswith('How is the total of a cart computed?') and 'def total' in printed[0]
    assert printed[1].rstrip().endswith('Why?')
    assert 'def total' in (shop / 'context.md').read_text()
    assert int(printed[3]) > 0
    assert [json.loads(line)['path'] for line in printed[4].splitlines()] != []
    assert json.loads(printed[6])['invented'] == ['made_up_helper']


@pytest.mark.parametrize(
    'args', [[], ['--query', 'total of a cart'], ['--section', 'environment'], ['--budget', '400']]
)
def test_the_json_form_follows_its_schema(shop: Path, args: list[str]) -> None:
    schema = json.loads((ROOT / 'ctxkit/render/schema.json').read_text('utf-8'))
    jsonschema.Draft202012Validator.check_schema(schema)
    done = subprocess.run(
        [sys.executable, '-m', 'ctxkit', 'render', '--format', 'json', *args],
        cwd=shop,
        input='',
        capture_output=True,
        text=True,
        check=True,
    )
    jsonschema.validate(json.loads(done.stdout), schema)


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_completion_is_there_for_each_shell(shell: str) -> None:
    code = 'from ctxkit.cli import main; main()'
    environ = {**os.environ, '_CTXKIT_COMPLETE': f'{shell}_source'}
    done = subprocess.run([sys.executable, '-c', code], env=environ, capture_output=True, text=True, check=True)
    assert '_CTXKIT_COMPLETE' in done.stdout
    words = {**os.environ, '_CTXKIT_COMPLETE': 'bash_complete', 'COMP_WORDS': 'ctxkit ren', 'COMP_CWORD': '1'}
    done = subprocess.run([sys.executable, '-c', code], env=words, capture_output=True, text=True, check=True)
    assert done.stdout == 'plain,render\n'


def test_the_manual_has_every_command_and_no_stray_request() -> None:
    from ctxkit.cli import COMMANDS
    from ctxkit.cli.manual import page

    text = page()
    assert all(f'\n.SS {name}' in text for name in COMMANDS)
    requests = {line.split()[0] for line in text.splitlines() if line.startswith('.')}
    assert requests <= {'.TH', '.SH', '.SS', '.TP', '.B', '.I', '.br'}
    assert '\n\n' not in text


def test_the_manual_in_docs_says_what_the_commands_say() -> None:
    from ctxkit.cli.manual import page

    def prose(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith('.')]

    assert prose((ROOT / 'docs/ctxkit.1').read_text('utf-8')) == prose(page())
