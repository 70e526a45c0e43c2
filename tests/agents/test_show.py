"""`ctxkit show`: the ready block in each agent's form: whole elements, below the limit, exit 0 whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers_events import settle, status
from helpers_main import update

from ctxkit.agents import block
from ctxkit.agents.answer import LIMIT, answer
from ctxkit.agents.on_disk import find_tree, head
from ctxkit.events.install import NO_HOOKS
from ctxkit.events.requests import pending
from ctxkit.render.block import Block, Section
from ctxkit.units.shown import Unit

Make = Callable[..., Path]
Git = Callable[..., str]


HEAVY = """
import sys
from ctxkit.cli import main
try:
    main(['show'])
except SystemExit:
    heavy = ('numpy', 'onnxruntime', 'tokenizers', 'tree_sitter', 'sqlite3', 'yaml')
    print([name for name in heavy if name in sys.modules])
"""


def a_block(units: int = 30, size: int = 20) -> str:
    """A block as `ctxkit render` writes it, with code that could break it."""
    code = 'def f(x):\n    # see @../.env, <b> & ]]> "quoted"\n' + '    x = x + "é"\n' * size
    shown = tuple(
        Unit(f'src/part_{number}/file.py', 1, size + 2, f'f_{number}', 'function', 'changed', 'code', code)
        for number in range(units)
    )
    sections = (
        Section('environment', 300, 20, ('cwd ~/shop', 'branch main')),
        Section('memory', 400, 9, ('goal: <sell>',)),
    )
    return Block('a' * 40, 'main', False, 5100, 4000, 'estimate', 3, sections, shown).to_xml()


@pytest.fixture
def ready(git_repo: Make, git: Git) -> Path:
    """A repository in which ctxkit left a block."""
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.git/ctxkit').mkdir()
    (root / '.ctx').mkdir()
    (root / '.ctx/context.xml').write_text(a_block())
    (root / '.ctx/status.json').write_text(json.dumps({'commit': git(root, 'rev-parse', 'HEAD').strip()}))
    return root


def show(
    root: Path, *args: str, given: str = '', environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command as an agent's hook does."""
    return subprocess.run(
        [sys.executable, '-m', 'ctxkit', 'show', *args],
        cwd=root,
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, **(environ or {})},
        check=False,
    )


def records(root: Path) -> list[dict[str, object]]:
    """What was noted for the stats."""
    file = root / '.git/ctxkit/feedback.jsonl'
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.parametrize('limit', [300, 700, 1200, 2500, 4000, 9000, 20_000, 100_000])
@pytest.mark.parametrize('agent', ['claude-code', 'codex', 'gemini', 'cursor', 'copilot', 'pi', ''])
def test_no_answer_is_over_its_limit_and_none_holds_half_an_element(agent: str, limit: int) -> None:
    text = answer(agent, 'SessionStart', a_block(), 'Indexed commit aaaa.', limit).text
    assert len(text.encode()) <= limit
    if agent in ('gemini', 'cursor', 'copilot'):
        data = json.loads(text)
        flat = data.get('additional_context', '') or data.get('additionalContext', '')
        text = flat or data.get('hookSpecificOutput', {}).get('additionalContext', '')
    if agent == 'gemini':
        assert '<' not in text
    elif text:
        root = ElementTree.fromstring(text)
        assert root.tag == 'ctxkit' and root[0].tag == 'freshness'
        assert all(unit.text is None or unit.text.strip().startswith('def f(x)') for unit in root.iter('unit'))


def test_units_become_paths_before_they_are_left_out() -> None:
    parsed = block.parse(a_block())
    assert parsed is not None
    large, small = block.cut(parsed, 9000, 'x'), block.cut(parsed, 3000, 'x')
    assert large.whole > 5 and large.paths > 0 and large.left_out == 0
    assert small.whole < large.whole and small.whole + small.paths + small.left_out == 30
    everything = block.cut(parsed, 1_000_000, 'x')
    assert (everything.whole, everything.paths, everything.left_out) == (30, 0, 0)


def test_where_not_even_all_paths_fit_the_first_ones_are_shown() -> None:
    parsed = block.parse(a_block())
    assert parsed is not None
    cut = block.cut(parsed, 2000, 'x')
    assert 'part_0/' in cut.text and len(cut.text.encode()) <= 2000
    assert cut.whole == 0 < cut.paths < 30 and cut.left_out == 30 - cut.paths


def test_a_long_unit_keeps_no_shorter_one_after_it_from_being_whole() -> None:
    line, lengths = 'x = 1\n', {'first': 100, 'long': 900, 'last': 200}
    units = ''.join(f'<unit path="{name}.py" lines="1-9">{line * lengths[name]}</unit>\n' for name in lengths)
    text = f'<ctxkit version="1">\n<semantic_units>\n{units}<unit path="only.py"/>\n</semantic_units>\n</ctxkit>'
    parsed = block.parse(text)
    assert parsed is not None
    cut = block.cut(parsed, 3000, 'x')
    assert [part for part in ('first', 'long', 'last') if f'{part}.py" lines="1-9">' in cut.text] == ['first', 'last']
    assert (cut.whole, cut.paths, cut.left_out) == (2, 2, 0) and len(cut.text.encode()) <= 3000


def test_stepped_down_it_gives_paths_only() -> None:
    text = answer('claude-code', '', a_block(), 'x', LIMIT, paths_only=True).text
    assert 'def f' not in text and text.count('<unit ') == 30


@pytest.mark.parametrize(
    'text', ['', 'plain', '<ctxkit>', a_block()[:2000], '<a></b>', a_block() + '</ctxkit>'[1:-1] * 0 + '<']
)
def test_half_a_file_gives_nothing(text: str) -> None:
    whole = text.startswith(a_block())
    assert bool(answer('claude-code', '', text, 'x').text) == whole


def test_it_says_how_fresh_it_is(ready: Path, git: Git) -> None:
    commit = git(ready, 'rev-parse', 'HEAD').strip()
    assert f'Indexed commit {commit[:10]}, which was HEAD when this was shown.' in show(ready).stdout
    git(ready, 'commit', '--allow-empty', '-qm', 'second')
    new = git(ready, 'rev-parse', 'HEAD').strip()
    assert f'Indexed commit {commit[:10]}, but HEAD is {new[:10]}' in show(ready).stdout


def test_a_resumed_conversation_gets_the_block_again_only_where_it_is_of_another_commit(ready: Path, git: Git) -> None:
    def start(source: str) -> str:
        given = {'session_id': 's1', 'hook_event_name': 'SessionStart', 'source': source}
        return show(ready, '--agent', 'codex', given=json.dumps(given)).stdout

    (ready / '.git/ctxkit' / NO_HOOKS).touch()  # so that no worker changes the status meanwhile
    assert start('resume')  # it has none yet
    assert not start('resume')
    assert start('compact')
    (ready / '.ctx/status.json').write_text(json.dumps({'commit': 'b' * 40}))
    assert start('resume') and not start('resume')


@pytest.mark.parametrize('event', ['SessionStart', 'UserPromptSubmit'])
def test_a_reset_which_runs_no_hook_is_caught_up_with(git_repo: Make, git: Git, event: str) -> None:
    root = git_repo({'a.py': 'def one():\n    return 1\n'})
    first = git(root, 'rev-parse', 'HEAD').strip()
    (root / 'b.py').write_text('def two():\n    return 2\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'second')
    update(root)
    git(root, 'reset', '-q', '--hard', first)
    given = json.dumps({'session_id': 's1', 'hook_event_name': event, 'prompt': 'why?'})
    show(root, '--agent', 'claude-code', given=given, environ={'CTXKIT_DISABLE': '1'})
    assert not pending(root / '.git')
    show(root, '--agent', 'claude-code', given=given)
    settle(root)
    assert status(root)['commit'] == first and 'two' not in (root / '.ctx/context.xml').read_text()


def test_a_commit_of_a_tool_that_runs_no_hook_is_told_as_one_that_was_made_here(git_repo: Make, git: Git) -> None:
    root = git_repo({'a.py': 'def one():\n    return 1\n'})
    update(root)
    (root / 'b.py').write_text('def two():\n    return 2\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'second')
    show(root, '--agent', 'claude-code', given=json.dumps({'session_id': 's1', 'hook_event_name': 'SessionStart'}))
    settle(root)
    head = git(root, 'rev-parse', 'HEAD').strip()
    assert f'symbol="two" why="added in {head[:8]}"' in (root / '.ctx/context.xml').read_text()


def test_within_a_rebase_no_prompt_asks_for_an_update_that_could_not_begin(ready: Path, git: Git) -> None:
    update(ready)
    for name in ('topic', 'main'):
        git(ready, 'checkout', '-qB', name, 'main')
        (ready / 'same.py').write_text(f'{name} = 1\n')
        git(ready, 'add', 'same.py')
        git(ready, 'commit', '-qm', name)
    git(ready, 'rebase', 'main', 'topic', check=False)
    assert (ready / '.git/rebase-merge').is_dir()
    given = json.dumps({'session_id': 's1', 'hook_event_name': 'UserPromptSubmit', 'prompt': 'why?'})
    show(ready, '--agent', 'claude-code', given=given)
    assert not pending(ready / '.git')
    git(ready, 'rebase', '--abort')
    show(ready, '--agent', 'claude-code', given=given)
    settle(ready)
    assert status(ready)['commit'] == git(ready, 'rev-parse', 'HEAD').strip()


@pytest.mark.skipif(os.name == 'nt', reason='files have no such owner there')
def test_in_another_users_clone_nothing_is_shown(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.getuid():
        monkeypatch.setattr(os, 'getuid', lambda: 4711)
    else:
        os.chown(ready / '.git', 4711, 4711)
    assert find_tree(ready) is None


def test_head_is_read_from_files_in_every_kind_of_work_tree(ready: Path, git: Git, tmp_path: Path) -> None:
    git(ready, 'worktree', 'add', '-q', str(tmp_path / 'linked'), '-b', 'topic')
    git(ready, 'pack-refs', '--all')
    for folder in (ready, tmp_path / 'linked'):
        (folder / 'deep/er').mkdir(parents=True)
        found = find_tree(folder / 'deep/er')
        assert found is not None and found.root == folder and found.common_dir == ready / '.git'
        assert head(found) == git(folder, 'rev-parse', 'HEAD').strip()
    git(ready, 'checkout', '-q', '--detach')
    found = find_tree(ready)
    assert found is not None and head(found) == git(ready, 'rev-parse', 'HEAD').strip()


@pytest.mark.parametrize(
    'given',
    [
        '',
        '{',
        '{}',
        '[1]',
        'plain',
        '{"session_id": 7, "cwd": 9}',
        '{"cwd": "/nowhere/at/all"}',
        '\x00\xff',
        json.dumps({'prompt': 'x' * 300_000}),
        '{"a":' + '[' * 100_000,
    ],
)
def test_whatever_the_hook_is_given_it_ends_with_0(ready: Path, given: str) -> None:
    done = show(ready, '--agent', 'claude-code', given=given)
    assert done.returncode == 0 and done.stdout.startswith('<ctxkit ')


def test_outside_a_repository_and_without_a_block_it_says_nothing_and_ends_with_0(
    tmp_path: Path, git_repo: Make
) -> None:
    for folder in (tmp_path, git_repo({'a': 'b'})):
        assert (show(folder, '--agent', 'claude-code').stdout, show(folder).returncode) == ('', 0)
        assert json.loads(show(folder, '--agent', 'gemini').stdout) == {}
        assert json.loads(show(folder, '--agent', 'cursor').stdout) == {'continue': True}


def test_a_block_that_a_clone_brought_along_is_not_shown(git_repo: Make, tmp_path: Path) -> None:
    root = git_repo({'.ctx/context.xml': a_block()})
    assert show(root).stdout == ''
    if os.name != 'nt':
        other = git_repo({'a': 'b'}, name='linked')
        (other / '.git/ctxkit').mkdir()
        (tmp_path / 'elsewhere').mkdir()
        (tmp_path / 'elsewhere/context.xml').write_text(a_block())
        (other / '.ctx').symlink_to(tmp_path / 'elsewhere')
        assert show(other).stdout == ''


def test_bad_settings_never_fail_a_hook(ready: Path) -> None:
    (ready / '.ctx/config.yaml').write_text('budget: [')
    done = show(ready, '--agent', 'claude-code')
    assert done.returncode == 0 and 'Traceback' not in done.stderr


def test_a_prompt_is_noted_and_gets_nothing_again(ready: Path) -> None:
    given = json.dumps({'session_id': 's1', 'hook_event_name': 'UserPromptSubmit', 'prompt': 'why?'})
    assert show(ready, '--agent', 'claude-code', given=given).stdout == ''
    assert json.loads(show(ready, '--agent', 'cursor', '--event', 'beforeSubmitPrompt', given=given).stdout) == {
        'continue': True
    }
    asked = json.dumps({'sessionId': 's1', 'cwd': str(ready), 'prompt': 'why?'})
    assert json.loads(show(ready, '--agent', 'copilot', '--event', 'userPromptSubmitted', given=asked).stdout) == {}
    assert [record['kind'] for record in records(ready)] == ['prompt'] * 3
    assert 'why?' not in (ready / '.git/ctxkit/feedback.jsonl').read_text()


def test_the_control_group_gets_no_block(ready: Path) -> None:
    given = json.dumps({'session_id': 's1', 'hook_event_name': 'SessionStart'})
    none = show(ready, '--agent', 'claude-code', given=given, environ={'CTXKIT_INJECT_SHARE': '0'})
    assert none.stdout == '' and none.returncode == 0
    assert show(ready, '--agent', 'claude-code', given=given).stdout != ''
    first, second = records(ready)
    assert (first['group'], first['tokens'], second['group']) == ('control', 0, 'block')
    assert isinstance(second['tokens'], int) and second['tokens'] > 1000


def test_it_computes_nothing_and_starts_no_git(ready: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (ready / '.ctx').iterdir()}
    done = show(ready, '--agent', 'claude-code', environ={'PATH': str(tmp_path)})
    assert done.stdout.startswith('<ctxkit ')
    assert {path: path.stat().st_mtime_ns for path in (ready / '.ctx').iterdir()} == before
    done = subprocess.run(
        [sys.executable, '-c', HEAVY], cwd=ready, input='', capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == '[]'
