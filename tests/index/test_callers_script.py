"""A script that asks for units is not run again by the worker processes of a first index."""

from __future__ import annotations

import os
import subprocess
import sys


def test_a_script_without_a_guard_runs_once_and_hears_nothing(git_repo, tmp_path):
    root = git_repo({f'm{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(140)})
    script = tmp_path / 'ask.py'
    script.write_text(
        'import os\n'
        'os.cpu_count = lambda: 2\n'
        "print('asked')\n"
        'from ctxkit import get_topical_units\n'
        "print(len(get_topical_units('function_7', root=ROOT)) > 0)\n".replace('ROOT', repr(str(root)))
    )
    environ = {**os.environ, 'PYTHONPATH': os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environ, cwd=tmp_path)
    assert (done.stdout.split(), done.stderr) == (['asked', 'True'], '')
