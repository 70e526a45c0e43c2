"""The GitHub Action: each step's script is run as a runner runs it; its outputs, its summary, its YAML."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers_action import ROOT, STEPS, Runner, commit

pytestmark = pytest.mark.skipif(shutil.which('bash') is None, reason='the steps of the action run in bash')


def test_a_push_leaves_a_context_with_its_outputs_and_a_summary(runner: Runner, git: Callable[..., str]) -> None:
    outputs = runner.run()
    text = Path(outputs['context-path']).read_text()
    assert text.startswith('<ctxkit ') and 'Cart' in text
    assert outputs['commit'] == git(runner.workspace, 'rev-parse', 'HEAD').strip()
    assert int(outputs['tokens']) > 50 and int(outputs['units']) >= 1
    assert outputs['changed'] == 'true'
    assert runner.uploaded == [outputs['context-path']]
    assert '`shop/cart.py`' in runner.summary and 'units and frame' in runner.summary
    assert git(runner.workspace, 'status', '--porcelain') == ''


def test_the_index_that_is_cached_is_the_one_that_is_used(runner: Runner) -> None:
    runner.run()
    assert Path(runner.steps['locate']['index']) == runner.workspace / '.git/ctxkit'
    assert any(Path(runner.steps['locate']['index']).iterdir())


def test_a_budget_and_a_query_are_kept(runner: Runner) -> None:
    outputs = runner.run(budget='400', query='how is the total of a cart computed; `$(touch pwned)` "quoted"')
    assert int(outputs['tokens']) <= 400
    text = Path(outputs['context-path']).read_text()
    assert text.rstrip().endswith('</ctxkit>') and 'pwned' not in text
    assert not (runner.workspace / 'pwned').exists()


@pytest.mark.parametrize(
    ('inputs', 'word'),
    [({'publish': 'everywhere'}, 'artifact'), ({'budget': 'many'}, 'budget'), ({'path': '../..'}, 'outside')],
)
def test_a_wrong_input_fails_in_one_line(runner: Runner, inputs: dict[str, str], word: str) -> None:
    with pytest.raises(AssertionError):
        runner.run(**inputs)
    said = runner.said.splitlines()
    assert len(said) == 1 and said[0].startswith('::error title=ctxkit::') and word in said[0]


def test_no_file_of_the_repository_is_run(runner: Runner, git: Callable[..., str]) -> None:
    trap = 'import pathlib\npathlib.Path(__file__).with_name("ran").touch()\n'
    for name in ('json.py', 'click.py', 'ctxkit/__init__.py', 'sitecustomize.py'):
        (runner.workspace / name).parent.mkdir(exist_ok=True)
        (runner.workspace / name).write_text(trap)
    git(runner.workspace, 'add', '-A')
    git(runner.workspace, 'commit', '-qm', 'trap')
    runner.run()
    assert not list(runner.workspace.rglob('ran'))


def test_a_file_name_cannot_write_outputs_or_break_the_summary(runner: Runner, git: Callable[..., str]) -> None:
    commit(runner, git, 'a`|\nchanged=false\n.py', 'def odd():\n    return 1\n')
    outputs = runner.run()
    assert outputs['changed'] == 'true'
    table = [line for line in runner.summary.splitlines() if line.startswith('| `')]
    assert table and all(line.endswith(' |') for line in table)


def test_a_subfolder_is_the_repository_that_it_lies_in(runner: Runner) -> None:
    outputs = runner.run(path='shop')
    assert Path(outputs['context-path']) == runner.workspace / '.ctx/context.xml'


def test_inputs_reach_scripts_only_through_the_environment() -> None:
    for step in STEPS:
        assert '${{' not in step.get('run', '')
        if 'uses' in step:
            assert re.search(r'@[0-9a-f]{40}$', step['uses'])


@pytest.mark.parametrize(
    'program',
    [
        ['check-jsonschema', '--builtin-schema', 'vendor.github-actions'],
        ['zizmor', '--offline', '--no-progress', '--min-severity', 'low'],
    ],
)
def test_the_yaml_passes_its_schema_and_a_linter(program: list[str]) -> None:
    found = shutil.which(program[0], path=str(Path(sys.executable).parent))
    assert found, f'{program[0]} belongs to the test dependencies'
    done = subprocess.run([found, *program[1:], str(ROOT / 'action.yml')], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_installation_makes_an_environment_of_its_own(runner: Runner) -> None:
    step = next(step for step in STEPS if step.get('id') == 'install')
    outputs = runner.step(step, {'inputs': {}, 'outputs': {}}, True)
    done = subprocess.run([outputs['python'], '-I', '-m', 'ctxkit.action'], capture_output=True, text=True)
    assert done.returncode == 2 and 'locate|refresh|publish' in done.stderr


def test_the_workflows_of_the_docs_pass_the_schema(tmp_path: Path) -> None:
    page = (ROOT / 'docs/action.md').read_text('utf-8')
    blocks = re.findall(r'^```yaml\n(.*?)```', page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    program = shutil.which('check-jsonschema', path=str(Path(sys.executable).parent))
    assert program
    for number, text in enumerate(blocks):
        file = tmp_path / f'{number}.yml'
        file.write_text(text if text.startswith('name:') else f'name: context\non: push\n{text}')
        done = subprocess.run(
            [program, '--builtin-schema', 'vendor.github-workflows', str(file)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout
