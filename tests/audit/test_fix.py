from collections.abc import Callable
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, VerificationError, fix, read_text
from eio_audit.audit.fix import verification as verification_module
from eio_audit.audit.fix.fix import corrected, with_other_names
from eio_audit.audit.fix.verification import verify as verify_orders
from tests.audit.test_check import ISSUE
from tests.internals import IR, AuditedDump, audit_dump, count_inversions, read_ir, resources_module
from tests.programs import programs
from tests.reading import ir_of


def fixed(text: str) -> str:
    dumps = read_text(text)
    return fix(dumps).text.decode()


def verify(dump: AuditedDump, text: bytes, read: Callable[..., IR] = read_ir) -> None:
    with mock.patch.object(verification_module, "read_ir", read):
        verify_orders(dump.ir, dump.orders, dump.dependences, text)


SHUFFLED = """func.func @f(%a: i32) -> i32 {
  %1 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  %2 = "ttir.add"(%0, %1) : (i32, i32) -> i32 loc("DEBUG|2|c")
  return %2 : i32
}
"""


def test_independent_ops_go_back() -> None:
    assert (
        fixed(SHUFFLED)
        == """func.func @f(%a: i32) -> i32 {
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  %1 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  %2 = "ttir.add"(%0, %1) : (i32, i32) -> i32 loc("DEBUG|2|c")
  return %2 : i32
}
"""
    )


def test_a_forced_inversion_is_left_alone() -> None:
    assert fixed(ISSUE) == ISSUE


def test_what_stands_around_the_dumps_of_a_log_is_kept() -> None:
    log = f"noise\n// -----// IR Dump After A (a) //----- //\n{SHUFFLED}\n// -----// IR Dump After B (b) //----- //\n{ISSUE}tail"
    assert fixed(log) == log.replace(SHUFFLED, fixed(SHUFFLED))


def test_a_chosen_dump_comes_alone() -> None:
    dumps = read_text(f"noise\n// -----// IR Dump After A (a) //----- //\n{SHUFFLED}")
    assert fix(dumps, only_dumps=True).text.decode() == fixed(SHUFFLED)


def test_unindexed_ops_stay_with_their_consumer() -> None:
    text = """func.func @f(%a: i32) {
  %1 = "ttir.neg"(%a) : (i32) -> i32
  "ttir.late"(%1) : (i32) -> () loc("DEBUG|2|b")
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  return
}
"""
    text = text.replace("ttir.late", "ttir.neg")
    lines = fixed(text).split("\n")
    assert ["DEBUG|0" in line for line in lines[1:4]] == [True, False, False]


def test_the_moved_ops_are_counted() -> None:
    dumps = read_text(SHUFFLED)
    result = fix(dumps)
    assert (result.changed, result.moved, result.before.inversions, result.before.minimum) == (True, 1, 1, 0)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (
            "the rewritten text cannot be read: rewritten <text>:4:63",
            SHUFFLED.replace("return %2 : i32\n}", ""),
        ),
        ("different operations", SHUFFLED.replace("  return %2 : i32\n", "")),
        ("text of an op changed", SHUFFLED),
        ("text of an op changed", fixed(SHUFFLED).replace("|2|", "|3|")),
        ("text of an op changed", fixed(SHUFFLED).replace("@f", "@g")),
        ("text of an op changed", fixed(SHUFFLED).replace("%0, %1)", "%1, %0)")),
    ],
)
def test_verification_refuses_another_program(what: str, text: str) -> None:
    dump = audit_dump(read_text(SHUFFLED)[0])
    with pytest.raises(VerificationError, match=what):
        verify(dump, text.encode())


LOOP = """func.func @f(%a: i32) {
  %x = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  my.loop {
    "ttir.use"(%x) : (i32) -> () loc("DEBUG|1|b")
    %x = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|2|c")
  ^bb1:
    "ttir.end"() : () -> () loc("DEBUG|3|d")
  }
  "ttir.use"(%x) : (i32) -> () loc("DEBUG|4|e")
  return
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            """  }
  "ttir.use"(%x) : (i32) -> () loc("DEBUG|4|e")
""",
            """  "ttir.use"(%x) : (i32) -> () loc("DEBUG|4|e")
  }
""",
            id="inside the region before it",
        ),
        pytest.param(
            """    %x = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|2|c")
  ^bb1:
""",
            """  ^bb1:
    %x = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|2|c")
""",
            id="in the block behind it",
        ),
    ],
)
def test_verification_refuses_an_op_in_another_block(old: str, new: str) -> None:
    dump = audit_dump(read_text(LOOP)[0])
    verify(dump, LOOP.encode())
    with pytest.raises(VerificationError, match="is in another block"):
        verify(dump, LOOP.replace(old, new).encode())


BRANCHES = """func.func @f(%c: i1, %a: i32) {
  %5 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|5|late")
  scf.if %c {
    %4 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|4|b")
    %3 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|3|a")
    scf.yield
  } loc("DEBUG|2|holder")
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|first")
  scf.if %c {
    scf.yield loc("inner")
  } {tail = 1} loc("DEBUG|1|second")
  %6 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|6|last")
  return
}
"""
"""Its ops move as 0 1, 2, 5, and those inside of 2 as 3, 4."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("|5|late", "|7|late", id="an op that moves alone"),
        pytest.param("|0|first", "|7|first", id="the first op of several that move together"),
        pytest.param("inner", "other", id="inside the last op of several"),
        pytest.param("tail = 1", "tail = 2", id="behind the region of the last op of several"),
        pytest.param("|3|a", "|7|a", id="inside an op that has ops that move"),
        pytest.param("scf.if %c {\n    %3", "scf.if %a {\n    %3", id="its header"),
        pytest.param("|2|holder", "|7|holder", id="behind its region"),
        pytest.param("|6|last", "|7|last", id="an op that stays"),
        pytest.param("@f", "@g", id="the header of what is around"),
    ],
)
def test_verification_refuses_another_text_wherever_it_is(old: str, new: str) -> None:
    dump = audit_dump(read_text(BRANCHES)[0])
    text = corrected(dump).decode()
    assert old in text
    with pytest.raises(VerificationError, match="text of an op changed"):
        verify(dump, text.replace(old, new).encode())


def test_white_space_between_ops_is_no_other_text() -> None:
    dump = audit_dump(read_text(BRANCHES)[0])
    verify(dump, corrected(dump).replace(b"\n  ", b"\n\n  "))


@pytest.mark.parametrize("columns", [["op_start"], ["op_end"], ["op_start", "op_end"]])
@pytest.mark.parametrize("op", [2, 9])
def test_verification_refuses_an_op_that_is_read_as_another_part_of_the_same_text(
    columns: list[str], op: int
) -> None:
    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        for column in columns:
            getattr(ir, column)[op] += 1
        return ir

    dump = audit_dump(read_text(BRANCHES)[0])
    text = corrected(dump)
    with pytest.raises(VerificationError, match="text of an op changed"):
        verify(dump, text, misread)


@pytest.mark.parametrize(
    ("column", "last", "message"),
    [
        ("op_block", 2, "is in another block"),
        ("block_region", 2, "is in another block"),
        ("region_op", 0, "is in another block"),
        ("value_owner", 0, "defines different values"),
    ],
)
def test_verification_refuses_what_is_read_otherwise_from_the_same_text(
    column: str, last: int, message: str
) -> None:
    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        assert getattr(ir, column)[-1] != last
        getattr(ir, column)[-1] = last
        return ir

    dump = audit_dump(read_text(BRANCHES)[0])
    text = corrected(dump)
    with pytest.raises(VerificationError, match=message):
        verify(dump, text, misread)


def test_verification_refuses_one_region_more_than_there_was() -> None:
    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        ir.region_op.append(0)
        ir.block_region[-1] = len(ir.region_op) - 1
        return ir

    dump = audit_dump(read_text(BRANCHES)[0])
    text = corrected(dump)
    with pytest.raises(VerificationError, match="is in another block"):
        verify(dump, text, misread)


@pytest.mark.parametrize("op", range(1, 10))
def test_verification_refuses_an_operand_that_is_read_as_one_of_the_op_before_it(op: int) -> None:
    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        ir.operand_start[op] += 1
        return ir

    dump = audit_dump(read_text(BRANCHES)[0])
    text = corrected(dump)
    with pytest.raises(VerificationError, match="uses other values"):
        verify(dump, text, misread)


def test_verification_refuses_the_same_text_cut_into_other_ops() -> None:
    text = "module {\n  my.a x\n  my.b y\n}\n"
    dump = audit_dump(read_text(text)[0])
    with pytest.raises(VerificationError, match="text of an op changed"):
        verify(dump, text.replace("x\n  my.b y", "x y\n  my.b").encode())


def test_verification_refuses_another_value_of_the_same_name() -> None:
    dump = audit_dump(read_text(LOOP)[0])
    dump.orders[2] = [1, 0]
    with pytest.raises(VerificationError, match="uses other values: ttir.use at <text>:4"):
        corrected(dump)


def test_verification_refuses_another_value_behind_a_region() -> None:
    text = LOOP.replace(
        '"ttir.use"(%x) : (i32) -> () loc("DEBUG|1|b")', "my.do {\n    my.x\n    } while (%x)"
    )
    dump = audit_dump(read_text(text)[0])
    dump.orders[2] = [1, 0]
    with pytest.raises(VerificationError, match="uses other values: my.do at <text>:4"):
        corrected(dump)


LATE = """func.func @f(%a: i32) {
  %1 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  my.do {
    my.y
  } while (%1, %0) loc("DEBUG|2|c")
  return
}
"""


def test_operands_behind_a_region_move_with_what_they_use() -> None:
    assert fixed(LATE).split("\n")[1:3] == LATE.split("\n")[2:0:-1]


def test_an_op_with_operands_behind_a_region_moves() -> None:
    last = '  %3 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|3|d")\n'
    text = LATE.replace("DEBUG|2|c", "DEBUG|4|c").replace("  return", last + "  return")
    dumps = read_text(text)
    after = fix(dumps, AuditOptions(assume_pure=["my.*"])).text.decode()
    assert after.split("\n")[3:5] == [last.rstrip("\n"), "  my.do {"]


@pytest.mark.parametrize("late", ["my.do {\n      my.y\n    } while (%x)", "my.do {\n      my.y\n    }"])
def test_verification_refuses_another_value_behind_a_region_with_ops(late: str) -> None:
    """In one case an operand of the old dump is another, in the other case there was none."""

    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        ir.late_operands = {3: [0]}
        return ir

    dump = audit_dump(read_text(LOOP.replace('"ttir.use"(%x) : (i32) -> () loc("DEBUG|1|b")', late))[0])
    verify(dump, dump.ir.dump_text)
    with pytest.raises(VerificationError, match="uses other values: my.do at <text>:4"):
        verify(dump, dump.ir.dump_text, misread)


def test_verification_refuses_a_value_less_behind_a_region() -> None:
    def misread(*args: object, **options: object) -> IR:
        ir = read_ir(*args, **options)
        ir.late_operands = {}
        return ir

    late = "my.do {\n      my.y\n    } while (%x)"
    dump = audit_dump(read_text(LOOP.replace('"ttir.use"(%x) : (i32) -> () loc("DEBUG|1|b")', late))[0])
    with pytest.raises(VerificationError, match="uses other values: my.do at <text>:4"):
        verify(dump, dump.ir.dump_text, misread)


def test_the_last_op_of_a_block_may_leave_the_arguments_of_the_next_one_behind() -> None:
    text = """"my.region"() ({
  %1 = "ttir.neg"(%0) : (i32) -> i32 loc("DEBUG|1|b")
  %2 = "ttir.abs"(%0) : (i32) -> i32 loc("DEBUG|0|a")
^bb1(%b: i32):
  "my.use"(%1, %2, %b) : (i32, i32, i32) -> ()
}) : () -> ()
"""
    text = f'%0 = "ttir.zeros"() : () -> i32\n{text}'
    assert fixed(text).split("\n")[2:4] == text.split("\n")[3:1:-1]


def test_verification_refuses_an_argument_of_another_block() -> None:
    text = """func.func @f(%a: i32) {
  my.loop {
  ^bb0(%a: i32):
    "ttir.use"(%a) : (i32) -> () loc("DEBUG|0|a")
  }
  return
}
"""
    dump = audit_dump(read_text(text)[0])
    with pytest.raises(VerificationError, match="uses other values"):
        verify(dump, text.replace("^bb0(%a: i32)", "^bb0(%b: i32)").encode())


def test_verification_refuses_another_result_of_the_same_op() -> None:
    text = """func.func @f(%a: i32) {
  %0:2 = "ttir.two"(%a) : (i32) -> (i32, i32) loc("DEBUG|0|a")
  my.do {
  } while (%0#1) loc("DEBUG|1|a")
  return
}
"""
    dump = audit_dump(read_text(text)[0])
    verify(dump, text.encode())
    with pytest.raises(VerificationError, match="text of an op changed"):
        verify(dump, text.replace("%0#1", "%0#0").encode())


def test_verification_refuses_another_alias() -> None:
    aliased = '#loc0 = loc("DEBUG|0|a")\n' + fixed(SHUFFLED).replace('loc("DEBUG|0|a")', "loc(#loc0)")
    dump = audit_dump(read_text(aliased)[0])
    verify(dump, aliased.encode())
    with pytest.raises(VerificationError, match="the text outside the ops changed"):
        verify(dump, aliased.replace("|0|", "|9|").encode())


def test_verification_refuses_another_resource() -> None:
    text = fixed(SHUFFLED) + '{-#\n  dialect_resources: {builtin: {r: "0x0400000001"}}\n#-}\n'
    dump = audit_dump(read_text(text)[0])
    verify(dump, text.encode())
    with pytest.raises(VerificationError, match="the text outside the ops changed"):
        verify(dump, text.replace("0x04", "0x08").encode())


REGIONS = """func.func @f(%a: i32) {
  my.op {
    "my.x"() : () -> () loc("DEBUG|0|a")
  } combine (%p = %a : i32) {k = 1} {
  ^bb0:
    "my.y"(%a) : (i32) -> () loc("DEBUG|1|b")
  ^bb1:
    "my.z"(%a) : (i32) -> () loc("DEBUG|2|c")
  } {
  ^bb2(%q: i32):
  } loc("DEBUG|3|d")
  return
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("k = 1", "k = 2", id="an attribute between regions"),
        pytest.param("%p = %a", "%r = %a", id="an argument's name between regions"),
        pytest.param("  ^bb1:", "  } {\n  ^bb1:", id="one region more"),
        pytest.param("%q: i32", "%q: i64", id="a region without ops"),
    ],
)
def test_verification_refuses_other_text_around_regions(old: str, new: str) -> None:
    dump = audit_dump(read_text(REGIONS)[0])
    verify(dump, REGIONS.encode())
    with pytest.raises(VerificationError, match="text of an op changed: my.op"):
        verify(dump, REGIONS.replace(old, new).encode())


def test_a_block_without_ops_ends_where_its_region_does() -> None:
    empty = "my.op {\n  my.x\n^bb1:\n}\n"
    assert fixed(empty + SHUFFLED) == empty + fixed(SHUFFLED)


TWO_REGIONS = """my.op {
  "my.x"() : () -> () loc("DEBUG|0|a")
^bb1:
  "my.y"() : () -> () loc("DEBUG|1|b")
} {
^bb2:
  "my.z"() : () -> () loc("DEBUG|2|c")
} loc("DEBUG|3|d")
"""


def test_verification_refuses_a_block_in_another_region() -> None:
    block = '^bb1:\n  "my.y"() : () -> () loc("DEBUG|1|b")\n'
    dump = audit_dump(read_text(TWO_REGIONS)[0])
    verify(dump, TWO_REGIONS.encode())
    with pytest.raises(VerificationError, match="is in another block"):
        verify(dump, TWO_REGIONS.replace(block, "").replace("} {\n", "} {\n" + block).encode())


EMPTY_BLOCK = """my.op {
  "my.x"() : () -> () loc("DEBUG|0|a")
^bb1(%a: i32):
^bb2:
  "my.y"() : () -> () loc("DEBUG|1|b")
} loc("DEBUG|2|d")
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param("} loc", "^bb3:\n} loc", "different operations or blocks", id="one block more"),
        pytest.param("^bb1(%a: i32):\n", "", "different operations or blocks", id="one block less"),
        pytest.param(
            "%a: i32", "%a: i64", "arguments of \\^bb1 changed", id="arguments of a block without ops"
        ),
        pytest.param("^bb1", "^bb9", "arguments of \\^bb1 changed", id="label of a block without ops"),
        pytest.param("^bb2", "^bb9", "arguments of \\^bb2 changed", id="label of a block with ops"),
    ],
)
def test_verification_refuses_other_blocks(old: str, new: str, message: str) -> None:
    dump = audit_dump(read_text(EMPTY_BLOCK)[0])
    verify(dump, EMPTY_BLOCK.encode())
    with pytest.raises(VerificationError, match=message):
        verify(dump, EMPTY_BLOCK.replace(old, new).encode())


def test_the_last_block_may_be_without_ops() -> None:
    text = EMPTY_BLOCK.replace("} loc", "^bb3(%b: i32):\n} loc")
    dump = audit_dump(read_text(text)[0])
    verify(dump, text.encode())
    with pytest.raises(VerificationError, match="arguments of \\^bb3 changed"):
        verify(dump, text.replace("%b: i32", "%b: i64").encode())


@pytest.mark.parametrize("comment", ["", "// kept // kept"])
def test_verification_refuses_a_comment_that_is_lost_or_comes_twice(comment: str) -> None:
    text = fixed(SHUFFLED).replace("  return", "  // kept\n  return")
    dump = audit_dump(read_text(text)[0])
    verify(dump, text.encode())
    with pytest.raises(VerificationError, match="a comment was lost or duplicated"):
        verify(dump, text.replace("// kept", comment).encode())


def test_verification_refuses_an_order_that_holds_an_op_twice() -> None:
    text = """func.func @f(%a: i32) {
  "ttir.use"(%a) : (i32) -> () loc("DEBUG|0|a")
  "ttir.use"(%a) : (i32) -> () loc("DEBUG|1|b")
  return
}
"""
    dump = audit_dump(read_text(text)[0])
    dump.orders[1] = [0, 0, 2]
    with pytest.raises(VerificationError, match="the order found for \\^bb0 is not one of its ops"):
        corrected(dump)


def test_verification_refuses_a_broken_dependence() -> None:
    dump = audit_dump(read_text(SHUFFLED)[0])
    dump.orders[1] = [2, 0, 1, 3]
    with pytest.raises(VerificationError, match="cannot be read: .*before its definition"):
        corrected(dump)


def test_verification_refuses_a_broken_effect() -> None:
    text = SHUFFLED.replace("ttir.neg", "my.neg").replace("ttir.abs", "my.abs")
    dump = audit_dump(read_text(text)[0])
    dump.orders[1] = [1, 0, 2, 3]
    with pytest.raises(VerificationError, match="before one that it depends on"):
        corrected(dump)


STORES = """func.func @f(%a: i32, %m: memref<i32>) {
  "memref.store"(%a, %m) : (i32, memref<i32>) -> () loc("DEBUG|0|a")
  "memref.store"(%a, %m) : (i32, memref<i32>) -> () loc("DEBUG|1|b")
  %0 = "memref.load"(%m) : (memref<i32>) -> i32 loc("DEBUG|2|c")
  "ttir.use"(%0) : (i32) -> ()
  return
}
"""


EFFECTS = {(0, 1), (1, 2), (0, 3), (1, 3), (2, 3)}
"""What must stay before what in its block of five ops, the last one left out."""


def verify_stores_with(effects: set[tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Verifies that text against itself, with other effects when it is read again."""
    dump = audit_dump(read_text(STORES)[0])
    dump.orders[1] = list(range(5))
    assert set(dump.dependences.of([1])[1].by_kind("effect")) == EFFECTS
    found = [(1, earlier + 1, later + 1) for earlier, later in effects]
    monkeypatch.setattr(resources_module, "conflicts", lambda *_: found)
    verify(dump, STORES.encode())


@pytest.mark.parametrize(
    "effects",
    [
        pytest.param(EFFECTS | {(0, 2)}, id="one more"),
        pytest.param(EFFECTS - {(1, 2)}, id="one less"),
        pytest.param(EFFECTS - {(2, 3)}, id="one less of the last but one"),
    ],
)
def test_verification_refuses_other_effects_in_the_new_text(
    effects: set[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(VerificationError, match="the dependences changed in \\^bb0"):
        verify_stores_with(effects, monkeypatch)


def test_effects_of_the_last_op_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    verify_stores_with(EFFECTS | {(0, 4)}, monkeypatch)


def test_verification_refuses_another_block_argument() -> None:
    text = """func.func @f(%a: i32) {
  cf.br ^bb1(%a : i32)
^bb1(%b: i32 loc("b")):
  %1 = "ttir.neg"(%b) : (i32) -> i32 loc("DEBUG|1|b")
  %0 = "ttir.abs"(%b) : (i32) -> i32 loc("DEBUG|0|a")
  return
}
"""
    dump = audit_dump(read_text(text)[0])
    changed = corrected(dump).replace(b"%b: i32", b"%b: i64")
    with pytest.raises(VerificationError, match="the arguments of \\^bb1 changed"):
        verify(dump, changed)


def test_comments_above_an_op_that_becomes_the_first_are_no_other_arguments() -> None:
    text = """"my.region"() ({
^bb0(%b: i32):
  %1 = "ttir.neg"(%b) : (i32) -> i32 loc("DEBUG|1|b")
  // of a
  %0 = "ttir.abs"(%b) : (i32) -> i32 loc("DEBUG|0|a")
  "my.end"() : () -> ()
}) : () -> ()
"""
    assert fixed(text).split("\n")[2:4] == [
        "  // of a",
        '  %0 = "ttir.abs"(%b) : (i32) -> i32 loc("DEBUG|0|a")',
    ]


def test_an_op_that_may_be_a_terminator_may_become_the_last() -> None:
    text = """scf.if %c {
  "my.effect"() : () -> () loc("DEBUG|1|b")
  "my.effect"() : () -> () loc("DEBUG|2|c")
  %0 = memref.alloc() : memref<4xi32> loc("DEBUG|0|a")
}
"""
    text = f"func.func @f(%c: i1) {{\n{text}  return\n}}\n"
    assert fixed(text).split("\n")[2] == '  %0 = memref.alloc() : memref<4xi32> loc("DEBUG|0|a")'


def test_verification_refuses_more_inversions() -> None:
    dump = audit_dump(read_text(fixed(SHUFFLED))[0])
    dump.orders[1] = [1, 0, 2, 3]
    with pytest.raises(VerificationError, match="more inversions"):
        corrected(dump)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7, unique=True), st.data())  # others may be copies
def test_verification_refuses_nothing_but_more_inversions(indices: list[int], data: st.DataObject) -> None:
    ops = [f'  "ttir.zeros"() : () -> () loc("DEBUG|{index}|a")' for index in indices]
    dump = audit_dump(read_text("\n".join(["func.func @f() {", *ops, "  return", "}"]))[0])
    order = data.draw(st.permutations(range(len(indices))))
    dump.orders[1] = [*order, len(order)]
    if count_inversions([indices[op] for op in order]) <= count_inversions(indices):
        corrected(dump)
    else:
        with pytest.raises(VerificationError, match="more inversions"):
            corrected(dump)


def op(result: str, index: int, name: str, operands: str = "%a") -> str:
    derived = f'"DEBUG|{index}|net|x_tm0"("DEBUG|{index}|net|x")'
    location = derived if name == "ttir.permute" else f'"DEBUG|{index}|net|x"'
    types = ", ".join(["i32"] * len(operands.split(",")))
    return f'  {result} = "{name}"({operands}) : ({types}) -> i32 loc({location})'


def order_with(follow: str, *ops: str) -> list[str]:
    """The results of a function's ops as a fix orders them."""
    dumps = read_text("\n".join(["func.func @f(%a: i32) {", *ops, "  return", "}"]))
    text = fix(dumps, AuditOptions(follow=[follow])).text.decode()
    return [line.split()[0] for line in text.split("\n")[1:-2]]


def test_derived_ops_follow_their_consumer() -> None:
    """Counting them, the order would stay: three inversions become five."""
    late = [op("%8", 9, "ttir.permute"), op("%9", 9, "ttir.permute"), op("%0", 0, "ttir.add", "%8, %9")]
    early = [op("%1", 1, "ttir.abs"), op("%2", 2, "ttir.abs"), op("%3", 3, "ttir.abs")]
    assert order_with("derived", *early, *late) == ["%8", "%9", "%0", "%1", "%2", "%3"]
    assert order_with("constants", *early, *late) == ["%1", "%2", "%3", "%8", "%9", "%0"]


def test_ops_assumed_pure_change_places() -> None:
    text = SHUFFLED.replace("ttir.neg", "my.neg").replace("ttir.abs", "my.abs")
    dumps = read_text(text)
    assert not fix(dumps).changed
    result = fix(dumps, AuditOptions(assume_pure=["my.*"]))
    assert result.text.decode() == fixed(SHUFFLED).replace("ttir.neg", "my.neg").replace("ttir.abs", "my.abs")
    assert result.dumps[0].assumed_pure == {"my.*": 2}


def test_constants_follow_their_consumer() -> None:
    constant = '  %8 = "ttir.constant"() : () -> i32 loc("DEBUG|9|net|x")'
    late = [constant, constant.replace("%8", "%9"), op("%0", 0, "ttir.add", "%8, %9")]
    early = [op("%1", 1, "ttir.abs"), op("%2", 2, "ttir.abs"), op("%3", 3, "ttir.abs")]
    assert order_with("constants", *early, *late) == ["%8", "%9", "%0", "%1", "%2", "%3"]
    assert order_with("derived", *early, *late) == ["%1", "%2", "%3", "%8", "%9", "%0"]


@pytest.mark.parametrize(
    "options",
    [
        AuditOptions(),
        AuditOptions(follow=["derived"]),
        AuditOptions(follow=["constants"]),
        AuditOptions(follow=["none"]),
        AuditOptions(follow=["derived", "constants", "frees"], assume_pure=["my.*"]),
    ],
    ids=["plain", "derived", "constants", "none", "all"],
)
@given(text=programs())
def test_a_fix_reaches_the_minimum_and_a_second_run_changes_nothing(options: AuditOptions, text: str) -> None:
    once = fix(read_text(text), options)
    again = fix(read_text(once.text), options)
    assert again.text == once.text
    assert again.before.inversions == once.before.minimum
    assert again.before.forced == once.before.forced
    assert once.changed == (once.text != text.encode()) == (once.before.avoidable > 0)
    assert sorted(once.text.split(b"\n")) == sorted(text.encode().split(b"\n"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (b'"a"', "renaming changed more than the names of values"),
        (b"%1", "the renamed text has different operations or uses different values"),
        (b"%z", "the renamed text cannot be read"),
    ],
)
def test_wrong_names_are_not_written(wrong: bytes, message: str) -> None:
    text = b'%0 = "t.a"() : () -> i32\n%1 = "t.a"() : () -> i32\n"t.b"(%0) {s = "%0"} : (i32) -> ()\n'
    broken = (
        text.replace(b'"%0"', wrong) if wrong.startswith(b'"') else text.replace(b"(%0)", b"(%s)" % wrong)
    )
    with pytest.raises(VerificationError, match=message):
        with_other_names(ir_of(text), broken)


def test_only_dumps_of_one_source_are_fixed_together() -> None:
    with pytest.raises(ValueError, match="one source"):
        fix([*read_text(SHUFFLED), *read_text(SHUFFLED)])
    with pytest.raises(ValueError, match="at least one dump"):
        fix([])


def test_verification_refuses_a_comment_where_there_was_none() -> None:
    dump = audit_dump(read_text(SHUFFLED)[0])
    with pytest.raises(VerificationError, match="a comment was lost or duplicated"):
        verify(dump, fixed(SHUFFLED).replace("  return", "  // new\n  return").encode())


def test_verification_refuses_a_comment_above_another_op() -> None:
    text = fixed(SHUFFLED).replace("  return", "  // kept\n  return")
    dump = audit_dump(read_text(text)[0])
    line = text.split("\n")[1]
    moved = text.replace("  // kept\n", "").replace(line, "  // kept\n" + line)
    with pytest.raises(VerificationError, match="comment lines are above other ops than before"):
        verify(dump, moved.encode())


def lines_below_comments(text: str) -> dict[str, str]:
    """By comment line, each of which there is once, the next line that is none."""
    lines = text.split("\n")
    return {
        line: next(below for below in lines[number:] if not below.lstrip().startswith("//"))
        for number, line in enumerate(lines)
        if line.lstrip().startswith("//")
    }


@given(programs(), st.data())
def test_comment_lines_stay_right_above_their_op(program: str, data: st.DataObject) -> None:
    above = st.sampled_from(["", "", "// N\n", "  // N\n\t// CHECK: N\n", "// N\n\n", "\n//N\n"])
    lines = enumerate(program.split("\n"))
    text = "\n".join(data.draw(above).replace("N", str(number)) + line for number, line in lines)
    once = fixed(text)
    assert lines_below_comments(once) == lines_below_comments(text)
    assert fixed(once) == once


def test_a_name_that_clashes_in_the_new_order_gets_the_next_number() -> None:
    """Both are valid MLIR: a name is free again behind the region that it was defined in."""
    text = """func.func @f(%c: i1, %a: i32) {
  scf.if %c {
    %3 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|2|a")
    %4 = "ttir.neg"(%3) : (i32) -> i32 loc("DEBUG|3|a")
  } loc("DEBUG|9|if")
  %3 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  "ttir.neg"(%3) : (i32) -> i32 loc("DEBUG|10|c")
  return
}
"""
    assert (
        fixed(text)
        == """func.func @f(%c: i1, %a: i32) {
  %3 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  scf.if %c {
    %5 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|2|a")
    %4 = "ttir.neg"(%5) : (i32) -> i32 loc("DEBUG|3|a")
  } loc("DEBUG|9|if")
  "ttir.neg"(%3) : (i32) -> i32 loc("DEBUG|10|c")
  return
}
"""
    )


@given(programs())
def test_the_text_does_not_depend_on_whether_wrong_labels_are_found(text: str) -> None:
    dumps = read_text(text)
    with_labels, without = fix(dumps), fix(dumps, finds_wrong_labels=False)
    assert (without.text, without.moved) == (with_labels.text, with_labels.moved)
    assert without.before.wrong_indices == 0
