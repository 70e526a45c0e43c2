"""Which files are read: what is left out of the tree is left out of edits and of untracked files too."""

from __future__ import annotations

import os

import pytest
from helpers_main import block, status_of, symbols, update, write

from ctxkit.errors import CtxError

CODE = {'app.py': 'def kept():\n    return 1\n', 'gen/out.py': 'def made():\n    return 2\n'}


def reasons(root):
    return {item['path']: item['reason'] for item in status_of(root)['skipped']}


def assert_left_out(root, path, symbol, reason, **flags):
    """Neither the committed file, nor an edit of it, nor a new file beside it is read; the status says why."""
    update(root, **flags)
    assert reasons(root).get(path) == reason
    assert 'kept' in symbols(root, 'kept', **flags)
    beside = path.rpartition('.')[0] + '_beside.' + path.rpartition('.')[2]
    for change in (
        {},
        {path: f'def {symbol}_edited():\n    return 3\n'},
        {beside: f'def {symbol}_new():\n    return 4\n'},
    ):
        write(root, change)
        assert [name for name in symbols(root, symbol, **flags) if name.startswith(symbol)] == []
        for query in ('', symbol):
            assert f'def {symbol}' not in block(root, query, **flags).to_xml()


def test_ctxignore_at_the_top(git_repo):
    root = git_repo({**CODE, '.ctxignore': 'gen/\n'})
    assert_left_out(root, 'gen/out.py', 'made', '.ctxignore')


def test_ctxignore_in_a_folder_rules_that_folder(git_repo):
    root = git_repo({**CODE, 'gen/.ctxignore': 'out*.py\n'})
    assert_left_out(root, 'gen/out.py', 'made', '.ctxignore')


def test_ctxignore_takes_back_what_it_negates(git_repo):
    root = git_repo(
        {'gen/a.py': 'def first(): pass\n', 'gen/b.py': 'def second(): pass\n', '.ctxignore': 'gen/*\n!gen/b.py\n'}
    )
    update(root)
    assert list(reasons(root)) == ['gen/a.py']
    assert 'second' in symbols(root, 'second')


def test_ctxignore_that_is_not_utf8_hides_nothing_else(git_repo):
    root = git_repo({**CODE, '.ctxignore': b'\xff\xfe*\xff\ngen/\n'})
    update(root)
    assert 'kept' in symbols(root, 'kept')
    assert 'made' not in symbols(root, 'made')


@pytest.mark.parametrize('attribute', ['linguist-generated', 'linguist-vendored', 'linguist-generated=true'])
def test_what_linguist_marks_is_left_out(git_repo, attribute):
    root = git_repo({**CODE, '.gitattributes': f'gen/** {attribute}\n'})
    assert_left_out(root, 'gen/out.py', 'made', attribute.partition('=')[0])


def test_linguist_mark_that_is_taken_back(git_repo):
    root = git_repo({**CODE, '.gitattributes': 'gen/** linguist-generated\ngen/out.py -linguist-generated\n'})
    update(root)
    assert 'made' in symbols(root, 'made')


def test_attributes_in_a_folder_rule_that_folder(git_repo):
    root = git_repo({**CODE, 'gen/.gitattributes': '*.py linguist-generated\n'})
    assert_left_out(root, 'gen/out.py', 'made', 'linguist-generated')


def test_exclude_globs_of_the_settings(git_repo):
    assert_left_out(git_repo(CODE), 'gen/out.py', 'made', 'slicing.exclude', slicing__exclude=('gen/**',))


def test_languages_of_the_settings(git_repo):
    root = git_repo({'app.py': 'def kept(): pass\n', 'made.js': 'function made() { return 2 }\n'})
    assert_left_out(root, 'made.js', 'made', 'slicing.languages', slicing__languages=('python',))


def test_larger_files_than_allowed_are_named(git_repo):
    root = git_repo({'app.py': 'def kept(): pass\n', 'big.py': 'def made():\n    pass\n' + '# filler\n' * 400})
    update(root, slicing__max_file_bytes=2000)
    assert 'larger' in reasons(root)['big.py']
    assert 'made' not in symbols(root, 'made', slicing__max_file_bytes=2000)


def test_change_of_settings_takes_effect_at_the_next_update(git_repo):
    root = git_repo(CODE)
    update(root)
    assert 'made' in symbols(root, 'made')
    update(root, slicing__exclude=('gen/',))
    assert 'made' not in symbols(root, 'made', slicing__exclude=('gen/',))


def test_change_of_the_size_limit_takes_effect(git_repo):
    root = git_repo({'app.py': 'def kept(): pass\n', 'big.py': 'def made():\n    pass\n' + '# filler\n' * 400})
    update(root, slicing__max_file_bytes=2000)
    done = update(root)
    assert done.skipped == ()
    assert 'made' in symbols(root, 'made')


def test_tracked_link_to_outside_is_never_read(git_repo, git, tmp_path):
    outside = tmp_path / 'outside.py'
    outside.write_text('def secret_outside():\n    return 1\n')
    root = git_repo(CODE)
    os.symlink(outside, root / 'link.py')
    os.symlink(tmp_path, root / 'folder')
    os.symlink('loop', root / 'loop')
    os.symlink('nowhere', root / 'dangling.py')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'links')
    update(root)
    for query in ('', 'secret outside'):
        assert 'secret_outside' not in block(root, query).to_xml()
    assert 'secret_outside' not in symbols(root, 'secret_outside')


def test_untracked_link_to_outside_is_never_read(git_repo, tmp_path):
    outside = tmp_path / 'outside.py'
    outside.write_text('def secret_outside():\n    return 1\n')
    root = git_repo(CODE)
    update(root)
    os.symlink(outside, root / 'link.py')
    for query in ('', 'secret outside'):
        assert 'secret_outside' not in block(root, query).to_xml()


def test_our_own_files_are_not_context(git_repo, git):
    root = git_repo({**CODE, '.ctx/config.yaml': 'units:\n  top_k: 3\n'})
    update(root)
    update(root)
    assert all('.ctx' not in unit.path for unit in block(root, 'top_k units').units)
    assert git(root, 'status', '--porcelain') == ''


def test_ctx_that_is_a_link_is_refused_in_one_line(git_repo, tmp_path):
    root = git_repo(CODE)
    (tmp_path / 'elsewhere').mkdir()
    os.symlink(tmp_path / 'elsewhere', root / '.ctx')
    with pytest.raises(CtxError, match='is a link'):
        update(root)
    assert list((tmp_path / 'elsewhere').iterdir()) == []


def test_link_in_ctx_is_replaced_and_never_followed(git_repo, tmp_path):
    root = git_repo(CODE)
    victim = tmp_path / 'victim'
    victim.write_text('mine')
    (root / '.ctx').mkdir()
    for name in ('context.xml', 'units.jsonl', 'status.json'):
        os.symlink(victim, root / '.ctx' / name)
    update(root)
    assert victim.read_text() == 'mine'
    assert '<ctxkit' in (root / '.ctx' / 'context.xml').read_text('utf-8')


def test_stream_that_is_a_link_to_a_device_is_not_read(git_repo):
    root = git_repo(CODE)
    (root / '.ctx').mkdir()
    os.symlink('/dev/zero', root / '.ctx' / 'units.jsonl')
    assert 'def kept' in block(root).to_xml()


def test_submodule_is_not_entered(git_repo, git):
    inner = git_repo({'inner.py': 'def inner_thing(): pass\n'}, 'inner')
    root = git_repo(CODE)
    git(root, 'submodule', '--quiet', 'add', str(inner), 'sub')
    git(root, 'commit', '-qm', 'submodule')
    (root / 'sub' / 'inner.py').write_text('def inner_edited(): pass\n')
    done = update(root)
    assert done.files == 3  # .gitmodules and the two files
    for query in ('', 'inner thing edited'):
        assert 'def inner' not in block(root, query).to_xml()


def test_nested_repository_is_not_entered(git_repo, git):
    root = git_repo(CODE)
    (root / 'nested').mkdir()
    git(root / 'nested', 'init', '-q')
    write(root, {'nested/deep.py': 'def nested_thing(): pass\n'})
    update(root)
    for query in ('', 'nested thing'):
        assert 'nested_thing' not in block(root, query).to_xml()
