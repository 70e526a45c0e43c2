"""Which words of an answer are taken for names, and which of them exist nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxkit import repo
from ctxkit.feedback.extract import extract
from ctxkit.feedback.judge import judge
from ctxkit.repo import Repo

Make = Callable[..., Path]
FILES = {
    'shop/cart.py': (
        'import json\nimport numpy as np\nfrom shop.money import to_cents\n\n\nclass Base:\n    def save_all(self):\n'
        '        return json.dumps(self.prices)\n\n\nclass ShoppingCart(Base):\n    limit_per_line = 3\n\n'
        '    def total_price(self):\n        return to_cents(sum(self.prices))\n\n\n'
        'class Outer(np.ndarray):\n    pass\n'
    ),
    'shop/money.py': 'def to_cents(value):\n    return round(100 * value)\n',
    'shop/__init__.py': '',
    'web/src/useBasket.ts': 'export function useBasket(id: string) {\n  return fetchBasket(id);\n}\n',
    'engine/run.go': (
        'package engine\n\ntype Engine struct{}\n\nfunc (e *Engine) RunOnce(ctx Context) error { return nil }\n'
    ),
    'CHANGES.md': '# Changes\n\n* removed `old_helper_function`\n',
    'README.md': '# Shop\n',
    'requirements.txt': 'numpy\nrequests\n',
}


@pytest.fixture(scope='module')
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One repository for all questions: nothing here writes."""
    from conftest import run_git

    root = tmp_path_factory.mktemp('shop')
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    identity = ('-c', 'user.name=A', '-c', 'user.email=a@example.invalid')
    run_git(root, 'init', '-q')
    run_git(root, 'add', '-A')
    run_git(root, *identity, 'commit', '-qm', 'first')
    return repo.find(root)


@pytest.mark.parametrize(
    'answer',
    [
        '`ShoppingCart.total_price` in `shop/cart.py:14` calls to_cents().',
        'See shop/money.py and `money.py`; `useBasket` is in `web/src/useBasket`.',
        '`ShoppingCart.save_all` is inherited, `Outer.total_price` may come from numpy.',
        '`Engine.RunOnce(ctx)` returns an error; `engine/run.go` has it.',
        'Use `json.dumps`, `os.path.join`, `np.linspace`, `requests.get`, `isinstance(x, int)` and `ValueError`.',
        'and/or, `origin/main`, `application/json`, `--no-verify`, `v1.2.3`, `HTTP/1.1`, Node.js, GitHub, `None`.',
        'Run `git commit -m "x"`, `pip install some-package`, `npm run build_everything`.',
        'See https://example.com/a/made_up_page.py or mail made_up_name@example.com.',
        'The path is `path/to/file.py`, `<name>_handler`, `your_function`, `foo.bar()` or `**/*.ts`.',
        'Create a new file `shop/taxes.py` with a function `compute_taxes`.',
        'I would add a helper named `round_to_even_cents` to `shop/money.py`.',
        'Rename `to_cents` to `as_whole_cents`.',
        'There is no `refund_everything` function; `cancel_order_now` does not exist either.',
        "Non esiste `rimborsa_tutto_subito`. Il n'y a pas de `tout_rembourser`. `alles_erstatten` existiert nicht.",
        '没有名为 `refund_all_of_it` 的函数。Функции `vernut_vse_srazu` не существует. No existe `reembolsar_todo_ya`.',
        '```python\ndef helper_of_mine(rows):\n    kept = [row for row in rows]\n    return to_cents(len(kept))\n'
        'helper_of_mine([])\n```\nHere `helper_of_mine` does it.',
        '```python\nfrom some_other_package import magic_thing\nmagic_thing.do_it_all()\n```',
        '```json\n{"made_up_key": "made_up_value()"}\n```\n```\nTraceback (most recent call last):\n  x_y_z()\n```',
        '```sh\nmkdir -p new/folder && touch new/folder/file_one.py\n```',
        '`self.limit_per_line = 3`, `@property`, `__init__`, `**kwargs`, `*args`, `x`, `i += 1`',
        '',
        '```',
        '`' * 999,
    ],
)
def test_what_is_real_proposed_or_elsewhere_is_not_called_invented(shop: Repo, answer: str) -> None:
    assert judge(shop, answer).invented == ()


@pytest.mark.parametrize(
    ('answer', 'invented'),
    [
        ('`shop/basket.py` has it.', 'shop/basket.py'),
        ('It is in shop/helpers/prices.py, line 3.', 'shop/helpers/prices.py'),
        ('`cart.ts` has it.', 'cart.ts'),
        ('See [the file](shop/gone.py#L10).', 'shop/gone.py'),
        ('Call `apply_discount_code` first.', 'apply_discount_code'),
        ('Then compute_everything() is called.', 'compute_everything'),
        ('The DiscountEngine class does it.', 'DiscountEngine'),
        ('The hook useDiscountCode does it.', 'useDiscountCode'),
        ('`ShoppingCart.apply_discount` does it.', 'ShoppingCart.apply_discount'),
        ('`ShoppingCart.RunOnce` does it.', 'ShoppingCart.RunOnce'),  # both are real, but not together
        ('`Engine.total_price` does it.', 'Engine.total_price'),
        ('`shop.money.save_all` does it.', 'shop.money.save_all'),
        ('`shop.refunds` does it.', 'shop.refunds'),
        ('The `frobnicate` method does it.', 'frobnicate'),
        ('La funzione `frobnicate` lo fa.', 'frobnicate'),
        ('函数 `frobnicate` 会这样做。', 'frobnicate'),
        ('`old_helper_function` still works.', 'old_helper_function'),  # only a change log has it
        ('Add a call to `notify_customer_now()`.', 'notify_customer_now'),
        ('Run `python shop/make_report.py`.', 'shop/make_report.py'),
        ('`tests/test_cart.py::to_cents` fails.', 'tests/test_cart.py'),
        ('```python\nfrom shop.money import from_cents\n```', 'shop.money.from_cents'),
        ('```python\ncart = ShoppingCart()\ncart.empty_everything()\n```', 'empty_everything'),
        ('```ts\nimport { x } from "./useDiscount";\n```', 'useDiscount'),
        ('```\n.\n├── shop\n│   ├── cart.py\n│   └── taxes_and_fees.py\n```', 'taxes_and_fees.py'),
        ('```diff\n--- a/shop/other.py\n+++ b/shop/other.py\n@@ -1 +1 @@\n-x\n+y\n```', 'shop/other.py'),
    ],
)
def test_what_exists_nowhere_is_found(shop: Repo, answer: str, invented: str) -> None:
    assert judge(shop, answer).invented == (invented,)


def test_a_name_in_the_block_or_in_a_new_file_is_real(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n', '.gitignore': 'ignored.py\n'})
    found = repo.find(root)
    answer = '`decided_last_week()` and `written_just_now` in `new_file.py`; `ignored.py` too.'
    assert judge(found, answer).invented == ('decided_last_week', 'written_just_now', 'new_file.py', 'ignored.py')
    (root / 'new_file.py').write_text('def written_just_now(): ...\n')
    (root / 'ignored.py').write_text('')
    assert judge(found, answer, block='<unit>decided_last_week</unit>').invented == ()


def test_a_name_of_an_installed_dependency_is_real(git_repo: Make) -> None:
    root = git_repo(
        {'package.json': '{"dependencies": {"left": "1"}}', 'a.js': 'require("left")\n', '.gitignore': 'node_modules\n'}
    )
    found = repo.find(root)
    assert judge(found, 'Use `padEverythingLeft`.').invented == ('padEverythingLeft',)
    (root / 'node_modules/left').mkdir(parents=True)
    (root / 'node_modules/left/index.js').write_text('exports.padEverythingLeft = () => 1\n')
    assert judge(found, 'Use `padEverythingLeft`.').invented == ()


def test_the_rate_is_the_share_of_the_names(shop: Repo) -> None:
    verdict = judge(shop, '`shop/cart.py`, `to_cents`, `ShoppingCart`, `apply_discount_code`')
    assert (len(verdict.names), verdict.rate, verdict.unable) == (4, 0.25, False)


@pytest.mark.parametrize(
    'answer',
    [
        '`' + 'a' * 100_000 + '_b`',
        '(' * 50_000,
        '`a_b` ' * 30_000,
        'x_y.' * 50_000,
        '\x00\ud800`a\x00_b`',
        '```python\n' + 'f(' * 20_000,
        '│├└── ' * 10_000,
    ],
)
def test_hostile_answers_are_judged_in_bounded_time(shop: Repo, quick: None, answer: str) -> None:
    judge(shop, answer)


@pytest.mark.skipif(os.name == 'nt', reason='no pipes with a name there')
def test_dependencies_that_are_no_plain_files_are_passed_over(git_repo: Make) -> None:
    root = git_repo({'vendor/a.py': 'def vendored_helper(): ...\n'})
    os.mkfifo(root / 'vendor' / 'pipe.py')
    (root / 'vendor' / 'endless.py').symlink_to('/dev/zero')
    verdict = judge(repo.find(root), '`vendored_helper()` calls `made_up_thing()`.')
    assert verdict.invented == ('made_up_thing',)


@pytest.mark.parametrize('part', [' ', 'a ', 'a, ', 'use a\n', '/* ', 'from a import (', 'func ('])
def test_a_long_block_of_code_takes_no_time(quick: None, part: str) -> None:
    extract('```js\n' + part * (50_000 // len(part)) + '\n```\n')


def test_what_a_block_requires_is_bound_to_its_names() -> None:
    names = extract("```js\nconst { one_thing, other } = require('./lib/things');\none_thing(); third_thing();\n```\n")
    assert {'lib/things', 'third_thing'} <= {name.text for name in names}
    assert not {'one_thing', 'other'} & {name.text for name in names}
