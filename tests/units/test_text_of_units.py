"""The text of a unit: what is left of a class, indent, and a section that does not fit."""

from __future__ import annotations

import re

from helpers_main import block, update, write

from ctxkit.slicing import slice_file
from ctxkit.units.code import code_of


def test_a_section_that_does_not_fit_is_its_path_alone(git_repo):
    root = git_repo({'a.md': '# Long\n\n' + 'word ' * 900})
    assert {unit.level for unit in block(root, budget=400).units} == {'path'}


def test_an_uncommitted_method_keeps_its_indent(git_repo):
    code = 'class A:\n    def first(self):\n        return 1\n'
    root = git_repo({'a.py': code})
    write(root, {'a.py': code.replace('return 1', 'return 2')})
    assert block(root).units[0].text == '    def first(self):\n        return 2'


def rest_of(path, code):
    """What is left of a class or module when its definitions are taken out, as it is shown."""
    source = code.encode()
    return [code_of(chunk, source) for chunk in slice_file(path, source).chunks if chunk.spans]


def test_what_is_left_of_a_class_says_what_is_left_out():
    methods = ['    def open(self):\n        return self.size\n', '    def shut(self):\n        return 1\n']
    code = '\n'.join(['class Box:\n    size = 1\n', methods[0], '    lid = 2\n', methods[1]])
    assert rest_of('a.py', code) == ['class Box:\n    size = 1\n… 4 lines …\n    lid = 2\n… 3 lines …']


def test_what_is_left_of_an_object_begins_with_no_comma():
    code = 'export default make({\n  name: "a",\n  setup() {\n    return call(1, 2)\n  },\n  last: true,\n})\n'
    assert rest_of('a.ts', code) == ['export default make({\n  name: "a",\n… 3 lines …\n  last: true,\n})']


def test_of_prose_and_data_the_changed_lines_are_shown(git_repo, git):
    package = ''.join(f'  "dependency-{number}": "^1.{number}.0",\n' for number in range(60))
    prose = '# Use\n\n' + ''.join(f'Sentence number {number} says how a part is used.\n' for number in range(60))
    files = {'package.json': f'{{\n  "version": "1.0.0",\n{package}  "last": "1"\n}}\n', 'README.md': prose}
    root = git_repo(files)
    update(root)
    new = {name: text.replace('-40": "^1', '-40": "^2').replace('number 40', 'word 40') for name, text in files.items()}
    write(root, new)
    edited = {unit.path: unit.text for unit in block(root).units}
    git(root, 'commit', '-qam', 'few lines')
    update(root, event='post-commit')
    committed = {unit.path: unit.text for unit in block(root).units}
    for shown in (edited, committed):
        assert '"dependency-40": "^2.40.0"' in shown['package.json'] and 'word 40' in shown['README.md']
        assert 'dependency-10"' not in shown['package.json'] and 'number 10 ' not in shown['README.md']
        assert all(re.search(r'^… \d+ lines …$', text, re.M) for text in shown.values())
