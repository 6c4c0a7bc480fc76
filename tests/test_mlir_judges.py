"""MLIR itself judges what is written."""

from pathlib import Path

import pytest

from eio_audit import Dump, check, fix, read_text
from tests.internals import Source, audit_dump, in_orders
from tests.judge import same_program
from tests.test_samples import DUMP_FILES, MLIR_FILES, SAMPLES

LOOPS = Path(__file__).parent / "data" / "shuffled_loops.mlir"


@pytest.mark.parametrize("path", DUMP_FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_every_fixed_sample_is_the_same_program(path: Path) -> None:
    for dump in read_text(path.read_bytes(), path.name):
        before = Source(path.name, dump.source.data[dump.span.start : dump.span.end])
        after = fix(read_text(before.data)).text
        assert same_program(before.data.decode(), after.decode())


@pytest.mark.parametrize(
    ("path", "form"),
    [(path, "nested") for path in MLIR_FILES]
    + [
        pytest.param(path, "flat", marks=[] if path.parent.name == "small" else pytest.mark.slow)
        for path in DUMP_FILES
    ],
    ids=lambda it: str(it.relative_to(SAMPLES) if isinstance(it, Path) else it),
)
def test_every_relabelled_sample_is_the_same_program_but_for_locations(path: Path, form: str) -> None:
    dumps = read_text(path.read_bytes(), path.name)
    after = fix(dumps, relabel=form).text
    relabelled = read_text(after)
    assert check(relabelled).summary.inversions == 0
    assert fix(relabelled, relabel=form).text == after
    texts = {(_text(old), _text(new)) for old, new in zip(dumps, relabelled, strict=True)}
    for old_text, new_text in texts:
        assert old_text == new_text or same_program(old_text, new_text, but_for_locations=True)


def _text(dump: Dump) -> str:
    return dump.source.data[dump.span.start : dump.span.end].decode()


def test_the_judge_sees_another_location_unless_told_otherwise() -> None:
    one, other = (f'"t.a"() : () -> () loc("{name}")' for name in "xy")
    assert not same_program(one, other)
    assert same_program(one, other, but_for_locations=True)


def test_a_fixed_program_with_memory_loops_and_branches() -> None:
    text = LOOPS.read_text()
    result = fix(read_text(text))
    assert (result.before.inversions, result.before.minimum) == (11, 3)
    assert same_program(text, result.text.decode())


@pytest.mark.parametrize(
    ("block", "order"),
    [
        (1, [0, 1, 3, 2, 4, 5, 6, 7]),  # a store after the load that followed it
        (1, [0, 1, 2, 3, 5, 4, 6, 7]),  # the loop, which stores, before another store
    ],
)
def test_the_judge_sees_a_wrong_order(block: int, order: list[int]) -> None:
    text = LOOPS.read_text()
    wrong = in_orders(audit_dump(read_text(text)[0]).ir, {block: order})
    assert not same_program(text, wrong.decode())


def test_the_judge_sees_another_operand() -> None:
    text = LOOPS.read_text()
    assert not same_program(text, text.replace("arith.addf %x, %y", "arith.addf %y, %x"))
