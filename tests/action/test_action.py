"""The GitHub Action: each step's script is run as a runner runs it, against a local bare remote."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / 'action.yml').read_text('utf-8'))
STEPS: list[dict[str, Any]] = ACTION['runs']['steps']
EXPRESSION = re.compile(r'\$\{\{\s*(.*?)\s*\}\}')
pytestmark = pytest.mark.skipif(shutil.which('bash') is None, reason='the steps of the action run in bash')


class Runner:
    """What a runner does with a composite action: expressions, env, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, conditions."""

    def __init__(self, workspace: Path, temp: Path) -> None:
        self.workspace, self.temp = workspace, temp
        self.event: dict[str, Any] = {'repository': {'full_name': 'me/shop'}}
        self.event_name, self.ref_name = 'push', 'main'
        self.summary = ''
        self.uploaded: list[str] = []

    def run(self, ok: bool = True, **inputs: str) -> dict[str, str]:
        """Run all steps but the installation; the outputs of the action."""
        given = {name: spec.get('default', '') for name, spec in ACTION['inputs'].items()}
        given.update({name.replace('_', '-'): value for name, value in inputs.items()})
        outputs: dict[str, dict[str, str]] = {'install': {'python': sys.executable}}
        self.uploaded = []
        for number, step in enumerate(STEPS):
            values = {'inputs': given, 'outputs': outputs}
            if step.get('id') == 'install' or not self.holds(step.get('if'), values):
                continue
            if 'uses' in step:
                if 'upload-artifact' in step['uses']:
                    self.uploaded.append(self.expand(step['with']['path'], values))
                continue
            outputs[step.get('id', str(number))] = self.step(step, values, ok)
        self.steps = outputs
        return (
            {
                name: self.expand(spec['value'], {'inputs': given, 'outputs': outputs})
                for name, spec in ACTION['outputs'].items()
            }
            if ok
            else {}
        )

    def step(self, step: dict[str, Any], values: dict[str, Any], ok: bool) -> dict[str, str]:
        """Run one script in bash, as the runner does it (errexit, pipefail)."""
        self.temp.mkdir(exist_ok=True)
        files = {name: self.temp / name for name in ('output', 'summary', 'event.json')}
        for file in files.values():
            file.write_text('')
        files['event.json'].write_text(json.dumps(self.event))
        keep = {name: os.environ[name] for name in ('PATH', 'HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM')}
        environ = {
            **keep,
            'GITHUB_OUTPUT': str(files['output']),
            'GITHUB_STEP_SUMMARY': str(files['summary']),
            'GITHUB_EVENT_PATH': str(files['event.json']),
            'GITHUB_EVENT_NAME': self.event_name,
            'GITHUB_REF_NAME': self.ref_name,
            'GITHUB_REF_TYPE': 'branch',
            'GITHUB_ACTION_PATH': str(ROOT),
            'GITHUB_WORKSPACE': str(self.workspace),
            'RUNNER_TEMP': str(self.temp),
            'CI': 'true',
            **{name: self.expand(text, values) for name, text in step.get('env', {}).items()},
        }
        script = self.temp / 'step.sh'
        script.write_text(step['run'])
        done = subprocess.run(
            ['bash', '--noprofile', '--norc', '-eo', 'pipefail', str(script)],
            cwd=self.workspace,
            env=environ,
            capture_output=True,
            text=True,
        )
        self.said = done.stdout + done.stderr
        assert (done.returncode == 0) == ok, self.said
        self.summary += files['summary'].read_text()
        return dict(line.split('=', 1) for line in files['output'].read_text().splitlines())

    def holds(self, condition: str | None, values: dict[str, Any]) -> bool:
        """The conditions that action.yml uses: comparisons joined by ||."""
        if condition is None:
            return True
        parts = [re.fullmatch(r"(\S+) == '(\w+)'", part.strip()) for part in condition.split('||')]
        return any(part is not None and self.value(part[1], values) == part[2] for part in parts)

    def expand(self, text: str, values: dict[str, Any]) -> str:
        """Replace ${{ }} expressions."""
        return EXPRESSION.sub(lambda match: self.value(match[1], values), text)

    def value(self, name: str, values: dict[str, Any]) -> str:
        """The value of inputs.x or steps.id.outputs.x; an output that was not set is empty."""
        if name.startswith('inputs.'):
            return str(values['inputs'][name.removeprefix('inputs.')])
        found = re.fullmatch(r'steps\.([\w-]+)\.outputs\.([\w-]+)', name)
        assert found is not None, name
        return str(values['outputs'].get(found[1], {}).get(found[2], ''))


@pytest.fixture
def runner(git_repo: Callable[..., Path], git: Callable[..., str], tmp_path: Path) -> Runner:
    """A runner with a checkout of a repository that has a bare remote."""
    source = git_repo(
        {
            'shop/cart.py': 'class Cart:\n    def total(self):\n        return sum(self.prices)\n',
            'README.md': '# Shop\n',
        },
        name='source',
    )
    git(source, 'clone', '-q', '--bare', str(source), str(tmp_path / 'remote.git'))
    git(tmp_path, 'clone', '-q', str(tmp_path / 'remote.git'), 'checkout')
    return Runner(tmp_path / 'checkout', tmp_path / 'runner')


def commit(runner: Runner, git: Callable[..., str], path: str, text: str) -> None:
    """Commit one file in the checkout and push it."""
    (runner.workspace / path).parent.mkdir(parents=True, exist_ok=True)
    (runner.workspace / path).write_text(text)
    git(runner.workspace, 'add', '-A')
    git(runner.workspace, 'commit', '-qm', f'change {path}')
    git(runner.workspace, 'push', '-q', 'origin', 'HEAD:main')


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


def test_the_same_commit_is_published_once(runner: Runner) -> None:
    first = Path(runner.run()['context-path']).read_bytes()
    again = runner.run()
    assert Path(again['context-path']).read_bytes() == first
    assert again['changed'] == 'false' and runner.uploaded == []


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


def test_the_branch_of_its_own_gets_only_what_changed(runner: Runner, git: Callable[..., str]) -> None:
    runner.run(publish='branch')
    remote = runner.workspace.parent / 'remote.git'
    first = git(remote, 'rev-parse', 'ctxkit-context').strip()
    assert git(remote, 'ls-tree', '--name-only', 'ctxkit-context').split() == ['context.xml']
    assert git(remote, 'merge-base', 'main', 'ctxkit-context', check=False) == ''
    runner.run(publish='branch')
    assert git(remote, 'rev-parse', 'ctxkit-context').strip() == first
    commit(runner, git, 'shop/order.py', 'def place(order):\n    return order\n')
    runner.run(publish='branch')
    assert git(remote, 'rev-parse', 'ctxkit-context~1').strip() == first
    assert 'place' in git(remote, 'show', 'ctxkit-context:context.xml')


def test_a_commit_keeps_all_else_and_does_not_start_itself_again(runner: Runner, git: Callable[..., str]) -> None:
    commit(runner, git, '.github/workflows/ci.yml', 'on: push\n')
    runner.run(publish='commit')
    remote = runner.workspace.parent / 'remote.git'
    assert git(remote, 'diff', '--name-only', 'main~1', 'main').split() == ['.github/context.xml']
    assert '[skip ci]' in git(remote, 'log', '-1', '--format=%s', 'main')
    git(runner.workspace, 'pull', '-q', 'origin', 'main')
    before = git(remote, 'rev-parse', 'main')
    runner.run(publish='commit')
    assert git(remote, 'rev-parse', 'main') == before


@pytest.mark.parametrize('way', ['branch', 'commit', 'artifact'])
@pytest.mark.parametrize('head', [{'full_name': 'stranger/shop'}, None])
def test_nothing_is_published_from_a_fork(runner: Runner, git: Callable[..., str], way: str, head: Any) -> None:
    runner.event_name, runner.ref_name = 'pull_request_target', 'main'
    runner.event['pull_request'] = {'head': {'repo': head}, 'base': {'repo': {'full_name': 'me/shop'}}}
    before = git(runner.workspace.parent / 'remote.git', 'for-each-ref')
    outputs = runner.run(publish=way)
    assert outputs['changed'] == 'true' and runner.uploaded == []
    assert git(runner.workspace.parent / 'remote.git', 'for-each-ref') == before
    assert 'Nothing is published' in runner.summary


def test_a_pull_request_of_the_repository_itself_gives_an_artifact_and_no_push(
    runner: Runner,
    git: Callable[..., str],
) -> None:
    runner.event_name, runner.ref_name = 'pull_request', '7/merge'
    here = {'repo': {'full_name': 'me/shop'}}
    runner.event['pull_request'] = {'head': here, 'base': here}
    runner.run(publish='artifact')
    assert len(runner.uploaded) == 1
    before = git(runner.workspace.parent / 'remote.git', 'for-each-ref')
    runner.run(publish='branch')
    assert git(runner.workspace.parent / 'remote.git', 'for-each-ref') == before


def test_its_own_branch_never_starts_it(runner: Runner) -> None:
    runner.ref_name = 'ctxkit-context'
    runner.run()
    assert runner.uploaded == []


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
