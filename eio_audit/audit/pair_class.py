"""The classes of inversions: why a pair of ops is out of order, and what a gate makes of it.

A new class is one more row of ``PairClass``, and the code that finds its pairs: a step of
``check/comparison.py`` if the original order does not say how the two should stand.
"""

from __future__ import annotations

from enum import StrEnum

from eio_audit.audit.options import Follow


class PairClass(StrEnum):
    """The class of an inversion.

    Attributes:
        words: what a sum of pairs says: ``12 pairs across copies of an unrolled loop``.
        code: the code of the rule on these pairs.
        fails: whether they fail a gate by default.
        is_comparable: whether the original order says which of the two ops comes first.
        follow: the ops that cause them, if the pairs are gone once these follow.
    """

    words: str
    code: str
    fails: bool
    is_comparable: bool
    follow: Follow | None

    def __new__(
        cls,
        name: str,
        words: str,
        code: str = "EIO007",
        *flags: str,
        follow: Follow | None = None,
    ) -> PairClass:
        """Make one row of the table."""
        one = str.__new__(cls, name)
        one._value_ = name
        one.words, one.code = words, code
        one.fails, one.is_comparable = "fails" in flags, code != "EIO007"
        one.follow = next((sort for sort in Follow if sort in flags), None)
        return one

    # A reorder puts the two back in order, and neither is a hoisted constant or a split.
    OUT_OF_PLACE = "out of place", "out of place", "EIO001", "fails"
    # The best order found leaves it: an index contradicts dataflow. `fix --relabel` corrects it.
    WRONG_INDEX = "wrong index", "of wrong indices", "EIO003", "fails"
    # The two touch one resource, one of them changes it, and no value goes from one to the other.
    REVERSED = "reversed dependence", "of reversed dependences", "EIO006", "fails"
    # One is a constant, or a split: the pair vanishes if these follow.
    HOISTED_CONSTANT = "hoisted constant", "of hoisted constants", "EIO004", Follow.CONSTANTS
    SPLIT = "split", "of splits", "EIO005", Follow.SPLITS
    # The original order does not say how the two should stand.
    TERMINATOR = "terminator", "with a terminator"
    REGION_OP = "of a region op", "with a piece of a region op"
    SERVING = "serving", "with a cast, a handle or an allocation, which follows what it serves"
    LEFT_REGION = "left a region", "of an op that left a region"
    COPY = "copy", "across copies of an unrolled loop"
