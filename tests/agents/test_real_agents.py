"""Real clients of coding agents against a model's stand-in on loopback: the short form of benchmarks/agents/run.py."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / 'benchmarks/agents/run.py'


@pytest.mark.slow
@pytest.mark.skipif(shutil.which('npm') is None or shutil.which('node') is None, reason='node and npm are not here')
def test_the_block_reaches_the_model_once_and_whole(tmp_path: Path) -> None:
    names = ['claude-code', 'codex', 'codex-trusted', 'copilot-trusted']
    done = subprocess.run(
        [sys.executable, str(RUN), '--clients', str(tmp_path / 'clients'), *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.count('as promised') == len(names)
