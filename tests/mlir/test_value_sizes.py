from pathlib import Path

import pytest

from tests.internals import ValueSize, ValueSizes
from tests.judge import parse
from tests.reading import ir_of
from tests.test_diff_of_forms import FORMS, PROGRAMS, printed

LAYOUT = "#l = #ttnn.ttnn_layout<(d0) -> (d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>>\n"


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("tensor<1x64x112x112xbf16, #l>", 1_605_632),
        ("tensor<f32>", 4),
        ("tensor<0x4xf32>", 0),
        ("tensor<4xf8E4M3FN>", 4),
        ("tensor<4xtf32>", 16),
        ("tensor<3xi1>", 3),
        ("tensor<3xsi64>", 24),
        ("tensor<3xindex>", 24),
        ("tensor<2xcomplex<f32>>", 16),
        ("tensor<4x?xf32>", None),
        ("tensor<*xf32>", None),
        ("tensor<4x!quant.uniform<i8:f32, 1.0>>", None),
        ("tensor<4x!t>", None),
        ("memref<4x4xf32, strided<[4, 1], offset: ?>>", 64),
        ("memref<2xvector<4xf32>>", 32),
        ("memref<2x2x!ttcore.tile<32x32, f32>, #ttcore.memory_space<l1>>", 16_384),
        ("tensor<32x32x!ttcore.tile<32x32, bfp_bf8>, #l>", 1_088),
        ("tensor<32x32x!ttcore.tile<32x32, u16>, #l>", 2_048),
        ("tensor<1x1x!ttcore.tile<32x32, bfp_bf4>, #other>", 576),
        ("tuple<tensor<4xf32>, tensor<2xi64>>", 32),
        ("tuple<tensor<4xf32>, tensor<?xi64>>", None),
        ("vector<4xf32>", 0),
        ("i32", 0),
        ("!ttnn.device", 0),
        ("!t", 32),
        ("!loop", None),
        ("!my.type", None),
    ],
)
def test_the_size_of_a_type(type_: str, expected: int | None) -> None:
    ir = ir_of(LAYOUT + '!t = tensor<8xf32>\n!loop = !loop\n"my.op"() : () -> ()')
    assert ValueSizes(ir).of_type(type_.encode()).bytes == expected


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ('%0 = "a.b"(%b) {s = "() -> i1"} : (tensor<4xf32>) -> tensor<2xf32> loc("x")', [8]),
        ('%0:2 = "a.b"(%b) : (tensor<4xf32>) -> (tensor<2xf32>, i32)', [8, 0]),
        ('%0 = "a.b"(%b) ({ "a.c"() : () -> () }) : (tensor<4xf32>) -> tensor<2xf32> loc(#l)', [8]),
        ("%0 = arith.addf %b, %b : tensor<4xf32>", [16]),
        ("%0:2 = a.two %b : tensor<4xf32>", [16, 16]),
        ("%0 = memref.alloc() : memref<4xf32>", [16]),
        ("%0 = tensor.cast %b : tensor<4xf32> to tensor<?xf32>", [None]),
        ("%0 = func.call @g(%b) : (tensor<4xf32>) -> tensor<16xf32>", [64]),
        ("%0:2 = func.call @g(%b) : (tensor<4xf32>) -> (tensor<1xf32>, i32)", [4, 0]),
        ("%0 = scf.if %c -> (tensor<4xf64>) {\nscf.yield %b : tensor<4xf64>\n}", [32]),
        ("%0 = a.select %c, %b : i1, tensor<4xf32>", [None]),
        ("%0 = tensor.extract %b[%c] : tensor<4xf32>", [0]),
        ("%0 = tensor.dim %b, %c : tensor<4xf32>", [0]),
        ("%0 = arith.cmpf ogt, %b, %b : tensor<4xf32>", [4]),
        ("%0 = arith.constant true", [0]),
        ("%0 = linalg.exp ins(%b : tensor<4xf32>) outs(%b : tensor<8xf32>)", [32]),
        (
            "%0 = linalg.reduce { arith.addf } ins(%b : tensor<4xf32>) outs(%b : tensor<f32>) dimensions = [0]",
            [4],
        ),
        ("%0 = vector.transfer_read %b[%c], %c : tensor<4xf32>, vector<4xf32>", [0]),
        (
            "%0 = scf.for %i = %c to %c step %c iter_args(%a = %b) -> (tensor<4xf32>)  : i32 {\nscf.yield %a : tensor<4xf32>\n}",
            [16],
        ),
        (
            "%0 = ttcore.load_cached(@f, [%b]) : (tensor<16xbf16, #ttnn.ttnn_layout<(d0) -> (d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>) -> tensor<1x16xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>",
            [32],
        ),
        ("%0 = a.constant", [None]),
        ('"a.b"(%b) : (tensor<4xf32>) -> ()', []),
    ],
)
def test_the_sizes_of_results(op: str, expected: list[int | None]) -> None:
    ir = ir_of(f"func.func @f(%b: tensor<4xf32>, %c: i1) {{\n{op}\nreturn\n}}")
    assert [size.bytes for size in ValueSizes(ir).of_results(1)] == expected


def test_the_sizes_of_arguments() -> None:
    header = 'func.func @f(%a: tensor<4xf32> {x = "tensor<9xf32>"} loc("a"), %m: memref<2xf32>, %i: i32)'
    ir = ir_of(f'{header} {{\n"my.op"(%a) : (tensor<4xf32>) -> ()\nreturn\n}}')
    block = ir.op_block[1]
    assert list(ValueSizes(ir).of_arguments(block)) == [
        ValueSize(16),
        ValueSize(8, is_address=True),
        ValueSize(0),
    ]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_has_the_same_sizes_in_every_form(path: Path) -> None:
    module = parse(path.read_text())
    first, *others = [sizes_in_functions(printed(module, form, locations=False)) for form in FORMS]
    assert first
    assert all(sizes == first for sizes in others)


def sizes_in_functions(text: str) -> list[list[int | None]]:
    """Return the sizes of the results of each op directly in a function, where every form shows the same ops."""
    ir = ir_of(text)
    sizes = ValueSizes(ir)
    return [
        [size.bytes for size in sizes.of_results(op)]
        for op in range(len(ir))
        if (holder := ir.parent_op(ir.op_block[op])) >= 0 and ir.name(holder) == "func.func"
        if ir.result_count(op)
    ]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("scf.for %i = %c to %c step %c iter_args(%a = %t) -> (tensor<4xf32>) {{ {use} scf.yield %a : tensor<4xf32> }}", [0, 16]),
        ("affine.for %i = 0 to 4 iter_args(%a = %t) -> (tensor<4xf32>) {{ {use} affine.yield %a : tensor<4xf32> }}", [0, 16]),
        ("scf.parallel (%i) = (%c) to (%c) step (%c) {{ {use} scf.reduce }}", [0]),
        ("my.loop %i = %t {{ {use} my.end }}", [16]),
        ("my.with %t as %i {{ {use} my.end }}", [None]),
    ],
)  # fmt: skip
def test_the_size_of_an_argument_that_shows_no_type(program: str, expected: list[int | None]) -> None:
    body = program.format(use='"my.use"(%i) : (index) -> ()\n')
    ir = ir_of(f"func.func @f(%t: tensor<4xf32>, %c: index) {{\n%0 = {body}\nreturn\n}}\n")
    block = next(block for block, ops in enumerate(ir.block_ops) if ir.name(ops[0]) == "my.use")
    assert [size.bytes for size in ValueSizes(ir).of_arguments(block)] == expected


def test_ops_of_one_function_type_share_its_sizes_unless_their_results_differ_in_number() -> None:
    t = "tensor<4xf32>"
    ops = [
        f'%0 = "a.b"() : () -> {t} loc("1|x")',
        f'%1 = "a.c"() : () -> {t} loc("2|x")',
        f'"a.d"() : () -> {t} loc("3|x")',  # a result without a name
        f'%2:2 = "a.b"(%0) : ({t}) -> ({t}, tensor<?xf32>)',
        f'%3 = "a.b"() ({{\n}}) : () -> {t} loc("4|x")',
    ]
    ir = ir_of("\n".join(ops))
    sizes = ValueSizes(ir)
    assert list(sizes.of_each(range(len(ir)))) == [ValueSizes(ir).of_results(op) for op in range(len(ir))]
    assert [[size.bytes for size in of_op] for of_op in sizes.of_each([0, 1, 3, 4])] == [
        [16],
        [16],
        [16, None],
        [16],
    ]
