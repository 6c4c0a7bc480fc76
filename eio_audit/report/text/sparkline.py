"""Numbers as a row of bars that fits into a line of text."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"


def sparkline(heights: Sequence[float]) -> str:
    """One bar for each number from 0 to 1.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)


def can_show_bars(encoding: str) -> bool:
    """Whether a terminal of this encoding has them.

    >>> can_show_bars("utf-8"), can_show_bars("ascii")
    (True, False)
    """
    try:
        BARS.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
