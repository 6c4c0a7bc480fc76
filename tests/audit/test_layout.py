"""Which ops rearrange a tensor, how, and which undo each other."""

import pytest

from eio_audit import Diff, diff, read_text


def compared(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def pairs(body: str) -> list[tuple[int, int, int]]:
    """Inverse pairs by line of the body, from 0, and the elementwise ops between."""
    lines = "\n".join(body.strip().split("\n"))
    text = f"func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {{\n{lines}\n  return\n}}\n"
    found = compared(text, text).inverse_ops.remaining
    return [(pair.first.op.line - 2, pair.second.op.line - 2, pair.between) for pair in found]


PERMUTE = '"ttir.permute"(%{0}) <{{permutation = array<i64: 1, 0>}}> : (tensor<{1}xf32>) -> tensor<{2}xf32>'
RESHAPE = '"ttir.reshape"(%{0}) <{{shape = [{3}]}}> : (tensor<{1}xf32>) -> tensor<{2}xf32>'


@pytest.mark.parametrize(
    ("op", "does"),
    [
        (
            '"ttir.permute"(%a) <{permutation = array<i64: 0, 2, 1>}> : (tensor<1x2x3xf32>) -> tensor<1x3x2xf32>',
            "[0, 2, 1]",
        ),
        (
            '"ttir.transpose"(%a) <{dim0 = -1 : si32, dim1 = 0 : si32}> : (tensor<1x2x3xf32>) -> tensor<3x2x1xf32>',
            "[2, 1, 0]",
        ),
        ("stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>", "[1, 0]"),
        (
            '"stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>',
            "[1, 0]",
        ),
        ("tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>", "[1, 0]"),
        (
            "linalg.transpose ins(%a : tensor<2x3xf32>) outs(%a : tensor<3x2xf32>) permutation = [1, 0]",
            "[1, 0]",
        ),
        ("vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>", "[1, 0]"),
        (
            '"ttir.reshape"(%a) <{shape = [6 : i32]}> : (tensor<2x3xf32>) -> tensor<6xf32>',
            "2x3 -> 6",
        ),
        (
            "tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>",
            "2x3 -> 6",
        ),
        ("stablehlo.reshape %a : (tensor<2x?xf32>) -> tensor<?xf32>", "2x? -> ?"),
        ("stablehlo.reshape %a : (tensor<1xf32>) -> tensor<f32>", "1 -> scalar"),
        ("stablehlo.reshape %a : (tensor<*xf32>) -> tensor<f32>", "* -> scalar"),
        ("stablehlo.transpose %a, dims = [] : (tensor<f32>) -> tensor<f32>", "[]"),
    ],
)
def test_what_an_op_does(op: str, does: str) -> None:
    before = f"func.func @f(%a: i32) {{\n  %0 = {op}\n  return\n}}\n"
    [gone] = compared(before, "func.func @f(%a: i32) {\n  return\n}\n").inverse_ops.gone
    assert str(gone.does) == does


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n%1 = {PERMUTE.format('0', '3x2', '2x3')}",
            [(0, 1, 0)],
            id="transposed-twice",
        ),
        pytest.param(
            f"%0 = {RESHAPE.format('a', '2x3', '6', 6)}\n%1 = {RESHAPE.format('0', '6', '2x3', '2, 3')}",
            [(0, 1, 0)],
            id="reshaped-back",
        ),
        pytest.param(
            f"%0 = {RESHAPE.format('a', '2x3', '6', 6)}\n%1 = {RESHAPE.format('0', '6', '3x2', '3, 2')}",
            [],
            id="reshaped-to-another-shape",
        ),
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n%1 = math.exp %0 : tensor<3x2xf32>\n"
            "%2 = arith.addf %1, %1 : tensor<3x2xf32>\n"
            f"%3 = {PERMUTE.format('2', '3x2', '2x3')}",
            [(0, 3, 2)],
            id="elementwise-between",
        ),
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n"
            '%1 = "ttir.matmul"(%0, %a) : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>\n'
            f"%2 = {PERMUTE.format('1', '3x3', '3x3')}",
            [],
            id="matmul-between",
        ),
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n%1 = {RESHAPE.format('0', '3x2', '6', 6)}\n"
            f"%2 = {RESHAPE.format('1', '6', '3x2', '3, 2')}\n%3 = {PERMUTE.format('2', '3x2', '2x3')}",
            [(1, 2, 0), (0, 3, 0)],
            id="around-another-pair",
        ),
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n%1 = {PERMUTE.format('0', '3x2', '2x3')}\n"
            f"%2 = {PERMUTE.format('1', '2x3', '3x2')}",
            [(0, 1, 0)],
            id="three-in-a-row",
        ),
        pytest.param(
            f"%0 = {PERMUTE.format('a', '2x3', '3x2')}\n%1 = {PERMUTE.format('0', '3x2', '2x3')}\n"
            f"%2 = {PERMUTE.format('0', '3x2', '2x3')}",
            [(0, 1, 0), (0, 2, 0)],
            id="two-undo-one",
        ),
        pytest.param(
            '%0 = "ttir.permute"(%a) <{permutation = array<i64: 1, 2, 0>}> : (tensor<1x2x3xf32>) -> tensor<2x3x1xf32>\n'
            '%1 = "ttir.permute"(%0) <{permutation = array<i64: 1, 2, 0>}> : (tensor<2x3x1xf32>) -> tensor<3x1x2xf32>\n'
            '%2 = "ttir.permute"(%0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x1xf32>) -> tensor<1x2x3xf32>',
            [(0, 2, 0)],
            id="only-the-inverse-permutation",
        ),
        pytest.param(
            '%0 = "stablehlo.reshape"(%a) : (tensor<?x3xf32>) -> tensor<?xf32>\n'
            '%1 = "stablehlo.reshape"(%0) : (tensor<?xf32>) -> tensor<?x3xf32>',
            [],
            id="unknown-shapes-prove-nothing",
        ),
    ],
)
def test_inverse_pairs(body: str, expected: list[tuple[int, int, int]]) -> None:
    assert pairs(body) == expected


def test_a_reshape_to_an_unknown_rank_has_no_inverse() -> None:
    there, back = RESHAPE.format("a", "2x3", "*", ""), RESHAPE.format("0", "*", "2x3", "")
    assert pairs(f"  %0 = {there}\n  %1 = {back}") == []


def test_a_reshape_to_a_scalar_and_back_is_an_inverse_pair() -> None:
    there, back = (
        RESHAPE.format("a", "1", "", "").replace("<xf32>", "<f32>"),
        '"ttir.reshape"(%0) : (tensor<f32>) -> tensor<1xf32>',
    )
    assert pairs(f"  %0 = {there}\n  %1 = {back}") == [(0, 1, 0)]
