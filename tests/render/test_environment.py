"""The block's `environment_snapshot`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers_main import block

from ctxkit import repo as git_repository
from ctxkit.render import environment
from ctxkit.settings import Settings
from ctxkit.tokens import count

NOW = 1_790_000_000.0


def lines(root, budget=300, **keys):
    return environment.lines(git_repository.find(root), Settings(), budget, NOW, count, **keys)


def value(found, key):
    return next((line.partition(': ')[2] for line in found if line.startswith(f'{key}: ')), None)


def test_a_clean_repository(git_repo, git):
    root = git_repo({'a.txt': 'a'})
    found = lines(root)
    commit = git(root, 'rev-parse', 'HEAD').strip()
    assert value(found, 'git_branch') == 'main'
    assert value(found, 'time') == '2026-09-21T14:13:20Z'
    assert value(found, 'head') == f'{commit[:12]} first'
    assert value(found, 'modified') is None and value(found, 'in progress') is None
    assert value(found, 'os').split()[0] in ('linux', 'macos', 'windows')


def test_the_last_commits_are_named_where_nothing_is_asked(git_repo, git, monkeypatch):
    monkeypatch.setenv('GIT_COMMITTER_DATE', '2026-09-01T12:00:00Z')
    root = git_repo({'a.txt': 'a'})
    git(root, 'checkout', '-qb', 'topic')
    for number in range(8):
        monkeypatch.setenv('GIT_COMMITTER_DATE', f'2026-09-{number + 2:02}T12:00:00Z')
        (root / 'a.txt').write_text(str(number))
        git(root, 'commit', '-qam', f'change {number} of "a"')
    git(root, 'checkout', '-q', 'main')
    git(root, 'merge', '-q', '--no-ff', '-m', 'merged', 'topic')
    (root / 'a.txt').write_text('b')
    git(root, 'commit', '-qam', 'newest')
    found = [line for line in lines(root) if line.startswith('earlier: ')]
    made = [git(root, 'rev-parse', f'topic~{number}')[:8] for number in range(5)]
    assert found == [f'earlier: {one} 2026-09-0{9 - at} change {7 - at} of "a"' for at, one in enumerate(made)]
    assert value(lines(root), 'head').endswith(' newest')
    assert 'earlier: ' in block(root).to_xml() and 'earlier: ' not in block(root, 'where is the letter').to_xml()


def test_what_bots_raised_is_not_named(git_repo, git):
    root = git_repo({'a.txt': 'a'})
    for said in ('build(deps): bump minus from 5.7.1 to 5.7.2', 'Bump urllib3 from 1 to 2', 'bump the limit', 'newest'):
        git(root, 'commit', '-q', '--allow-empty', '-m', said)
    found = [line.split(' ', 3)[3] for line in lines(root) if line.startswith('earlier: ')]
    assert found == ['bump the limit', 'first']


def test_the_first_eight_modified_files_and_how_many_more(git_repo):
    root = git_repo({f'f{number:02}.txt': 'a' for number in range(12)})
    for number in range(11):
        (root / f'f{number:02}.txt').write_text('b')
    (root / 'f11.txt').unlink()
    found = lines(root)
    assert value(found, 'git_branch') == 'main (dirty)'
    assert value(found, 'modified') == ' | '.join(f'f{number:02}.txt' for number in range(8)) + ' | and 4 more'


def test_a_folder_of_many_new_files_is_one_name_behind_the_others(git_repo):
    root = git_repo({'src/a.txt': 'a', 'b.txt': 'b'})
    for folder in ('.env/lib', 'src'):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for number in range(30):
            (root / folder / f'n{number:02}.txt').write_text('x')
    (root / 'b.txt').write_text('c')
    assert value(lines(root), 'modified') == 'b.txt | .env/ (30 new files) | src/ (30 new files)'
    (root / 'src/a.txt').write_text('b')
    assert value(lines(root), 'modified').endswith('src/n05.txt | and 54 more')


def test_deleted_files_say_so(git_repo):
    root = git_repo({'a.txt': 'a'})
    (root / 'a.txt').unlink()
    assert value(lines(root), 'modified') == 'a.txt (deleted)'


def test_the_distance_to_upstream(git_repo, git, tmp_path):
    root = git_repo({'a.txt': 'a'})
    git(tmp_path, 'clone', '-q', str(root), 'copy')
    copy = tmp_path / 'copy'
    for folder in (root, copy, copy):
        (folder / 'b.txt').write_text(str(folder) + (folder / 'a.txt').read_text())
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'more', '--allow-empty')
    git(copy, 'fetch', '-q')
    assert value(lines(copy), 'git_branch') == 'main, 2 ahead, 1 behind origin/main'


def test_a_detached_head_and_an_unborn_branch(git_repo, git):
    root = git_repo({'a.txt': 'a'})
    git(root, 'checkout', '-q', '--detach')
    assert value(lines(root), 'git_branch') == 'detached HEAD'
    empty = git_repo(name='empty')
    assert value(lines(empty), 'git_branch') == 'main (no commit yet)'
    assert value(lines(empty), 'head') is None


def conflicting(git_repo, git):
    root = git_repo({'a.txt': 'a\n'})
    for branch, text in (('other', 'b\n'), ('main', 'c\n')):
        git(root, 'checkout', '-q', *(['-b', branch] if branch == 'other' else [branch]))
        (root / 'a.txt').write_text(text)
        git(root, 'commit', '-qam', text.strip())
    return root


@pytest.mark.parametrize('operation', ['merge', 'rebase', 'cherry-pick'])
def test_the_operation_in_progress(git_repo, git, operation):
    root = conflicting(git_repo, git)
    git(root, operation, 'other', check=False)
    found = lines(root)
    assert value(found, 'in progress') == operation
    assert value(found, 'modified') == 'a.txt'


def test_a_bisect_in_progress(git_repo, git):
    root = conflicting(git_repo, git)
    git(root, 'bisect', 'start')
    assert value(lines(root), 'in progress') == 'bisect'


def test_a_sparse_checkout_is_told_while_it_is_one(git_repo, git):
    root = git_repo({'a.py': 'a = 1\n', 'b.py': 'b = 1\n'})
    git(root, 'sparse-checkout', 'set', '--no-cone', '/a.py')
    assert any(line.startswith('sparse checkout: ') for line in lines(root))
    git(root, 'sparse-checkout', 'disable')
    assert not any(line.startswith('sparse checkout: ') for line in lines(root))


def test_home_is_a_tilde(git_repo, monkeypatch, tmp_path):
    root = git_repo({'a.txt': 'a'})
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('USERPROFILE', str(tmp_path))
    assert value(lines(root), 'cwd') == '~/work'


@pytest.mark.parametrize(
    'path', ['/home/alice/work', '/Users/alice/work', '/mnt/c/Users/alice/work', '/var/home/alice/work']
)
def test_no_user_name_is_told_of_somebody_elses_home(path):
    assert environment.shortened(Path(path), Path('/root')) == '~/work'


@pytest.mark.skipif(sys.platform != 'linux', reason='such names exist on Linux only')
def test_odd_file_names_are_printable(git_repo):
    root = git_repo({'a.txt': 'a'})
    for name in (b'new\nline', b'esc\x1b[31m', 'bidi\u202e'.encode(), b'latin\xe9', b'-rf'):
        Path(bytes(root).decode() + '/' + name.decode('utf-8', 'surrogateescape')).write_text('x')
    said = '\n'.join(lines(root))
    assert 'new\\nline' in said and 'esc\\x1b[31m' in said and 'bidi\\u202e' in said and 'latin\\udce9' in said
    said.encode('utf-8')
    assert '\x1b' not in said and '\u202e' not in said


def test_a_secret_in_a_subject_is_not_told(git_repo, git):
    root = git_repo({'a.txt': 'a'})
    git(root, 'commit', '-q', '--allow-empty', '-m', 'use ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8')
    assert 'ghp_' not in '\n'.join(lines(root))


@pytest.mark.parametrize('budget', [0, 3, 10, 20, 40, 60, 90, 300])
def test_the_budget_is_kept(git_repo, budget):
    root = git_repo({'a.txt': 'a'})
    for number in range(30):
        (root / ('long-file-name-' * 9 + f'{number}.txt')).write_text('x')
    assert count('\n'.join(lines(root, budget))) <= budget


def test_where_there_is_little_room_what_only_git_knows_comes_first(git_repo):
    root = git_repo({'a.txt': 'a'})
    (root / 'a.txt').write_text('b')
    found = lines(root, 42)
    assert value(found, 'modified') == 'a.txt' and value(found, 'git_branch') == 'main (dirty)'
    assert value(found, 'os') is None
    assert [line.partition(':')[0] for line in lines(root)] == ['cwd', 'git_branch', 'time', 'os', 'head', 'modified']


def test_a_snapshot_at_hand_is_used(git_repo):
    root = git_repo({'a.txt': 'a'})
    work = git_repository.WorkTree('f' * 40, 'topic', '', 0, 0, 'a subject', ())
    assert value(lines(root, work=work), 'git_branch') == 'topic'


def test_snapshot_agrees_with_status(git_repo, git):
    root = conflicting(git_repo, git)
    git(root, 'merge', 'other', check=False)
    (root / 'new file').write_text('x')
    (root / 'staged').write_text('x')
    git(root, 'add', 'staged')
    (root / 'staged').write_text('y')
    found = git_repository.find(root)
    assert sorted(git_repository.snapshot(found).changes) == sorted(git_repository.status(found))


def test_a_damaged_repository_still_has_a_place_and_a_time(git_repo):
    root = git_repo({'a.txt': 'a'})
    found = git_repository.find(root)
    (root / '.git' / 'HEAD').write_text('rubbish')
    kept = environment.lines(found, Settings(), 300, NOW, count)
    assert value(kept, 'cwd') and value(kept, 'time')
