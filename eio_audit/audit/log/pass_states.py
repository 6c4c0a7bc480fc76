"""The states of one pass as the steps that ``diff/advice.py`` follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eio_audit.audit.diff.advice import PassFlow
from eio_audit.audit.diff.homes import State
from eio_audit.audit.diff.made_ops import PassStep, Root
from eio_audit.audit.log.scope_steps import ScopeSteps
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump


def flow_of(dumps: Iterable[Dump], roots: Sequence[Root | None], options: AuditOptions) -> PassFlow:
    """Return the labels and places of the ops through the states of a pass.

    Args:
        dumps: the state before the pass, and after each step.
        roots: by step, the op that a pattern was applied to; None if it is not an application, or not known.
            The first step is what the pass does without patterns.
        options: how the states are read.
    """
    compared, remaining = ScopeSteps(options), iter(dumps)
    first = compared.take(compared.show(next(remaining)), ()).new
    assert first is not None

    def steps() -> Iterator[PassStep]:
        for dump, root in zip(remaining, roots, strict=True):
            found = compared.take(compared.show(dump), ())
            if found.old is None or found.new is None:
                yield PassStep(None, root=root)
            else:
                numbers = found.old.numbers, found.new.numbers
                yield PassStep(found.comparison, *numbers, found.origins, root, is_whole=len(roots) == 1)

    return PassFlow(State(first.ops, first.numbers), steps())
