"""The classes of inversions: why a pair of ops is out of order, and what a gate makes of it.

A new class is one more row of ``PairClass``. If the original order does not say how the two ops of a pair
should stand, it is also a step of ``check/comparison.py``, which finds its pairs.
"""

from __future__ import annotations

from enum import StrEnum

from eio_audit.audit.options import Follow

_NOT_COMPARABLE = "EIO007", "not_comparable"


class PairClass(StrEnum):
    """The class of an inversion.

    Attributes:
        words: what a sum of pairs says: ``12 across copies of an unrolled loop``.
        code: the code of the rule on these pairs.
        figure: the figure of an audit that counts them, or the ops that cause them.
        follow: the ops that cause them, if the pairs are gone once these follow.
    """

    words: str
    code: str
    figure: str
    follow: Follow | None

    def __new__(cls, name: str, words: str, code: str, figure: str, follow: str = "") -> PairClass:
        """Make one row of the table."""
        one = str.__new__(cls, name)
        one._value_, one.words, one.code, one.figure = name, words, code, figure
        one.follow = Follow(follow) if follow else None
        return one

    # A reorder puts the two back in order, and neither is a hoisted constant or a split.
    OUT_OF_PLACE = "out of place", "out of place", "EIO001", "avoidable_others"
    # The best order found leaves it: an index contradicts dataflow. `fix --relabel` corrects it.
    WRONG_INDEX = "wrong index", "of wrong indices", "EIO003", "wrong_indices"
    # One changes what the other touches, and no value goes from one to the other.
    REVERSED = "reversed dependence", "of reversed dependences", "EIO006", "reversed_dependences"
    # One is a constant, or a split: the pair vanishes if these follow.
    HOISTED_CONSTANT = (
        "hoisted constant",
        "of hoisted constants",
        "EIO004",
        "avoidable_constants",
        "constants",
    )
    SPLIT = "split", "of splits", "EIO005", "avoidable_splits", "splits"
    # The original order does not say how the two should stand.
    TERMINATOR = "terminator", "with a terminator", *_NOT_COMPARABLE
    REGION_OP = "of a region op", "with a piece of a region op", *_NOT_COMPARABLE
    SERVING = "serving", "with a cast, a handle or an allocation", *_NOT_COMPARABLE
    LEFT_REGION = "left a region", "across the border of a region", *_NOT_COMPARABLE
    COPY = "copy", "across copies of an unrolled loop", *_NOT_COMPARABLE

    @property
    def is_comparable(self) -> bool:
        """Whether the original order says which of the two ops comes first."""
        return self.code != _NOT_COMPARABLE[0]

    @property
    def key(self) -> str:
        """Its name in JSON."""
        return self.replace(" ", "_")


SHUFFLED = frozenset({PairClass.OUT_OF_PLACE, PairClass.WRONG_INDEX, PairClass.REVERSED})
"""The classes that fail a gate by default."""
