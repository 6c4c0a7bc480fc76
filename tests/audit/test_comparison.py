"""Which pairs of ops the original order does not compare, and which pairs reverse a dependence."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eio_audit import Summary, check, fix, read_text


def figures(*lines: str, arguments: str = "%a: f32, %i: index, %c: i1, %m: memref<4xf32>") -> Summary:
    body = "\n".join(lines)
    return check(read_text(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}\n")).summary


def add(index: int, name: str = "addf") -> str:
    return f'%v{index}_{name} = arith.{name} %a, %a : f32 loc("{index}|x")'


def loop(index: int, *body: str) -> tuple[str, ...]:
    return ("scf.for %k = %i to %i step %i {", *body, f'}} loc("{index}|x")')


def run(*ops: tuple[int, str], copy: int = 0) -> list[str]:
    return [f'%c{copy}_{index} = arith.{name} %a, %a : f32 loc("{index}|x")' for index, name in ops]


LOAD = '%x = memref.load %m[%i] : memref<4xf32> loc("{}|x")'
STORE = 'memref.store %a, %m[%i] : memref<4xf32> loc("{}|x")'
BODY = ((5, "addf"), (6, "mulf"), (7, "subf"))


def test_an_op_that_left_a_loop_is_not_compared_with_it() -> None:
    found = figures(add(2), *loop(1, add(3)))
    assert (found.inversions, found.not_comparable) == (1, {"left a region": 1})


def test_an_op_that_was_sunk_out_of_a_loop_is_in_order() -> None:
    assert figures(*loop(1, add(3)), add(2)).inversions == 0


def test_what_left_a_loop_is_compared_with_all_else() -> None:
    assert figures(add(3), add(2), *loop(1, add(4))).avoidable_others == 1


def test_the_last_op_of_a_loop_is_not_in_its_range_when_it_has_left() -> None:
    assert figures(add(4), *loop(1, add(3))).avoidable_others == 1


def test_an_op_with_the_index_of_the_loop_around_it_has_no_place() -> None:
    found = figures(*loop(1, add(2), add(1)))
    assert (found.inversions, found.not_comparable) == (1, {"of a region op": 1})


def test_the_pieces_of_a_lowered_loop_have_no_place_in_later_blocks() -> None:
    found = figures('cf.br ^b loc("1|x")', "^b:", add(2), add(1))
    assert (found.inversions, found.not_comparable) == (1, {"of a region op": 1})


def test_an_op_with_the_index_of_any_other_op_in_an_earlier_block_is_out_of_place() -> None:
    assert figures(add(1), 'cf.br ^b loc("3|x")', "^b:", add(2), add(1, "mulf")).avoidable_others == 1


def test_the_ops_of_a_second_copy_of_a_loop_keep_their_places() -> None:
    second = add(3, "mulf"), add(2, "mulf")
    assert figures(*loop(1, add(2), add(3)), *loop(1, *second)).avoidable_others == 1


def test_a_terminator_stands_last() -> None:
    found = check(
        read_text('func.func @f(%a: f32) {\n%0 = arith.negf %a : f32 loc("2|x")\nreturn loc("1|x")\n}')
    )
    assert (found.summary.inversions, found.summary.not_comparable) == (1, {"terminator": 1})


@pytest.mark.parametrize(
    "op",
    [
        "%0 = builtin.unrealized_conversion_cast %a : f32 to i32",
        "%0 = memref.cast %m : memref<4xf32> to memref<?xf32>",
        "%0 = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>",
    ],
)
def test_a_cast_follows_what_it_serves(op: str) -> None:
    found = figures(f'{op} loc("2|x")', add(1))
    assert (found.inversions, found.not_comparable) == (1, {"serving": 1})


@pytest.mark.parametrize(("index", "packs"), [(3, True), (2, False)])
def test_what_packs_a_descriptor_follows_what_it_serves_if_it_has_one_index(index: int, packs: bool) -> None:
    found = figures(
        f'%0 = llvm.insertvalue %a, %s[0] : !llvm.struct<(f32, f32)> loc("{index}|x")',
        '%1 = llvm.insertvalue %a, %0[1] : !llvm.struct<(f32, f32)> loc("3|x")',
        add(1),
        arguments="%a: f32, %s: !llvm.struct<(f32, f32)>",
    )
    assert (found.inversions, found.not_compared) == (2, 2 if packs else 0)
    assert (found.avoidable_others > 0) != packs


@pytest.mark.parametrize("op", ["memref.alloc() : memref<4xf32>", "tensor.empty() : tensor<4xf32>"])
def test_an_allocation_without_operands_is_told_apart_as_a_constant(op: str) -> None:
    found = figures(f'%0 = {op} loc("2|x")', add(1))
    assert (found.avoidable, found.avoidable_constants) == (1, 1)


def test_the_index_of_an_allocation_is_never_wrong() -> None:
    found = figures(
        '%0 = memref.alloc() : memref<4xf32> loc("2|x")',
        'memref.store %a, %0[%i] : memref<4xf32> loc("1|x")',
    )
    assert (found.wrong_indices, found.not_comparable) == (0, {"serving": 1})


def test_copies_of_a_run_are_not_compared() -> None:
    found = figures(*run(*BODY), *run(*BODY, copy=1), *run(*BODY, copy=2))
    assert (found.inversions, found.not_comparable) == (9, {"copy": 9})


def test_a_copy_may_lack_what_was_merged() -> None:
    found = figures(*run(*BODY), *run(BODY[0], BODY[2], copy=1))
    assert found.inversions == found.not_compared == 2


def test_a_single_op_with_a_twin_is_no_copy() -> None:
    assert figures(*run(*BODY), *run(BODY[1], copy=1)).avoidable_others == 1


def test_the_same_indices_with_other_names_are_no_copy() -> None:
    other = [(index, "divf") for index, _ in BODY]
    assert figures(*run(*BODY), *run(*other, copy=1)).not_compared == 0


def test_an_op_out_of_order_in_a_copy_is_out_of_place() -> None:
    shuffled = BODY[1], BODY[0], BODY[2]
    assert figures(*run(*BODY), *run(*shuffled, copy=1)).avoidable_others > 0


def test_an_op_from_elsewhere_between_two_copies_is_out_of_place() -> None:
    assert figures(*run(*BODY), add(1), *run(*BODY, copy=1)).avoidable_others == 6
    assert figures(*run(*BODY), add(9), *run(*BODY, copy=1)).avoidable_others > 0


def test_copies_of_copies_are_not_compared() -> None:
    inner = run(*BODY) + run(*BODY, copy=1)
    again = run(*BODY, copy=2) + run(*BODY, copy=3)
    found = figures(add(3), *inner, '%w = arith.addf %a, %a : f32 loc("3|x")', *again)
    assert found.inversions == found.not_compared == 24


def test_what_only_a_copy_uses_belongs_to_it() -> None:
    index = '%j = arith.index_cast %i : index to i32 loc("4|x")'
    use = '%u = arith.index_cast %j : i32 to index loc("5|x")'
    copy = '%w = arith.index_cast %i : i32 to index loc("5|x")'
    found = figures(copy, *run(*BODY[1:]), index, use, *run(*BODY[1:], copy=1), arguments="%a: f32, %i: i32")
    assert found.inversions == found.not_compared > 0


def test_a_load_before_the_store_that_it_read_from_reverses_a_dependence() -> None:
    found = figures(LOAD.format(2), STORE.format(1))
    assert (found.reversed_dependences, found.wrong_indices, found.avoidable) == (1, 0, 0)


def test_two_loads_reverse_nothing() -> None:
    assert figures(LOAD.format(2), LOAD.replace("%x", "%y").format(1)).reversed_dependences == 0


def test_a_value_between_the_two_makes_it_a_wrong_index() -> None:
    store = 'memref.store %x, %m[%i] : memref<4xf32> loc("1|x")'
    found = figures(LOAD.format(2), store)
    assert (found.reversed_dependences, found.wrong_indices) == (0, 1)


def test_a_chain_through_an_effect_is_one_wrong_index() -> None:
    found = figures(
        '%n = arith.negf %a : f32 loc("23|x")',
        'memref.store %n, %m[%i] : memref<4xf32> loc("18|x")',
        LOAD.format(20),
    )
    assert (found.inversions, found.reversed_dependences, found.wrong_indices) == (2, 0, 1)


def test_an_op_of_unknown_effect_reverses_nothing() -> None:
    unknown = '"my.op"(%m) : (memref<4xf32>) -> () loc("2|x")'
    found = figures(unknown, STORE.format(1))
    assert (found.reversed_dependences, found.wrong_indices) == (0, 1)


@pytest.mark.parametrize(
    ("store", "load", "number"),
    [
        ("memref.store %a, %m[%z] : memref<4xf32>", "memref.load %m[%o] : memref<4xf32>", 0),
        ("affine.store %a, %m[0] : memref<4xf32>", "affine.load %m[1] : memref<4xf32>", 0),
        ("affine.store %a, %m[%k + 1] : memref<4xf32>", "affine.load %m[%k] : memref<4xf32>", 0),
        ("affine.store %a, %m[%k * 2] : memref<4xf32>", "affine.load %m[%k * 2 - 1] : memref<4xf32>", 0),
        ("affine.store %a, %m[%k + 1] : memref<4xf32>", "affine.load %m[%k + 1] : memref<4xf32>", 1),
        ("affine.store %a, %q[%k, 1] : memref<4x4xf32>", "affine.load %q[%k, 0] : memref<4x4xf32>", 0),
        ("memref.store %a, %m[%j] : memref<4xf32>", "memref.load %m[%i] : memref<4xf32>", 0),
        ("memref.store %a, %m[%j] : memref<4xf32>", "memref.load %m[%o] : memref<4xf32>", 1),
        ("vector.store %v, %m[%j] : memref<4xf32>, vector<2xf32>", "memref.load %m[%i] : memref<4xf32>", 0),
        ("vector.store %v, %m[%i] : memref<4xf32>, vector<2xf32>", "memref.load %m[%j] : memref<4xf32>", 1),
        ("memref.store %a, %p0[%i] : !part", "memref.load %p1[%i] : !part", 1),
        ("memref.store %a, %p0[%i] : !part", "memref.load %other[%i] : !part", 0),
        ("memref.store %a, %p0[%i] : !part", "memref.load %m[%i] : memref<4xf32>", 1),
        ("memref.store %a, %p0[%i] : !part", "memref.load %m[%z] : memref<4xf32>", 0),
        ("memref.store %a, %flat[%i] : memref<16xf32>", "memref.load %q[%i, %i] : memref<4x4xf32>", 1),
        ("memref.store %a, %g0[%i] : memref<4xf32>", "memref.load %g1[%i] : memref<4xf32>", 1),
    ],
)
def test_two_ops_touch_the_same_places(store: str, load: str, number: int) -> None:
    part = "memref.subview %m[%i] [2] [1] : memref<4xf32> to !part"
    text = f"""
!part = memref<2xf32, strided<[1], offset: ?>>
memref.global @g : memref<4xf32>
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %q: memref<4x4xf32>, %v: vector<2xf32>) {{
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %j = arith.addi %i, %o : index
  %p0 = {part}
  %p1 = {part}
  %other = memref.subview %m[%j] [2] [1] : memref<4xf32> to !part
  %flat = memref.collapse_shape %q [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %g0 = memref.get_global @g : memref<4xf32>
  %g1 = memref.get_global @g : memref<4xf32>
  affine.for %k = 0 to 3 {{
    {store} loc("2|x")
    %l = {load} loc("1|x")
  }}
  return
}}
"""
    assert check(read_text(text)).summary.reversed_dependences == number


def test_other_memory_reverses_nothing() -> None:
    found = figures(
        LOAD.format(2),
        STORE.replace("%m", "%n").format(1),
        arguments="%a: f32, %i: index, %m: memref<4xf32>, %n: memref<4xf32>",
    )
    assert (found.inversions, found.reversed_dependences) == (1, 0)


def test_copies_of_a_loop_body_reverse_nothing() -> None:
    copies = [[LOAD.replace("%x", f"%x{k}").format(5), STORE.format(6)] for k in range(2)]
    found = figures(*copies[0], *copies[1])
    assert (found.reversed_dependences, found.not_comparable) == (0, {"copy": 1})


OPS = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(["addf", "mulf", "load", "store", "loop", "cast"])),
    min_size=2,
    max_size=8,
)


def program(ops: list[tuple[int, str]]) -> str:
    lines = []
    for number, (index, kind) in enumerate(ops):
        if kind == "load":
            lines.append(LOAD.replace("%x", f"%{number}").format(index))
        elif kind == "store":
            lines.append(STORE.format(index))
        elif kind == "loop":
            lines += loop(index, add(index + 1), add(index + 2))
        elif kind == "cast":
            lines.append(
                f'%{number} = builtin.unrealized_conversion_cast %m : memref<4xf32> to i64 loc("{index}|x")'
            )
        else:
            lines.append(f'%{number} = arith.{kind} %a, %a : f32 loc("{index}|x")')
    body = "\n".join(lines)
    return f"func.func @f(%a: f32, %i: index, %m: memref<4xf32>) {{\n{body}\nreturn\n}}\n"


@settings(max_examples=3 * settings().max_examples)
@example([(5, "store"), (4, "loop"), (1, "load"), (5, "load"), (1, "store"), (4, "addf")], None)
@given(OPS, st.sampled_from([None, "nested"]))
def test_the_classes_add_up_and_a_fix_is_final(ops: list[tuple[int, str]], relabel: str | None) -> None:
    text = program(ops)
    found = check(read_text(text)).summary
    assert 0 <= found.not_compared + found.reversed_dependences <= found.minimum <= found.inversions
    assert found.forced <= found.minimum
    once = fix(read_text(text), relabel=relabel).text.decode()
    after = check(read_text(once)).summary
    assert after.avoidable == 0
    assert fix(read_text(once), relabel=relabel).text.decode() == once
    if relabel:
        assert after.wrong_indices == 0
