"""What the documentation takes from the code is what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_settings_and_help_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, 'docs/generate.py', '--check'], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('page', ['README.md', *sorted(str(p.relative_to(ROOT)) for p in (ROOT / 'docs').glob('*.md'))])
def test_links_to_files_of_the_project_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text('utf-8')
    for target in re.findall(r'\]\((?!https?:|#)([^)#\s]+)', text):
        assert (ROOT / page).parent.joinpath(target).exists(), f'{page} links to {target}'
