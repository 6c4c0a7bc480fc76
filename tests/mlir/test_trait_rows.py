import sys

from tests.internals import OpTraits, op_traits


def test_a_row_says_what_an_op_does() -> None:
    assert op_traits()["memref.load"].effects == {"read"}
    assert op_traits()["index.add"] == OpTraits(flags=frozenset({"may_trap_if_dynamic"}))
    assert op_traits()["arith.addi"].operands == 2


def test_an_op_may_trap_if_a_shape_is_dynamic_unless_it_is_total() -> None:
    may_trap = {name for name, row in op_traits().items() if "may_trap_if_dynamic" in row.flags}
    assert {"arith.addf", "stablehlo.add", "ttnn.add", "tosa.exp", "memref.alloc", "my.op"} - may_trap == {
        "my.op"
    }
    assert may_trap & {"scf.if", "func.return", "arith.constant", "tensor.rank", "func.func"} == set()


def test_a_reading_of_our_own_adds_flags_and_replaces_effects() -> None:
    assert op_traits()["arith.remsi"].flags == {"may_trap", "updates"}
    assert op_traits()["ttnn.dump_tensor"].on == {"operand 0": {"read"}, "files": {"write"}}
    assert op_traits()["ttir.dot_general"] == OpTraits(flags=frozenset({"fresh", "may_trap_if_dynamic"}))
    assert op_traits()["ttnn.add"].operands == 2
    assert op_traits()["tosa.concat"].operands == sys.maxsize
    assert op_traits()["ttnn.concat"].operands == sys.maxsize


def test_a_reading_under_a_pattern_concerns_the_ops_that_match() -> None:
    rounds = op_traits()["llvm.intr.experimental.constrained.fptrunc"]
    assert rounds.on == {"environment": {"read", "write"}}


def test_the_table_knows_what_it_does_not_list() -> None:
    assert "my.op" not in op_traits()
    assert op_traits().get("my.op") is None


def test_views_that_the_definitions_leave_out_are_marked() -> None:
    assert "fresh" not in op_traits()["ttir.reshape"].flags


def test_a_row_is_made_once() -> None:
    assert op_traits()["arith.addi"] is op_traits()["arith.addi"]


def test_every_row_can_be_made() -> None:
    table = op_traits()
    assert len(list(table.values())) == len(table) > 2000
