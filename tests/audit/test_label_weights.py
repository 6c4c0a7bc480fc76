"""Which labels are more likely to be wrong: those of ops that passes make and move."""

import pytest

from eio_audit import read_text
from tests.internals import DERIVED, INHERITED, LAYOUT, OTHER, KeyedBlock, LabelWeights, audit_dump


def weights(*ops: str) -> list[int]:
    """Of the ops of a function, its terminator left out."""
    body = "".join(f"  {op}\n" for op in ops)
    [dump] = read_text(f"func.func @f(%a: tensor<4xf32>, %m: memref<4xf32>) {{\n{body}  return\n}}\n")
    audited = audit_dump(dump)
    [number] = audited.blocks
    return list(LabelWeights(audited.ir).of(KeyedBlock(audited, number)))[:-1]


def op(name: str, location: str = '"1|x"') -> str:
    return f'"{name}"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc({location})'


@pytest.mark.parametrize(
    "name", ["ttir.permute", "ttir.reshape", "ttir.broadcast", "ttnn.to_layout", "ttnn.typecast"]
)
def test_layout_ops(name: str) -> None:
    assert weights(op(name)) == [LAYOUT]


@pytest.mark.parametrize("name", ["ttir.exp", "ttir.add", "ttir.conv2d", "my.op", "func.call"])
def test_what_computes_weighs_most(name: str) -> None:
    assert weights(op(name)) == [OTHER]


def test_constants_and_frees() -> None:
    constant = '"ttir.constant"() : () -> tensor<4xf32> loc("1|c")'
    tensor_free = '"ttnn.deallocate"(%a) <{force = false}> : (tensor<4xf32>) -> () loc("2|d")'
    memory_free = 'memref.dealloc %m : memref<4xf32> loc("3|d")'
    assert weights(constant, tensor_free, memory_free) == [LAYOUT, LAYOUT, LAYOUT]


def test_a_derived_op_weighs_least_whatever_it_does() -> None:
    derived = '"1|x_tm0"("1|x")'
    assert weights(op("ttir.permute", derived), op("ttir.exp", derived)) == [DERIVED, DERIVED]


def test_a_layout_op_with_the_location_of_another_op_inherited_it() -> None:
    assert weights(op("ttir.permute"), op("ttir.exp")) == [INHERITED, OTHER]
    assert weights(op("ttir.permute"), op("ttir.reshape")) == [INHERITED, INHERITED]
    assert weights(op("ttir.exp"), op("ttir.neg")) == [OTHER, OTHER]


def test_the_same_index_is_not_the_same_location() -> None:
    assert weights(op("ttir.permute", '"1|x"'), op("ttir.exp", '"1|y"')) == [LAYOUT, OTHER]


def test_the_order_of_weights() -> None:
    assert DERIVED < INHERITED < LAYOUT < OTHER
