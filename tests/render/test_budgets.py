"""No block is ever over its budget, whatever the content and whoever counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers_main import block, parsed, update, write

import ctxkit
from ctxkit import tokens
from ctxkit.errors import CtxError
from ctxkit.render.budget import counter, share
from ctxkit.settings import BudgetSettings

TOKENIZER = Path(ctxkit.__file__).parent / 'embedding' / 'bundled' / 'tokenizer.json'
BUDGETS = [200, 201, 233, 256, 300, 350, 420, 512, 700, 1000, 1500, 2222, 3600, 5100, 8000]


def functions(count, words='value'):
    return ''.join(
        f'def compute_{number}({words}):\n    """Compute {words} number {number}."""\n'
        f'    total = {number}\n    for one in range({number}):\n        total += one * {number}\n'
        f'    return total\n\n\n'
        for number in range(count)
    )


CONTENT = {
    'plain.py': functions(60),
    'cjk.py': ''.join(
        f'def 计算{number}(数值):\n    """计算订单的总价，包括税和运费，第{number}号。"""\n'
        f'    return 数值 * {number}\n\n\n'
        for number in range(30)
    ),
    'cyrillic.py': ''.join(
        f'def посчитать_{number}(заказ):\n    """Посчитать сумму заказа и вернуть её, номер {number}."""\n'
        f'    return заказ.сумма * {number}\n\n\n'
        for number in range(30)
    ),
    'long.py': 'def compute_long(value):\n    return ['
    + ', '.join(f'"{"x" * 70}{number}"' for number in range(30))
    + ']\n',
    'emoji.py': 'def compute_emoji(value):\n    return "' + '\U0001f600\U0001f469\u200d\U0001f4bb' * 60 + '"\n',
    'marks.py': 'def compute_marks(value):\n    return value' + '.a[0](1)' * 200 + '\n',
    'escape.js': 'function computeEscape(value) {\n  return ' + '"<&<&<&]]>@x" + ' * 60 + 'value;\n}\n',
    'huge.py': 'def compute_huge(value):\n'
    + '    value = compute_1(value) + compute_2(value)\n' * 900
    + '    return value\n',
    'data.txt': 'compute value ' * 3000,
    'README.md': '# Compute\n\n' + 'To compute a value, call compute_1. ' * 100,
}


@pytest.fixture(scope='module')
def work(tmp_path_factory):
    import subprocess

    root = tmp_path_factory.mktemp('budgets')
    write(root, CONTENT)
    for args in (
        ['init', '-q'],
        ['add', '-A'],
        ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-qm', 'x'],
    ):
        subprocess.run(['git', *args], cwd=root, check=True)
    update(root)
    write(
        root, {'cyrillic.py': CONTENT['cyrillic.py'].replace('Посчитать', 'Сложить'), 'new.py': functions(5, 'order')}
    )
    return root


@pytest.mark.parametrize('query', ['', 'compute value', '计算 总价', 'сумма заказа', 'computeEscape', 'compute_huge'])
@pytest.mark.parametrize('exact', [False, True], ids=['estimate', 'tokenizer.json'])
def test_no_block_is_over_its_budget(work, query, exact):
    flags = {'budget__tokenizer': str(TOKENIZER)} if exact else {}
    name, count = counter(str(TOKENIZER) if exact else '')
    for budget in BUDGETS:
        shown = block(work, query, budget=budget, **flags)
        text = shown.to_xml().partition('</ctxkit>\n')
        used = count(text[0] + text[1])
        assert used <= budget, (budget, used)
        # The size stands in the block itself: for a tokenizer there may be no number that counts right.
        assert 0 <= shown.used - used <= exact, (shown.used, used)
        assert shown.tokenizer == name
        parsed(shown.to_xml())


@pytest.mark.parametrize('query', ['', 'compute value'], ids=['unasked', 'asked'])
def test_no_block_is_over_its_budget_where_files_are_not_checked_out(git_repo, git, query):
    root = git_repo({f'pack/m{number}.py': functions(3, f'value{number}') for number in range(12)})
    git(root, 'sparse-checkout', 'set', '--no-cone', '/other')
    update(root)
    for budget in (420, 1000, 2222):
        shown = block(root, query, budget=budget)
        assert tokens.count(shown.element()) == shown.used <= budget, budget


@pytest.mark.parametrize('query', ['', 'compute value'], ids=['unasked', 'asked'])
def test_budget_is_used_where_there_is_enough_to_show(work, query):
    for budget in (1500, 3600, 5100):
        shown = block(work, query, budget=budget)
        assert shown.used >= 0.9 * budget
    assert block(work, query, budget=1500).left_out > 0


def test_larger_budget_shows_at_least_as_much_code(work):
    sizes = [
        sum(len(unit.text) for unit in block(work, 'compute value', budget=budget).units)
        for budget in (500, 1000, 2000, 4000)
    ]
    assert sizes == sorted(sizes) and sizes[-1] > sizes[0]


@pytest.mark.parametrize('budget', [1, 100, 199])
def test_budget_that_holds_no_block_is_refused(work, budget):
    with pytest.raises(CtxError, match='too small'):
        block(work, budget=budget)


def test_odd_branch_and_subject_do_not_break_a_small_budget(git_repo, git):
    root = git_repo({'app.py': functions(5)})
    git(root, 'checkout', '-qb', 'feature/' + '"x&y' * 40)
    git(root, 'commit', '-q', '--amend', '-m', '<&' * 400)
    for index in range(30):
        write(root, {f'{"deep" * 10}/{"<&" * 20}{index}.py': 'x = 1\n'})
    for query in ('', 'compute'):
        for budget in (200, 300, 500):
            shown = block(root, query, budget=budget)
            text = shown.to_xml().partition('</ctxkit>\n')
            assert tokens.count(text[0] + text[1]) <= budget
            parsed(shown.to_xml())


def test_code_steps_down_to_excerpt_to_signature_and_then_to_path(work):
    levels = {unit.level for unit in block(work, 'compute_huge compute_1', budget=600).units}
    assert 'path' in levels or 'signature' in levels
    huge = next(unit for unit in block(work, 'compute_huge', budget=1500).units if unit.symbol == 'compute_huge')
    assert huge.level == 'excerpt' and huge.text.startswith('def compute_huge(value)')
    assert tokens.count(huge.to_xml()) <= 1500 / 2, 'the best may take half of the room by an excerpt'
    ranks = [
        {'code': 0, 'excerpt': 0, 'signature': 1, 'path': 2}[unit.level]
        for unit in block(work, 'compute value', budget=3600).units
    ]
    assert ranks == sorted(ranks), 'code first, then signatures, then paths'


def test_nothing_is_shown_twice(work):
    for query in ('', 'compute value'):
        places = [(unit.path, unit.start_line, unit.end_line) for unit in block(work, query, budget=8000).units]
        assert len(places) == len(set(places))
        spans = sorted(
            (unit.path, unit.start_line, unit.end_line)
            for unit in block(work, query).units
            if unit.level == 'code' and unit.kind in ('function', 'method')
        )
        assert all(a[0] != b[0] or a[2] < b[1] for a, b in zip(spans, spans[1:], strict=False))


def test_shares_scale_with_the_whole():
    shares = share(BudgetSettings(), None)
    assert (shares.total, shares.units) == (5100, 3600)
    assert shares.sections == {'environment': 300, 'session': 500, 'memory': 400, 'web': 300}
    half = share(BudgetSettings(), 2550)
    assert half.sections == {'environment': 150, 'session': 250, 'memory': 200, 'web': 150}
    assert half.units + sum(half.sections.values()) <= half.total == 2550


def test_what_a_section_leaves_goes_to_the_units(work):
    assert block(work, 'compute value', budget=5100).used > 4500  # the units' own share is 3600


def test_tokenizer_that_is_no_tokenizer_is_named(work, tmp_path):
    bad = tmp_path / 'tokenizer.json'
    for content in (None, '', '{}', 'x'):
        if content is not None:
            bad.write_text(content)
        with pytest.raises(CtxError, match='tokenizer'):
            block(work, budget__tokenizer=str(bad))
