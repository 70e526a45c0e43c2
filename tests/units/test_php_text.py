"""Odd text of PHP is taken apart in time."""

from __future__ import annotations

import pytest

from ctxkit.units.php_bindings import bindings, checks
from ctxkit.units.php_text import chain, class_in, element, parameters, types

ODD = (
    '(',
    '[{(',
    '<',
    ' ',
    '$a->',
    '$a[',
    "'",
    '/** @var ',
    '#[A]',
    'static ',
    '$a instanceof ',
    'foreach (',
    '?',
    'fn ',
    "'\\",
    '$x = 1; ',
    'static $x ',
    '<<<X\n',
    '?>',
)


@pytest.mark.parametrize('text', ODD)
def test_odd_text_is_read_in_time(text):
    code = f'function {text * 4000} $x = 1; foreach ($a {text * 4000} as $b) {{\n}}\n' + f'\n{text * 3}' * 3000
    assert bindings(code, 1, f'/** @param {text * 4000} $a */') is not None
    assert checks(f'if ($x instanceof Y) {{{text * 4000}', 1)
    for one in range(0, 200, 7):
        chain(f'$a{text * 4000}', 0)
        chain(code, one)
    assert len(list(types(text * 4000))) < 5000
    assert element(text * 4000) is not None
    assert class_in(text * 4000) is not None
    assert parameters(f'{text * 4000}, {text * 4000} $x') is not None
