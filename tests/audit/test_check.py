from itertools import permutations

from hypothesis import given

from eio_audit import BlockAudit, check, read_text
from tests.internals import Dependences, audit_dump
from tests.programs import programs

ISSUE = """
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %55 = "ttir.batch_norm_inference"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|15|ResNet[resnet]|m.py:1|forward|2|bn")
  %56 = "ttir.permute"(%55) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")
  %57 = "ttir.reshape"(%56) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|18|ResNet[resnet]|m.py:1|forward|2|reshape")
  return %57 : tensor<4xf32>
}
"""


def only_block(text: str) -> BlockAudit:
    [dump] = check(read_text(text)).dumps
    [block] = dump.blocks
    return block


def test_15_23_18_where_23_feeds_18_is_one_forced_inversion() -> None:
    block = only_block(ISSUE)
    assert (block.inversions, block.descents, block.forced, block.minimum, block.avoidable) == (1, 1, 1, 1, 0)
    assert block.certified
    [displaced] = block.worst
    assert displaced.blocker is not None
    assert {
        (displaced.op.name, displaced.op.index),
        (displaced.blocker.op.name, displaced.blocker.op.index),
    } == {
        ("ttir.permute", 23),
        ("ttir.reshape", 18),
    }
    assert displaced.blocker.kind == "value"


def test_the_same_without_the_dependence_is_avoidable() -> None:
    block = only_block(ISSUE.replace("(%56)", "(%55)"))
    assert (block.inversions, block.forced, block.minimum, block.avoidable) == (1, 0, 0, 1)
    assert block.worst[0].blocker is None


def test_descents_are_inversions_of_neighbours() -> None:
    ops = "".join(f'"ttir.add"() : () -> i32 loc("{index}|a")\n' for index in (3, 2, 1, 1))
    block = only_block(f"func.func @f() {{\n{ops}return\n}}")
    assert (block.inversions, block.descents) == (5, 2)


def test_where_a_block_stands() -> None:
    block = only_block(ISSUE)
    assert (block.function, block.block, block.line, block.ops, block.indexed) == ("@main", "^bb0", 3, 4, 3)


def test_knock_on_5_feeds_1_and_3_is_independent() -> None:
    block = only_block(
        'func.func @f() {\n %0 = "ttir.add"() : () -> i32 loc("5|a")\n "ttir.add"(%0) : (i32) -> i32 loc("1|a")\n'
        ' "ttir.add"() : () -> i32 loc("3|a")\n return\n}'
    )
    assert (block.inversions, block.forced, block.knock_on, block.minimum, block.certified) == (
        2,
        1,
        1,
        2,
        True,
    )


def test_the_knock_on_inversions_of_all_blocks_add_up() -> None:
    function = (
        'func.func @f() {\n %0 = "ttir.add"() : () -> i32 loc("5|a")\n "ttir.add"(%0) : (i32) -> i32 loc("1|a")\n'
        ' "ttir.add"() : () -> i32 loc("3|a")\n return\n}\n'
    )
    assert check(read_text(function + function.replace("@f", "@g"))).summary.knock_on == 2


def test_graph_regions_are_counted_and_nothing_in_them_is_forced() -> None:
    block = only_block('module {\n "t.a"() : () -> () loc("2|a")\n "t.b"() : () -> () loc("1|a")\n}')
    assert (block.inversions, block.forced, block.minimum, block.avoidable) == (1, None, 1, 0)


def test_blocks_without_indexed_ops_are_left_out() -> None:
    assert check(read_text("module {\n}\n")).dumps[0].blocks == ()


def test_derived_ops_and_what_they_are_to_blame_for() -> None:
    block = only_block(
        'func.func @f() {\n "ttir.add"() : () -> i32 loc("5|a_tm0"("5|a"))\n "ttir.add"() : () -> i32 loc("4|b")\n'
        ' "ttir.add"() : () -> i32 loc("3|c")\n return\n}'
    )
    assert (block.derived, block.inversions, block.inherited) == (1, 3, 2)


def test_one_broken_dump_does_not_hide_the_others() -> None:
    text = (
        "// -----// IR Dump After A (a) //----- //\nmodule {\n// -----// IR Dump After B (b) //----- //\n"
        + ISSUE
    )
    result = check(read_text(text))
    assert [error.position.line for error in result.errors if error.position] == [2]
    assert [dump.pass_name for dump in result.dumps] == ["b"]


@given(programs(max_ops=6))
def test_the_minimum_is_the_best_legal_order(text: str) -> None:
    """Against all orders of the block; certified means minimal, and no bound is above the minimum.

    Pairs that are not comparable count whatever the order, so a block with some may have a better order.
    """
    dump = audit_dump(read_text(text)[0])
    block = dump.ir.op_block[1]
    keys = dump.indices.keys(dump.ir.block_ops[block])
    if not dump.audit.blocks or all(key is None for key in keys):
        return
    audit = next(b for b in dump.audit.blocks if b.function == "@f" and b.ops == len(keys))
    edges = {(u, v) for u, v, _ in Dependences(dump.ir).of([block])[block].edges()}
    best = min(
        _inversions([keys[k] for k in order])
        for order in permutations(range(len(keys)))
        if all(order.index(u) < order.index(v) for u, v in edges)
    )
    apart = sum(audit.not_comparable.values())
    assert best <= audit.minimum <= audit.inversions == _inversions(keys)
    assert audit.lower_bound - apart <= best
    assert not audit.certified or audit.minimum - apart <= best


def _inversions(keys: list[int | None]) -> int:
    known = [key for key in keys if key is not None]
    return sum(a > b for i, a in enumerate(known) for b in known[i:])
