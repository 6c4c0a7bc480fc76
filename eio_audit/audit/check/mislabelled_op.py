"""The ops whose index contradicts the dataflow."""

from __future__ import annotations

from dataclasses import dataclass

from eio_audit.audit.op_label import OpLabel


@dataclass(frozen=True, slots=True)
class MislabelledOp:
    """An op whose index is wrong: one of a set of least weight whose indices contradict the dependences.

    Attributes:
        op: which, with the index that it carries.
        right: the op whose index it should carry: of those that depend on it and keep theirs, the one of the
            smallest; without such, of those that it depends on, the one of the largest.
        inversions: how many inversions it is an end of.
    """

    op: OpLabel
    right: OpLabel
    inversions: int
