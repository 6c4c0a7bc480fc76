"""A log is read once: how often IR is read for each dump that differs from the one before it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from eio_audit import read, read_text, trace
from eio_audit.audit.programs.scope_text import Recent
from tests.audit.counting import counting
from tests.internals import read_ir
from tests.logs import dump, function, module

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


@pytest.mark.slow
def test_trace_reads_a_state_less_than_twice_on_average() -> None:
    reads, states = map(sum, zip(*map(reads_and_states, LOGS), strict=True))
    assert reads <= 1.5 * states


@pytest.mark.parametrize("log", LOGS[1:], ids=lambda log: f"{log.parent.name}/{log.name}")
def test_trace_reads_no_log_twice(log: Path) -> None:
    reads, states = reads_and_states(log)
    assert reads < 2 * states


def test_a_text_that_comes_again_is_not_read_again() -> None:
    """Two functions change in turn. Each is read once when it changes, and once as it was at first."""
    states = [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4)]
    texts = [module(function("f", first), function("g", second)) for first, second in states]
    with counting(read_ir) as counts:
        trace(read_text("".join(dump("After", f"p{number}", text) for number, text in enumerate(texts))))
    assert counts["read_ir"] == len(texts) + 2


def test_what_was_read_last_is_kept() -> None:
    recent = Recent[int](10)
    for key, size in ((b"a", 4), (b"b", 4), (b"c", 4)):
        recent.add(key, size, size)
    assert [recent.get(key) for key in (b"a", b"b", b"c")] == [None, 4, 4]
    recent.get(b"b")
    recent.add(b"d", 20, 20)
    recent.add(b"e", 1, 1)
    assert [recent.get(key) for key in (b"b", b"c", b"d", b"e")] == [None, None, None, 1]
