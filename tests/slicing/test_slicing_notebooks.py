"""Notebooks are read by their cells, not by their JSON: sections, code, and no outputs."""

from __future__ import annotations

import json

from helpers_main import TOKEN, block, update, write

from ctxkit.slicing import readable, slice_file

PICTURE = 'iVBORw0KGgo' * 2000


def notebook(*cells, indent=1):
    made = [
        {
            'cell_type': kind,
            **({'execution_count': 1, 'outputs': [{'data': {'image/png': PICTURE}}]} if kind == 'code' else {}),
            'metadata': {},
            'source': text.splitlines(True),
        }
        for kind, text in cells
    ]
    whole = {'cells': made, 'metadata': {'kernelspec': {'language': 'python'}}, 'nbformat': 4, 'nbformat_minor': 5}
    return json.dumps(whole, indent=indent) + '\n'


CELLS = (
    ('markdown', '# Training\n\nA "quoted" word'),
    ('code', '# no heading\ndef relu(x):\n    return max(x, 0)\n'),
    ('markdown', '## Normalization'),
    ('code', 'import numpy as np\n'),
)


def test_sections_hold_the_text_of_their_cells_and_no_output():
    source = readable(notebook(*CELLS).encode())
    chunks = slice_file('a.ipynb', source).chunks
    assert [chunk.symbol for chunk in chunks] == ['Training', 'Training > Normalization']
    assert chunks[0].text(source).replace('\n\n', '\n') == (
        '# Training\nA "quoted" word\n```python\n# no heading\ndef relu(x):\n    return max(x, 0)\n```'
    )
    assert chunks[1].text(source).endswith('```python\nimport numpy as np\n```')


def test_lines_are_those_of_the_file():
    text = notebook(*CELLS)
    lines = text.split('\n')
    chunk = slice_file('a.ipynb', text.encode()).chunks[1]
    assert '## Normalization' in lines[chunk.start_line - 1]
    assert lines[chunk.end_line - 1].strip() == ']'


def test_pictures_make_no_notebook_too_large_or_minified():
    text = notebook(*CELLS * 40)
    assert len(text) > 1_000_000
    assert slice_file('a.ipynb', text.encode()).skipped == ''


def test_a_notebook_on_one_line_is_left_out_and_half_of_one_is_text():
    assert slice_file('a.ipynb', notebook(*CELLS, indent=None).encode()).skipped == 'minified'
    assert [chunk.kind for chunk in slice_file('a.ipynb', notebook(*CELLS)[:500].encode()).chunks] == ['text']
    assert slice_file('a.ipynb', b'{\n"nbformat" "cells" "cell_type"\n"source": [\n"\\ud800\n').chunks == ()


def test_a_run_without_a_change_of_code_is_no_unit(git_repo, git):
    root = git_repo({'a.ipynb': notebook(*CELLS)})
    update(root)
    write(root, {'a.ipynb': notebook(*CELLS).replace(PICTURE, PICTURE[11:])})
    assert {unit.why.split()[0] for unit in block(root).units} == {'changed'}
    write(root, {'a.ipynb': notebook(*CELLS).replace('max(x, 0)', 'max(x, 1)')})
    edited = block(root).units[0]
    assert (edited.symbol, edited.why) == ('Training', 'edited, not committed')
    assert 'max(x, 1)' in edited.text and PICTURE[:20] not in edited.text


def test_an_edit_of_a_notebook_full_of_pictures_is_seen(git_repo):
    text = notebook(*CELLS * 40)
    root = git_repo({'a.ipynb': text})
    write(root, {'a.ipynb': text.replace('max(x, 0)', 'max(x, 1)')})
    assert block(root).units[0].why == 'edited, not committed'


def test_a_notebook_without_headings_is_shown_without_the_room_of_its_outputs(git_repo):
    root = git_repo({'a.ipynb': notebook(('code', 'import os\n'), ('code', f'token = "{TOKEN}"\n'))})
    shown = block(root).units[0].text
    assert shown == '```python\nimport os\n```\n```python\ntoken = "[REDACTED:github-token]"\n```'
