"""A function that is too large for the budget is shown by the lines that the request is about."""

from __future__ import annotations

from helpers_main import block

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
