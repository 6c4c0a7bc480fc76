"""The ops that are out of place."""

from __future__ import annotations

from dataclasses import dataclass

from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.op_label import OpLabel


@dataclass(frozen=True, slots=True)
class Hold:
    """The dependence that keeps a displaced op where it stands."""

    op: OpLabel
    kind: DependenceKind


@dataclass(frozen=True, slots=True)
class DisplacedOp:
    """A member of a smallest set of ops whose removal leaves the block in order.

    Attributes:
        op: which.
        inversions: how many inversions it is an end of.
        early: it stands before ops of smaller index; otherwise it stands behind ops of larger index.
        derived: a pass made it from the op whose index it carries.
        hold: the direct user that needs it early, or the direct producer that keeps it late; None
            where nothing does, so that a fix can move it.
    """

    op: OpLabel
    inversions: int
    early: bool
    derived: bool
    hold: Hold | None
