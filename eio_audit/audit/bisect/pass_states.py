"""The states of one pass, as a log and as the steps that ``diff/advice.py`` follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from eio_audit.audit.diff.advice import PassFlow
from eio_audit.audit.diff.homes import State
from eio_audit.audit.diff.made_ops import PassStep, Root
from eio_audit.audit.log.program_log import ProgramLog
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
    log, remaining = ProgramLog(options), iter(dumps)
    first = log.compared(next(remaining), ()).new
    assert first is not None

    def steps() -> Iterator[PassStep]:
        for dump, root in zip(remaining, roots, strict=True):
            found = log.compared(dump, ())
            if found.old is None or found.new is None:
                yield PassStep(None, root=root)
            else:
                numbers, is_whole = (found.old.numbers, found.new.numbers), [*roots] == [None]
                yield PassStep(found.comparison, *numbers, found.origins, root, is_whole)

    return PassFlow(State(first.ops, first.numbers), steps())


def write_log(path: Path, pass_name: str, steps: Iterable[str], states: Iterable[bytes]) -> None:
    """Write the log: the text of the state before the pass, then after each of its steps."""
    moments = [f"Before {pass_name} ({pass_name})", *(f"After {step}" for step in steps)]
    with path.open("wb") as file:
        for moment, text in zip(moments, states, strict=True):
            file.write(f"// -----// IR Dump {moment} //----- //\n".encode() + text.strip() + b"\n\n")
