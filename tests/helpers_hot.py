"""The clock of the tests of units, and what a block without a request shows first."""

from __future__ import annotations

from helpers_main import block

NOW = 1_700_000_000.0
DAY = 86_400


def shown(root, now=NOW):
    return [unit.symbol for unit in block(root, now=now).units]
