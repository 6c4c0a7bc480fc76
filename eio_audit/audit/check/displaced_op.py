"""Displaced ops and ops with a wrong index, as reports describe them."""

from __future__ import annotations

from typing import NamedTuple

from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.op_label import OpLabel


class Blocker(NamedTuple):
    """The op that keeps a displaced op from moving, and the kind of dependence between the two."""

    op: OpLabel
    kind: DependenceKind

    def shifted(self, lines: int) -> Blocker:
        """Return the same op, a number of lines further down."""
        return self._replace(op=self.op.shifted(lines))


class DisplacedOp(NamedTuple):
    """A member of a smallest set of ops whose removal leaves the block in order.

    Attributes:
        inversions: how many inversions it is in.
        early: whether it is before ops with smaller indices; otherwise it is after ops with larger indices.
        derived: whether a pass made it from the op whose index it carries.
        blocker: the direct user that needs it early, or the direct producer that keeps it late. None if a fix
            can move it.
    """

    op: OpLabel
    inversions: int
    early: bool
    derived: bool
    blocker: Blocker | None

    def shifted(self, lines: int) -> DisplacedOp:
        """Return the same op, a number of lines further down."""
        blocker = self.blocker and self.blocker.shifted(lines)
        return self._replace(op=self.op.shifted(lines), blocker=blocker)


class MislabelledOp(NamedTuple):
    """An op with a wrong index: a member of a set of least weight whose indices contradict the dependences.

    Attributes:
        op: the op, with the index that it carries.
        right: the op whose index it should carry: of the ops that depend on it and keep their index, the one
            with the smallest index. If there are none: of the ops it depends on, the one with the largest.
        inversions: how many inversions it is in.
    """

    op: OpLabel
    right: OpLabel
    inversions: int

    def shifted(self, lines: int) -> MislabelledOp:
        """Return the same op, a number of lines further down."""
        return self._replace(op=self.op.shifted(lines), right=self.right.shifted(lines))
