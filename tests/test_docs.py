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


FOLDERS = ('benchmarks', 'ctxkit', 'docs', 'hooks', 'tests', 'training')
PAGES = ['README.md']
PAGES += sorted(page.relative_to(ROOT).as_posix() for folder in FOLDERS for page in (ROOT / folder).rglob('*.md'))


def anchors(page: Path) -> set[str]:
    """The anchors that a renderer of Markdown gives to the headings of a page."""
    headings = re.findall(r'(?m)^#+ (.+)$', page.read_text('utf-8'))
    return {re.sub(r'[^\w -]', '', one.lower()).replace(' ', '-') for one in headings}


@pytest.mark.parametrize('page', PAGES)
def test_links_to_files_of_the_project_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text('utf-8')
    for target, anchor in re.findall(r'\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)', text):
        file = (ROOT / page).parent.joinpath(target) if target else ROOT / page
        assert file.exists(), f'{page} links to {target}'
        assert not anchor or anchor in anchors(file), f'{page} links to {target}#{anchor}'


@pytest.mark.parametrize('page', PAGES)
def test_paths_of_the_project_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text('utf-8')
    for path in re.findall(rf'(?<![\w./-])(?:{"|".join(FOLDERS)})/[\w./-]*\w\.(?:py|md|jsonl|bin|tsv|mjs)\b', text):
        assert (ROOT / path).exists(), f'{page} names {path}'
