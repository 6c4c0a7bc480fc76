"""MLIR itself judges what is written."""

from pathlib import Path

import pytest

from eio_audit import Source, fix, read_text
from eio_audit.audit.check import audit_dump
from eio_audit.mlir.writer import reorder
from tests.judge import same_program
from tests.test_samples import DUMP_FILES, SAMPLES

LOOPS = Path(__file__).parent / "data" / "shuffled_loops.mlir"


@pytest.mark.parametrize("path", DUMP_FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_every_fixed_sample_is_the_same_program(path: Path) -> None:
    for dump in read_text(path.read_bytes(), path.name):
        before = Source(path.name, dump.source.data[dump.span.start : dump.span.end])
        after = fix(read_text(before.data)).text
        assert same_program(before.data.decode(), after.decode())


def test_a_fixed_program_with_memory_loops_and_branches() -> None:
    text = LOOPS.read_text()
    result = fix(read_text(text))
    assert (result.before.inversions, result.before.minimum) == (11, 3)
    assert same_program(text, result.text.decode())


@pytest.mark.parametrize(
    ("block", "order"),
    [
        (1, [0, 1, 3, 2, 4, 5, 6, 7]),  # a store behind the load that followed it
        (1, [0, 1, 2, 3, 5, 4, 6, 7]),  # the loop, which stores, before another store
    ],
)
def test_the_judge_sees_a_wrong_order(block: int, order: list[int]) -> None:
    text = LOOPS.read_text()
    wrong = reorder(audit_dump(read_text(text)[0]).ir, {block: order})
    assert not same_program(text, wrong.decode())


def test_the_judge_sees_another_operand() -> None:
    text = LOOPS.read_text()
    assert not same_program(text, text.replace("arith.addf %x, %y", "arith.addf %y, %x"))
