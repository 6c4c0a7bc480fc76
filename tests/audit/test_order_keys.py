import pytest

from eio_audit import AuditOptions, check, diff, explain, read_text
from eio_audit.audit.check.keyed_dump import OrderKeys
from tests.internals import OriginalIndices
from tests.reading import ir_of

DERIVED = 'func.func @f(%a: i32) {\n%0 = "ttir.abs"(%a) : (i32) -> i32 loc("5|a_tm0"("5|a"))\n%1 = "ttir.neg"(%0) : (i32) -> i32 loc("4|b")\nreturn\n}\n'


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ('"ttir.constant"() : () -> i32', True),
        ('"tensor.empty"() : () -> tensor<4xf32>', True),
        ("arith.constant 1 : i32", True),
        ('"ttir.abs"(%a) : (i32) -> i32', False),
        ('"my.constant"() : () -> i32', False),
        ('"memref.alloc"() : () -> memref<4xf32>', True),
        ("scf.execute_region -> i32 { scf.yield %a : i32 }", False),
        ("func.call @g() : () -> i32", False),
    ],
)
def test_constants_have_no_operands_and_are_pure_or_allocate_by_the_op_table(op: str, expected: bool) -> None:
    ir = ir_of(f'func.func @f(%a: i32) {{\n%0 = {op} loc("1|x")\nreturn loc("2|x")\n}}')
    last = ir.block_ops[ir.op_block[1]]
    is_constant = OrderKeys(ir, OriginalIndices(ir), AuditOptions()).constants_by_op
    assert [is_constant[op] for op in last] == [expected, False]


def test_what_follows_has_no_key() -> None:
    ir = ir_of(DERIVED)
    keys = OrderKeys(ir, OriginalIndices(ir), AuditOptions(follow=["derived"]))
    assert (keys.by_op[1:3], keys.followed_by_block[ir.op_block[1]]) == ([None, 4], 1)
    assert (keys.follows(1), keys.follows(2)) == ("derived", None)
    assert OrderKeys(ir, OriginalIndices(ir), AuditOptions()).by_op[1:3] == [5, 4]


def test_what_is_no_sort_of_op_cannot_follow() -> None:
    with pytest.raises(ValueError, match="views"):
        AuditOptions(follow=["views"])


def test_every_audit_uses_the_same_keys() -> None:
    dumps, options = read_text(DERIVED), AuditOptions(follow=["derived"])
    for audit in (
        check(dumps, options).dumps[0],
        diff(dumps[0], dumps[0], options).after,
        explain(dumps, "%1", options).dump,
    ):
        assert (audit.summary.inversions, audit.summary.indexed, audit.summary.followed) == (0, 1, 1)
    explanation = explain(dumps, "%0", options).ops[0]
    assert (explanation.follows, explanation.op.index, explanation.inversions) == ("derived", 5, 0)
    assert explanation.consumer is not None
    assert explanation.consumer.result == "%1"


def test_a_block_where_all_ops_follow_is_still_listed() -> None:
    text = DERIVED.replace('loc("4|b")', 'loc("4|b_tm0"("4|b"))')
    [block] = check(read_text(text), AuditOptions(follow=["derived"])).dumps[0].blocks
    assert (block.indexed, block.followed, block.inversions) == (0, 2, 0)


def test_inversions_at_constants_are_counted() -> None:
    text = 'func.func @f() {\n"ttir.constant"() : () -> i32 loc("3|a")\n%1 = "my.op"() : () -> i32 loc("2|a")\n"my.op"() : () -> i32 loc("1|a")\nreturn\n}'
    [block] = check(read_text(text)).dumps[0].blocks
    assert (block.constants, block.inversions, block.at_constants) == (1, 3, 2)
