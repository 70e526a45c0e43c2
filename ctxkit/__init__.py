"""ctxkit: a fresh, budgeted, secret-free context file for coding agents after every git event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxkit.units.topical import get_topical_units

__all__ = ['__version__', 'get_topical_units']
__version__ = '0.1.0'


def __getattr__(name: str) -> Any:
    """Import the Python interface on first use, because the command line must start without it."""
    if name == 'get_topical_units':
        from ctxkit.units.topical import get_topical_units

        return get_topical_units
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
