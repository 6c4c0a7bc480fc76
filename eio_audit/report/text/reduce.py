"""A reduction, as text."""

from __future__ import annotations

from eio_audit.audit.reduce.reduce import Reduction
from eio_audit.report.text.console import Console, print_next
from eio_audit.report.wording import reduce


def print_reduction(result: Reduction, console: Console) -> None:
    """Print what stays true, how small the program is, and what to type next."""
    console.print(result.property)
    console.print((reduce.verdict(result), "bold"))
    if said := reduce.effort(result):
        console.print((said, "dim"))
    print_next(reduce.next_steps(result), console)
