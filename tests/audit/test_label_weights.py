"""Which labels are more likely to be wrong: those of ops that passes make and move."""

import pytest

from eio_audit import AuditOptions, Gate, read_text
from tests.report.judged import judged
from tests.rules import WRONG_INDEX

OTHER = "ttir.exp"  # an op that computes
LAYOUT = "ttir.permute"
T = "tensor<4xf32>"


def op(name: str, result: str, operand: str, location: str) -> str:
    return f'  {result} = "{name}"({operand}) : ({T}) -> {T} loc({location})'


def wrong(*ops: str, follow: str = "frees") -> list[int]:
    """The lines of the ops whose index is wrong, from 1."""
    body = "\n".join(ops)
    text = f"func.func @f(%a: {T}, %m: memref<4xf32>) {{\n{body}\n  return\n}}\n"
    verdict = judged(read_text(text), AuditOptions(follow=[follow]), Gate((WRONG_INDEX,)))
    return [finding.line - 1 for finding in verdict.findings]


def is_lighter(name: str, other: str) -> bool:
    """Whether the label of an op is the wrong one, whichever of the two uses the other.

    Of equals, it is that of the producer.
    """
    return [
        wrong(op(first, "%0", "%a", '"2|x"'), op(second, "%1", "%0", '"1|y"'))
        for first, second in ((name, other), (other, name))
    ] == [[1], [2]]


@pytest.mark.parametrize(
    "name", ["ttir.permute", "ttir.reshape", "ttir.broadcast", "ttnn.to_layout", "ttnn.typecast"]
)
def test_layout_ops(name: str) -> None:
    assert is_lighter(name, OTHER)
    assert not is_lighter(name, LAYOUT)
    assert not is_lighter(LAYOUT, name)


@pytest.mark.parametrize("name", ["ttir.neg", "ttir.add", "ttir.conv2d", "my.op", "func.call"])
def test_what_computes_weighs_most(name: str) -> None:
    assert is_lighter(LAYOUT, name)
    assert not is_lighter(OTHER, name)
    assert not is_lighter(name, OTHER)


def test_constants() -> None:
    constant = f'  %c = "ttir.constant"() : () -> {T} loc("2|c")'
    assert wrong(constant, op(LAYOUT, "%1", "%c", '"1|y"')) == [1]


@pytest.mark.parametrize(("producer", "light"), [(OTHER, 2), (LAYOUT, 1)])
def test_a_free_of_a_tensor_weighs_what_a_layout_op_does(producer: str, light: int) -> None:
    free = f'  "ttnn.deallocate"(%0) <{{force = false}}> : ({T}) -> () loc("1|d")'
    assert wrong(op(producer, "%0", "%a", '"2|x"'), free, follow="none") == [light]


def test_a_free_of_memory_is_light() -> None:
    use = '  "my.use"(%m) : (memref<4xf32>) -> () loc("2|x")'
    assert wrong(use, '  memref.dealloc %m : memref<4xf32> loc("1|d")', follow="none") == [2]


COPY = '"1|x"'
"""A location that two ops have."""


@pytest.mark.parametrize("name", [OTHER, LAYOUT])
def test_a_derived_op_weighs_least_whatever_it_does(name: str) -> None:
    derived = op(name, "%2", "%1", '"0|y_tm0"("0|y")')
    assert wrong(op(OTHER, "%0", "%a", COPY), op(LAYOUT, "%1", "%a", COPY), derived) == [3]
    assert wrong(op(OTHER, "%0", "%a", COPY), op(LAYOUT, "%1", "%a", '"1|z"'), derived) == [3]


@pytest.mark.parametrize(
    ("first", "location", "last", "light"),
    [
        pytest.param(OTHER, COPY, LAYOUT, 3, id="a layout op has inherited it"),
        pytest.param("ttir.reshape", COPY, LAYOUT, 3, id="so have two"),
        pytest.param(OTHER, '"1|z"', LAYOUT, 2, id="the same index is not the same location"),
    ],
)
def test_a_layout_op_with_the_location_of_another_op(
    first: str, location: str, last: str, light: int
) -> None:
    ops = (
        op(first, "%0", "%a", location),
        op("ttnn.typecast", "%1", "%a", '"2|y"'),
        op(last, "%2", "%1", COPY),
    )
    assert wrong(*ops) == [light]


def test_an_op_that_computes_inherits_no_location() -> None:
    ops = op("ttir.neg", "%0", "%a", COPY), op(OTHER, "%1", "%a", '"2|y"'), op(OTHER, "%2", "%1", COPY)
    assert wrong(*ops) == [2]
