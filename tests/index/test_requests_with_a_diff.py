"""A request that is a diff leads to the code that the diff touches, whichever of its versions the tree holds."""

from __future__ import annotations

import pytest
from helpers_main import block, run, search, symbols, write

from ctxkit.index.diff import hunks

CODE = ''.join(
    f'def {name}(x):\n    first = open_cookie(x)\n    second = close_cookie(first)\n    return second + {number}\n\n\n'
    for number, name in enumerate(('one', 'two', 'three'))
)
CHANGED = CODE.replace('return second + 1', 'return other(second)')
FILES = {
    'src/app.py': CODE,
    'jar.py': 'def open_cookie(x):\n    """Open a cookie: first, second, return other."""\n    return other(x)\n',
}


def leading(root, diff):
    """The first unit of a block for the diff and the first place of a search for it."""
    return block(root, diff).units[0].symbol, search(root, diff)[0].symbol


@pytest.mark.parametrize('options', [(), ('-U0',), ('--no-prefix',), ('--color-moved=no', '-U1', '-R')])
def test_a_diff_leads_to_the_function_that_it_touches(git_repo, git, options):
    root = git_repo(FILES)
    write(root, {'src/app.py': CHANGED})
    diff = git(root, 'diff', *options)
    assert leading(root, diff) == ('two', 'two')
    git(root, 'checkout', '-q', '.')  # a patch that is not applied yet
    assert leading(root, diff) == ('two', 'two')
    write(root, {'src/app.py': 'import os\n\n\n' + CODE.replace('+ 0', '+ 11\n    # more\n')})
    assert '-U0' in options or leading(root, diff) == ('two', 'two'), 'the code has moved since'


def test_it_is_read_from_standard_input_as_git_writes_it(git_repo, git):
    root = git_repo({**FILES, 'caf"é\t1.py': CODE})
    write(root, {'caf"é\t1.py': CHANGED})
    shown = run(root, 'render', '--format', 'markdown', said=git(root, 'diff')).stdout
    first = next(line for line in shown.splitlines() if line.startswith('### '))
    assert first.startswith('### caf') and first.endswith(' two')


def test_code_that_has_changed_since_leads_nowhere_by_its_line_numbers(git_repo, git):
    root = git_repo(FILES)
    write(root, {'src/app.py': CHANGED})
    diff = git(root, 'diff')
    write(root, {'src/app.py': 'def new(x):\n    return [x]\n\n\n' * 8 + CODE.replace('second', 'nd')})
    assert not {'new'} & set(leading(root, diff))


def test_code_comes_before_tests_and_no_prose_leads(git_repo, git):
    files = {
        'app.py': CODE,
        'tests/test_app.py': 'def test_two():\n    assert two(1) == 2\n',
        'README.md': '# Cookies\n',
    }
    root = git_repo(files)
    write(root, {'app.py': CHANGED, 'tests/test_app.py': files['tests/test_app.py'].replace('== 2', '== other(2)')})
    write(root, {'README.md': '# Cookies\n\nreturn other(second)\n'})
    assert symbols(root, git(root, 'diff'))[:2] == ['two', 'test_two']


def test_the_lines_of_a_hunk_can_look_like_heads():
    text = (
        'diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -4,3 +4,2 @@ select\n a\n--- b/x.py\n c\n'
        '\\ No newline at end of file\n@@ -9,0 +9,2 @@\n++++ x\n+y\n'
        '--- /dev/null\n+++ "b/t\\303\\251\\t.c"\t\n@@ -0,0 +1 @@\n+z\n'
    )
    found = hunks(text)
    assert [(one.old.path, one.old.touched, one.new.path, one.new.touched) for one in found] == [
        ('q.sql', ((5, 5),), 'q.sql', ((4, 4),)),
        ('q.sql', ((9, 9),), 'q.sql', ((9, 10),)),
        ('', ((0, 0),), 'té\t.c', ((1, 1),)),
    ]
    assert found[0].old.lines == ('a', '-- b/x.py', 'c')


@pytest.mark.parametrize(
    'text',
    [
        '@@ -1 +1 @@\n-a\n+b',
        '--- a\n+++ b\n@@ -1,9 +1,9 @@',
        '@@ -',
        '+++ \n@@ -1 +1 @@\n',
        f'+++ a.py\n@@ -{"1" * 5000} +1 @@\n-a',
    ],
)
def test_half_a_diff_is_no_trouble(git_repo, text):
    root = git_repo({'a.py': 'def a():\n    pass\n'})
    search(root, text)


def test_line_ends_of_windows_are_no_text_of_the_diff():
    text = '--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n one\n\n-two\n+three\n four\n'
    assert hunks(text.replace('\n', '\r\n')) == hunks(text) != []
