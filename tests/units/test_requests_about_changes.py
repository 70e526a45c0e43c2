"""A request about a commit, a branch or edits leads to what they changed, not to code that says `commit`."""

from __future__ import annotations

import time

import pytest
from conftest import run_git
from helpers_main import block, search, update

from ctxkit.units.asked_changes import lifted
from ctxkit.units.candidate import Candidate
from ctxkit.units.change_words import changes_meant

LINES = '\n'.join(f'    total += price * {number}' for number in range(6))
FILES = {
    'tool/release.py': 'def release():\n    """Review the last changes, and commit."""\n    commit()\n\n\n'
    'def commit():\n    """Make the last commit of this branch: what changed."""\n    return branch\n',
    'shop/cart.py': f'def total_of(cart):\n    total = 0\n{LINES}\n    return total\n',
    'shop/user.py': 'def greet(user):\n    return f"hello {user}"\n',
    'shop/mail.py': 'def send(mail):\n    """Send a mail to a user of the shop who is greeted."""\n    return mail\n',
}


@pytest.fixture
def shop(git_repo):
    """Four commits: `first`, one about carts for issue 12, one about greetings, and one about mail."""
    root = git_repo(FILES)
    change(root, 'shop/cart.py', 'total = 0', 'total = 1', 'Start at one (#12)')
    change(root, 'shop/user.py', 'hello', 'good morning', 'Greet in the morning, as #120 wants')
    change(root, 'shop/mail.py', 'return mail', 'return [mail]', 'Send lists')
    update(root)
    return root


def change(root, path, before, after, subject):
    file = root / path
    file.write_text(file.read_text().replace(before, after))
    run_git(root, 'commit', '-qam', subject)


def head(root, revision='HEAD'):
    return run_git(root, 'rev-parse', revision).strip()


def short(commit, length=7):
    """The id cut as git cuts it; further on where that has no letter or no digit, and so may be a number or a word."""
    while commit[:length].isdigit() or commit[:length].isalpha():
        length += 1
    return commit[:length]


def shown(root, request, now=0.0):
    return [unit.symbol for unit in block(root, query=request, now=now).units]


def test_a_commit_by_its_id(shop):
    named = head(shop, 'HEAD~1')
    for request in (
        f'review {named}',
        f'what does {short(named, 8)} do?',
        'git show HEAD~1',
        f'explain commit {short(named)}',
    ):
        assert shown(shop, request) == ['greet']
    assert block(shop, query=f'review {named}').units[0].why == f'changed in {named[:8]}'


def test_the_commits_that_name_an_issue(shop):
    assert shown(shop, 'what changed in #12?') == ['total_of']
    assert shown(shop, 'review PR 120') == ['greet']


def test_only_a_commit_of_this_repository_names_its_issue(shop):
    change(shop, 'shop/cart.py', 'return total', 'return [total]', 'Merge branch x\n\nSee merge request shop/web!31')
    change(shop, 'shop/user.py', 'good', 'GOOD', 'Shout, as other/shop#31 does')
    update(shop)
    assert shown(shop, 'review MR !31') == ['total_of']


def test_the_last_commits(shop):
    assert shown(shop, 'explain the last commit') == ['send']
    assert shown(shop, 'revert the last two commits') == ['send', 'greet']
    assert shown(shop, 'erkläre die letzten zwei Commits') == ['send', 'greet']


def test_recent_changes(shop):
    assert set(shown(shop, 'what changed this week?')[:3]) == {'send', 'greet', 'total_of'}


def test_the_branch(shop):
    run_git(shop, 'branch', '-M', 'main')
    run_git(shop, 'switch', '-qc', 'topic', 'HEAD~1')
    change(shop, 'shop/cart.py', 'total = 1', 'total = 2', 'Start at two')
    update(shop)
    assert shown(shop, 'summarize this branch') == ['total_of']
    assert shown(shop, 'review my changes') == ['total_of']
    run_git(shop, 'switch', '-q', 'main')
    update(shop)
    assert shown(shop, 'review my changes') == ['send']  # nothing of one's own: the last commit


def test_edits_are_my_changes_and_do_not_hide_an_older_commit(shop):
    file = shop / 'tool/release.py'
    file.write_text(file.read_text().replace('return branch', 'return "branch"'))
    assert shown(shop, 'review my changes')[0] == 'commit'
    assert shown(shop, 'explain the last commit') == ['send']


def test_a_function_edited_since_is_shown_as_it_is_now(shop):
    file = shop / 'shop/mail.py'
    file.write_text('# Mail.\n\n\n' + file.read_text().replace('return [mail]', 'return [mail, mail]'))
    (unit,) = block(shop, query='review the last commit').units
    assert 'return [mail, mail]' in unit.text and unit.start_line == 4 and unit.why == 'edited, not committed'


def test_what_lies_between_versions(shop):
    run_git(shop, 'tag', 'v1.2', 'HEAD~2')
    run_git(shop, 'tag', 'v1.3', 'HEAD~1')
    assert shown(shop, 'what changed between v1.2 and 1.3?') == ['greet']
    assert shown(shop, 'git diff v1.2..v1.3') == ['greet']
    assert shown(shop, 'write release notes for the changes since version 1.2') == ['send', 'greet']
    assert shown(shop, 'review the changes since v9.9') == shown(shop, '')


def test_a_merge_is_what_it_brought(shop):
    run_git(shop, 'switch', '-qc', 'topic', 'HEAD~3')
    change(shop, 'tool/release.py', 'return branch', 'return [branch]', 'Return a list')
    change(shop, 'tool/release.py', '    commit()\n', '    return commit()\n', 'Return it')
    run_git(shop, 'switch', '-q', '-')
    run_git(shop, 'merge', '-q', '--no-ff', '-m', 'Merge pull request #77 from topic', 'topic')
    update(shop)
    assert set(shown(shop, 'review #77')) == {'release', 'commit'}
    assert set(shown(shop, f'review {head(shop)}')) == {'release', 'commit'}


def test_the_first_commit_of_all(git_repo):
    root = git_repo(FILES)
    update(root)
    assert set(shown(root, f'review {head(root)}')) == {'release', 'commit', 'total_of', 'greet', 'send'}


def test_a_removed_function_is_named(shop):
    (shop / 'shop/user.py').write_text('GREETING = 1\n')
    run_git(shop, 'commit', '-qam', 'Greet nobody')
    change(shop, 'shop/mail.py', 'return [mail]', 'return (mail,)', 'Send tuples')
    update(shop)
    units = block(shop, query='review HEAD~1').units
    assert any(unit.symbol == 'greet' and unit.why.startswith('removed') for unit in units)


def test_what_a_later_commit_removed_is_not_named(shop):
    (shop / 'shop/user.py').write_text('GREETING = 1\n')
    run_git(shop, 'commit', '-qam', 'Greet nobody')
    update(shop)
    assert shown(shop, 'review HEAD~1') == ['send']


def test_beside_other_words_its_code_is_raised(shop):
    named = head(shop, 'HEAD~1')
    request = 'mails to a user of the shop are sent twice'
    assert shown(shop, request)[0] == 'send'
    units = block(shop, query=f'{request}, since {short(named)}').units
    assert [unit.symbol for unit in units[:2]] == ['send', 'greet']
    assert [unit.why for unit in units[:2]] == ['', f'changed in {named[:8]}']


def test_the_name_of_a_commit_is_not_looked_for_in_code(shop):
    (shop / 'shop/head.py').write_text('def head(mail):\n    """The head of a mail."""\n    return mail[0]\n')
    request = 'a mail is sent twice'
    assert shown(shop, f'{request}, since head')[0] == 'head'
    assert shown(shop, f'{request}, since HEAD~2')[0] == 'send'


def test_of_many_commits_each_raises_its_code_less():
    best, other = Candidate(1, 1.0, ''), Candidate(2, 0.6, '')
    assert [one.chunk for one in lifted([best, other], {2: 'changed in 3f2a1bcd'})] == [2, 1]
    many = {chunk: f'changed in 3f2a1bc{chunk}' for chunk in range(2, 9)}
    assert [one.chunk for one in lifted([best, other], many)] == [1, 2]


def test_of_overloads_only_the_changed_one_is_said_to_have_changed(git_repo):
    def overload(kind, value):
        return f'    int total({kind} cart) {{\n        return {value};\n    }}\n'

    root = git_repo({'Shop.java': f'class Shop {{\n{overload("Cart", 1)}{overload("Order", 2)}}}\n'})
    change(root, 'Shop.java', 'return 2', 'return 3', 'Count orders')
    update(root)
    units = block(root, query=f'the total of a cart is wrong since {short(head(root))}').units
    assert {unit.start_line: unit.why for unit in units if unit.kind == 'method'} == {
        2: '',
        5: f'changed in {head(root)[:8]}',
    }


def test_what_is_no_commit_of_this_history_changes_nothing(shop):
    run_git(shop, 'switch', '-qc', 'topic')
    change(shop, 'shop/user.py', 'good morning', 'good evening', 'Greet in the evening')
    other, blob = head(shop), head(shop, 'HEAD:shop/user.py')
    run_git(shop, 'switch', '-q', '-')
    request = 'the shop sends mail twice since {}'
    for named in (other, blob, 'abcdef1234', 'HEAD~99', '#99'):
        assert all(unit.why == '' for unit in block(shop, query=request.format(named)).units)
    assert shown(shop, f'review {other}') == shown(shop, '')


def test_a_repository_without_a_commit(git_repo):
    root = git_repo()
    (root / 'a.py').write_text('def run():\n    return 1\n')
    assert shown(root, 'review my changes') == ['run']
    assert shown(root, 'explain the last commit') == ['run']


def test_work_orders_get_what_changed_last(shop):
    assert shown(shop, 'run the tests and fix what fails') == shown(shop, '')
    assert shown(shop, 'commit')[0] == 'commit'  # one word can be a name


def test_a_commit_dated_ahead_is_recent(shop):
    assert 'send' in shown(shop, 'recent changes', now=time.time() - 3 * 86400)[:3]


def test_a_search_leads_to_what_changed(shop):
    def found(request, under=''):
        return [place.symbol for place in search(shop, request, under=under)]

    assert found('what changed in the last two commits?') == ['send', 'greet']
    assert found('review #12', under='shop') == ['total_of'] and found('review #12', under='tool') == []
    request = 'mails to a user of the shop are sent twice'
    assert found(request)[1] == 'greet' and found(f'{request}, since #12')[1] == 'total_of'
    (shop / 'tool/release.py').write_text('def release():\n    return 1\n')
    assert found('review my changes') == ['release']


@pytest.mark.parametrize(
    ('request_', 'said'),
    [
        ('3f2a1bcd broke the cart', {'ids': ('3f2a1bcd',)}),
        ('the last commit broke the cart', {'last': 1}),
        ('commit 1234567 broke the cart', {'ids': ('1234567',)}),
        ('why is the cart empty since my last commit', {'last': 1}),
        ('compare this branch with main', {'branch': True, 'alone': True}),
        ('write a PR description for my changes', {'own': True, 'alone': True}),
        ('git diff', {'own': True, 'alone': True}),
        ('git log HEAD~3..', {'spans': (('HEAD~3', 'HEAD'),), 'alone': True}),
        ('review main...3f2a1bc', {'spans': (('main', '3f2a1bc'),), 'alone': True}),
        ('did the tests fail since 3f2a1bc?', {'ids': ('3f2a1bc',), 'spans': (('3f2a1bc', 'HEAD'),), 'alone': True}),
        ('what did I break?', {'own': True, 'alone': True}),
        ('spiega le mie modifiche', {'own': True, 'alone': True}),
        ('最近的改动', {'days': 7, 'alone': True}),
        ('что изменилось?', {'days': 7, 'alone': True}),
        ('why did we change the limit of the cart last month?', {'days': 31}),
        ('what changed in the cart in the last 10 days?', {'days': 10}),
        ("summarize today's work", {'days': 2, 'alone': True}),
        ('what changed in the last two weeks?', {'days': 14, 'alone': True}),
        ('what changed recently in the cart?', {'days': 7}),
        ('did the price change since yesterday?', {'days': 2}),
        ('commit abcdefa broke the cart', {'ids': ('abcdefa',)}),
        ('review HEAD', {'ids': ('HEAD',), 'alone': True}),
        ('follow-up to #12: the cart', {'numbers': (12,)}),
    ],
)
def test_what_is_said_about_changes(request_, said):
    meant = changes_meant(request_)
    assert {name: value for name, value in meant._asdict().items() if value} == said


@pytest.mark.parametrize(
    'request_',
    [
        'HEAD requests are answered with 405',
        'the panel shows the author of the last commit',
        'listen to changes of the store',
        'has the price changed?',
        'what did the customer change?',
        'sort carts by recently modified',
        'the colour #a1b2c3d is wrong',
        'what changed between HTTP/1 and HTTP/2?',
        'deadbeef', '12345678', 'uuid 3f2a1bcd-1111-2222-3333-444455556666',
        'sha256:3f2a1bcd4e5f and https://example.org/3f2a1bcd4e5f',
        'ids a1b2c3d a1b2c3e a1b2c3f a1b2c40 a1b2c41 in a log',
        'how are branches merged?',
        'change 1.5 to 2.5',
        'bump pytest from 7.4.3 to 7.4.4',
        'merge this into main',
        'the cart is empty since v1.2',
        'Add more tests for git diff',
        '',
    ],
)  # fmt: skip
def test_what_says_nothing_about_changes(request_):
    assert not changes_meant(request_)
