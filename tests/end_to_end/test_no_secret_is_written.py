"""Whatever stands in the code, no secret of it reaches a file below .ctx/ or the terminal."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from helpers_events import ctxkit, install_hooks, log, settle

_SPEC = importlib.util.spec_from_file_location(
    'secret_shapes_end', Path(__file__).parents[2] / 'benchmarks' / 'secrets' / 'shapes.py'
)
assert _SPEC and _SPEC.loader
SHAPES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(SHAPES)
ENV_VALUE = 'seventeen-purple-elephants-dance'


def code() -> str:
    """A function with a docstring and a comment for each secret."""
    parts = []
    for number, (name, line, _) in enumerate(SHAPES.shapes(11)):
        body = line.replace('\\', '\\\\').replace('"""', '')
        doc = f'    r"""{name}\n\n{body}\n    """\n'
        parts.append(f'def use_{number}():\n{doc}    # {body.splitlines()[0]}\n    return {number}\n')
    parts.append(f'def env():\n    return "{ENV_VALUE}"\n')
    return '\n\n'.join(parts)


def test_commit_with_every_shape_of_secret(git_repo, git):
    root = git_repo({'readme.md': '# x\n', '.gitignore': '.env\n'})
    (root / '.env').write_text(f'APP_SIGNING={ENV_VALUE}\n')
    install_hooks(root)
    git(root, 'commit', '-q', '--allow-empty', '-m', 'before')
    settle(root)
    (root / 'secrets.py').write_text(code())
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'secrets')
    settle(root)
    secrets = [secret for name, _, secret in SHAPES.shapes(11) if name not in ('quoted word', 'plain word')] + [
        ENV_VALUE
    ]
    texts = {
        path.name: path.read_text('utf-8', 'replace') for path in (root / '.ctx').rglob('*') if path.suffix != '.db'
    }
    texts['log'] = log(root)
    for query in ('use_3 token key', 'password cookie private key', 'env elephants'):
        for command in (
            ('render', '--query', query),
            ('render', '--format', 'json', '--query', query),
            ('search', query),
        ):
            done = subprocess.run(
                [sys.executable, '-m', 'ctxkit', *command],
                cwd=root,
                capture_output=True,
                text=True,
                input='',
                check=False,
            )
            assert done.returncode == 0, done.stderr
            texts[f'{command} {query}'] = done.stdout + done.stderr
    texts['show'] = ctxkit(root, 'show').stdout
    texts['units'] = ctxkit(root, 'units', '--json').stdout
    assert 'use_3' in texts['context.xml'] and 'REDACTED' in texts['context.xml'] + texts['units.jsonl']
    found = [(where, secret) for where, text in texts.items() for secret in secrets if secret in text]
    assert found == []
