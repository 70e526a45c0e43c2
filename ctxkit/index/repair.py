"""What becomes of a damaged index: it is removed and made again, since git still holds all that was in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ctxkit.errors import CtxError

P = ParamSpec('P')
T = TypeVar('T')


class DamagedIndex(CtxError):
    """The database was damaged; it has been removed."""


def repairing(function: Callable[P, T]) -> Callable[P, T]:
    """Run `function` once more if it found the index damaged: the second time it makes the index anew.

    A damaged segment can show in any error, so its sum is looked at then.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except DamagedIndex:
            pass
        except CtxError:
            raise
        except Exception:
            from ctxkit.index.segment import drop_damaged

            if not drop_damaged():
                raise
        return function(*args, **kwargs)

    return run
