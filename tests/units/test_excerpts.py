"""A function that is too large for the budget is shown by the lines that the request is about."""

from __future__ import annotations

import pytest
from helpers_main import block, update, write

from ctxkit import tokens
from ctxkit.units.excerpt import excerpt
from ctxkit.units.recall import terms

STEPS = [f'    total = advance(total, {number})' for number in range(200)]
STEPS[150:153] = ['    if cookie.expired:', '        refuse(cookie)', '        return None']
CODE = '\n'.join(['def settle(order):', '    """Settle an order."""', *STEPS, '    return total'])


def upto(most):
    return lambda text: tokens.count(text) <= most


def test_two_thirds_of_the_lines_in_their_order_with_what_is_left_out_named():
    shown = excerpt(CODE, terms('refuse an expired cookie'), upto(10_000)).split('\n')
    lines = CODE.split('\n')
    kept = [line for line in shown if line in lines]
    assert 2 / 3 <= len(kept) / len(lines) < 0.7
    assert kept == [line for line in lines if line in set(kept)]
    left_out = [int(line.split()[1]) for line in shown if line not in lines]
    assert shown[0] == 'def settle(order):' and sum(left_out) + len(kept) == len(lines)


def test_what_the_request_is_about_is_among_the_few_lines_that_fit():
    shown = excerpt(CODE, terms('refuse an expired cookie'), upto(300), upto(300))
    assert tokens.count(shown) <= 300
    assert shown.startswith('def settle(order):') and STEPS[150] in shown and STEPS[151] in shown
    assert '… 1' in shown, 'the run between head and match is named'


def test_without_a_matching_word_the_head_is_shown():
    shown = excerpt(CODE, terms('quaternions'), upto(300), upto(300)).split('\n')
    assert shown[:-1] == CODE.split('\n')[: len(shown) - 1] and shown[-1].startswith('… ')


def test_nothing_is_shown_where_two_thirds_do_not_fit_and_no_part_is_wanted():
    assert excerpt(CODE, terms('cookie'), upto(300)) == ''
    assert excerpt(CODE, terms('cookie'), upto(10), upto(10)) == ''


def test_the_best_hit_is_not_a_bare_signature_because_it_is_long(git_repo):
    root = git_repo({'orders.py': CODE + '\n', 'other.py': 'def cookie_jar():\n    return []\n'})
    best = next(unit for unit in block(root, 'refuse an expired cookie', budget=1500).units if unit.symbol == 'settle')
    assert best.level == 'excerpt' and 'refuse(cookie)' in best.text and '… ' in best.text


def test_a_secret_across_the_cut_stays_hidden(git_repo):
    key = [
        '-----BEGIN RSA PRIVATE ' + 'KEY-----',
        *(f'{"Ab3" * 20}{number:04}' for number in range(120)),
        '-----END RSA PRIVATE ' + 'KEY-----',
    ]
    body = [f'    write("{number}")' for number in range(120)]
    code = '\n'.join(['def install_key():', '    text = """', *key, '"""', *body, '    return text'])
    root = git_repo({'keys.py': code + '\n'})
    shown = block(root, 'install_key write', budget=1200).to_xml()
    assert 'install_key' in shown and 'Ab3Ab3' not in shown


EXAMPLES = [line for n in range(40) for line in (f'    >>> settle(cookie, {n}) # of an expired order', f'    {n}', '')]


@pytest.mark.parametrize('most', [300, 10_000])
def test_code_is_preferred_to_the_examples_of_its_documentation(most):
    code = '\n'.join(
        ['def settle(order):', '    """Settle an order.', '', *EXAMPLES, '    """', *STEPS, '    return total']
    )
    shown = excerpt(code, terms('refuse an expired cookie order'), upto(most), upto(most))
    assert STEPS[150] in shown and STEPS[151] in shown
    assert shown.count('>>>') <= 1, 'in the head alone'


def test_examples_that_alone_hold_a_word_of_the_request_are_shown():
    code = '\n'.join(
        ['def settle(order):', '    """Settle an order.', '', *EXAMPLES, '    """', *STEPS, '    return total']
    )
    code = code.replace('cookie, 30', 'quaternion, 30')
    assert 'quaternion, 30' in excerpt(code, terms('settle a quaternion cookie'), upto(300), upto(300))


LONG = {
    'module': [f'OPTION_{number} = read_option({number}, "a value for it")' for number in range(200)],
    'function': ['def options():', *(f'    yield read_option({number}, "a value for it")' for number in range(200))],
    'prose': ['# Options', '', *(f'Option {number} is read and has a value for it.' for number in range(200))],
}
NAMES = {'module': 'options.py', 'function': 'options.py', 'prose': 'OPTIONS.md'}


@pytest.mark.parametrize('hooked', [False, True])
@pytest.mark.parametrize('committed', [False, True])
@pytest.mark.parametrize('kind', LONG)
def test_of_a_change_deep_in_long_code_its_lines_are_shown(git_repo, git, kind, committed, hooked):
    name, lines = NAMES[kind], LONG[kind]
    root = git_repo({name: '\n'.join(lines) + '\n'})
    if hooked:
        update(root)
    changed = [line.replace('value', 'cookie') if number == 100 else line for number, line in enumerate(lines)]
    write(root, {name: '\n'.join(changed) + '\n'})
    if committed:
        git(root, 'commit', '-qam', 'change')
    if hooked:
        update(root, event='post-commit')
        git(root, 'commit', '-q', '--allow-empty', '-m', 'nothing')
        update(root, event='post-commit')
    text = next(unit.text for unit in block(root).units if 'cookie' in unit.text)
    assert '\n'.join(changed[98:103]) in text
    assert text.startswith('\n'.join(lines[:4])), 'its head says what it is'
    assert tokens.count(text) < 450 and '\n… ' in text


def test_of_lines_that_went_from_long_code_the_place_is_shown(git_repo):
    lines = LONG['function']
    root = git_repo({'options.py': '\n'.join(lines) + '\n'})
    write(root, {'options.py': '\n'.join(lines[:150] + lines[153:]) + '\n'})
    text = block(root).units[0].text.split('\n')
    assert text.index(lines[153]) == text.index(lines[149]) + 1


def test_long_code_that_is_new_is_shown_by_its_first_lines(git_repo):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    write(root, {'options.py': '\n'.join(LONG['function']) + '\n'})
    text = block(root).units[0].text.split('\n')
    assert text[:-1] == LONG['function'][: len(text) - 1] and text[-1] == '…'
