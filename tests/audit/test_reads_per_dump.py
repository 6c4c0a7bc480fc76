"""A log is read once: how often IR is read for each dump that differs from the one before it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from eio_audit import read, trace
from tests.audit.counting import counting
from tests.internals import read_ir

CLONE = Path(__file__).parent.parent.parent
LOGS = [
    CLONE / "tests" / "data" / "blame" / "bert.log.xz",
    CLONE / "tests" / "data" / "blame" / "scf_lift.log",
    CLONE / "tests" / "data" / "blame" / "to_llvm.log",
    CLONE / "sample_irs" / "encoder" / "all_passes_alias.log",
    CLONE / "sample_irs" / "mlir_opt" / "passes.log",
    CLONE / "sample_irs" / "resnet" / "all_passes_alias.log",
]


def reads_and_states(log: Path) -> tuple[int, int]:
    """Return how often ``trace`` reads IR of a log, and how many of its dumps differ from the one before."""
    dumps = list(read(log))
    with counting(read_ir) as counts:
        trace(dumps)
    same = sum(1 for before, dump in pairwise(dumps) if dump.has_text_of(before))
    return counts["read_ir"], len(dumps) - same


def test_trace_reads_a_state_less_than_twice_on_average() -> None:
    reads, states = map(sum, zip(*map(reads_and_states, LOGS), strict=True))
    assert reads <= 1.75 * states


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_trace_reads_no_log_twice(log: Path) -> None:
    reads, states = reads_and_states(log)
    assert reads < 2 * states
