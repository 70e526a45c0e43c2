"""A runner of GitHub Actions, as far as action.yml needs one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / 'action.yml').read_text('utf-8'))
STEPS: list[dict[str, Any]] = ACTION['runs']['steps']
EXPRESSION = re.compile(r'\$\{\{\s*(.*?)\s*\}\}')


class Runner:
    """What a runner does with a composite action: expressions, env, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, conditions."""

    def __init__(self, workspace: Path, temp: Path) -> None:
        self.workspace, self.temp = workspace, temp
        self.event: Any = {'repository': {'full_name': 'me/shop'}}
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
        files['event.json'].write_text(self.event if isinstance(self.event, str) else json.dumps(self.event))
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


def commit(runner: Runner, git: Callable[..., str], path: str, text: str) -> None:
    """Commit one file in the checkout and push it."""
    (runner.workspace / path).parent.mkdir(parents=True, exist_ok=True)
    (runner.workspace / path).write_text(text)
    git(runner.workspace, 'add', '-A')
    git(runner.workspace, 'commit', '-qm', f'change {path}')
    git(runner.workspace, 'push', '-q', 'origin', 'HEAD:main')
