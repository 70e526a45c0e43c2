"""How hot a unit is."""

from __future__ import annotations

FREQUENCY_WEIGHT = 0.3
COLD = 0.3  # below this a unit is cold knowledge


def hot_score(minutes: float, edits_today: int) -> float:
    """`1/(dt+1) + 0.3*file_freq`: dt = minutes since the unit last changed, file_freq = times its file changed today.

    A clock that went back counts as no time passed.
    """
    return 1 / (max(minutes, 0.0) + 1) + FREQUENCY_WEIGHT * edits_today
