"""Repair a damaged index: it is removed and made again, since git still holds everything it was made from."""

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
    """A decorator that runs `function` again if it found the index damaged: the second time, the index is made again.

    A damaged segment can cause any error, so after an unexpected one the checksums of segments are verified.
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
