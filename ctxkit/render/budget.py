"""Count tokens, and divide a budget among the sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ctxkit import tokens
from ctxkit.errors import CtxError
from ctxkit.settings import BudgetSettings

Count = Callable[[str], int]
SECTIONS = ('environment', 'session', 'memory', 'web')
MIN_BUDGET = 200


class Shares(NamedTuple):
    """Tokens of each section, of the units, and of the whole block."""

    total: int
    units: int
    sections: dict[str, int]


def share(settings: BudgetSettings, total: int | None) -> Shares:
    """The budgets of the sections, scaled so that together they are `total` (None: as configured)."""
    whole = {name: int(getattr(settings, name)) for name in (*SECTIONS, 'units')}
    configured = sum(whole.values())
    if total is None:
        total = configured
    if total < MIN_BUDGET:
        raise CtxError(f'a budget of {total} tokens is too small for a block', f'give at least {MIN_BUDGET}')
    scaled = {name: value * total // max(configured, 1) for name, value in whole.items()}
    return Shares(total, scaled.pop('units'), scaled)


def counter(tokenizer: str) -> tuple[str, Count]:
    """The name and the function of the configured token counter: '' is the built-in estimate, else a tokenizer.json."""
    if not tokenizer:
        return 'estimate', tokens.count
    from tokenizers import Tokenizer

    file = Path(tokenizer).expanduser()
    try:
        exact = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception
        raise CtxError(f'budget.tokenizer: {file} cannot be read', 'name a tokenizer.json file') from error
    return file.parent.name or file.name, lambda text: len(exact.encode(text, add_special_tokens=False).ids)
