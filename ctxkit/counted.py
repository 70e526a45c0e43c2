"""Say how many of something there are, for a person to read."""

from __future__ import annotations


def counted(number: int, one: str, many: str = '') -> str:
    """`number` with `one` for 1 and else `many`, by default `one` with an s: `1 file`, `2 files`, `0 events wait`."""
    return f'{number} {one if number == 1 else many or one + "s"}'
