"""Each kind of steps, on one small program in generic form."""

import pytest

from eio_audit.mlir.editing.cuts import splat_of
from tests.audit.reduce.cutting import cut


def function(body: str, inputs: str = "i32", arguments: str = "%x: i32", results: str = "()") -> str:
    return f""""func.func"() <{{function_type = ({inputs}) -> {results}, sym_name = "f"}}> ({{
^bb0({arguments}):
{body}
}}) : () -> ()
"""


def lines(text: str) -> list[str]:
    """The lines inside the function, without indentation."""
    return [line.strip() for line in text.splitlines()][1:-1]


CHAIN = function(
    """  %0 = "a.one"(%x) : (i32) -> i32
  %1 = "a.two"(%0) : (i32) -> i32
  %2 = "a.three"(%1) : (i32) -> i32
  "func.return"(%2) : (i32) -> ()""",
    results="i32",
)


def test_the_result_of_an_op_becomes_an_argument_and_a_value_without_uses_is_returned() -> None:
    assert cut("ops", CHAIN, (2,)) == function(
        """  %0 = "a.one"(%x) : (i32) -> i32
  %2 = "a.three"(%v0) : (i32) -> i32
  "func.return"(%2, %0) : (i32, i32) -> ()""",
        "i32, i32",
        "%x: i32, %v0: i32",
        "(i32, i32)",
    )


def test_a_value_without_uses_may_be_dropped() -> None:
    assert lines(cut("ops", CHAIN, (2,), number=2)) == [
        "^bb0(%x: i32, %v0: i32):",
        '%0 = "a.one"(%x) : (i32) -> i32',
        '%2 = "a.three"(%v0) : (i32) -> i32',
        '"func.return"(%2) : (i32) -> ()',
    ]


def test_what_a_function_returned_is_not_returned_once_its_op_is_gone() -> None:
    assert lines(cut("ops", CHAIN, (2,), (3,))) == [
        "^bb0(%x: i32):",
        '%0 = "a.one"(%x) : (i32) -> i32',
        '"func.return"(%0) : (i32) -> ()',
    ]


def test_each_result_of_an_op_with_several_becomes_an_argument() -> None:
    text = function(
        """  %0:2 = "a.pair"(%x) : (i32) -> (i32, f32)
  "a.use"(%0#1, %0#0) : (f32, i32) -> ()
  "func.return"() : () -> ()"""
    )
    assert lines(cut("ops", text, (1,))) == [
        "^bb0(%x: i32, %v0: f32, %v1: i32):",
        '"a.use"(%v0, %v1) : (f32, i32) -> ()',
        '"func.return"() : () -> ()',
    ]


LOOP = function(
    """  %0 = "a.init"(%x) : (i32) -> f32
  %1:2 = "scf.for"(%x, %x, %x, %0, %0) ({
  ^bb0(%i: i32, %a: f32, %b: f32):
    %2 = "a.step"(%a, %x) : (f32, i32) -> f32
    "scf.yield"(%2, %b) : (f32, f32) -> ()
  }) : (i32, i32, i32, f32, f32) -> (f32, f32)
  "a.use"(%1#0, %1#1) : (f32, f32) -> ()
  "func.return"() : () -> ()"""
)


def test_a_value_that_a_region_captures_becomes_an_argument_of_the_function() -> None:
    text = function(
        """  %0 = "a.one"(%x) : (i32) -> i32
  "a.region"() ({
    "a.use"(%0) : (i32) -> ()
    "a.end"() : () -> ()
  }) : () -> ()
  "func.return"() : () -> ()"""
    )
    assert lines(cut("ops", text, (1,)))[:3] == [
        "^bb0(%x: i32, %v0: i32):",
        '"a.region"() ({',
        '"a.use"(%v0) : (i32) -> ()',
    ]


def test_what_is_in_a_region_takes_the_place_of_its_op() -> None:
    assert lines(cut("regions", LOOP, (2, 0))) == [
        "^bb0(%x: i32):",
        '%0 = "a.init"(%x) : (i32) -> f32',
        '%2 = "a.step"(%0, %x) : (f32, i32) -> f32',
        '"a.use"(%2, %0) : (f32, f32) -> ()',
        '"func.return"() : () -> ()',
    ]


def test_a_value_that_a_loop_carries_goes_from_all_four_places() -> None:
    assert lines(cut("yields", LOOP, (2, 1)))[2:6] == [
        '%v0 = "scf.for"(%x, %x, %x, %0) ({',
        "^bb0(%i: i32, %a: f32):",
        '%2 = "a.step"(%a, %x) : (f32, i32) -> f32',
        '"scf.yield"(%2) : (f32) -> ()',
    ]


def test_an_op_in_a_region_that_loses_its_use_is_used_by_a_call() -> None:
    text = function(
        """  "a.region"() ({
    %0 = "a.one"(%x) : (i32) -> i32
    "a.use"(%0) : (i32) -> ()
    "a.end"() : () -> ()
  }) : () -> ()
  "func.return"() : () -> ()"""
    )
    text = f'"builtin.module"() ({{\n{text}}}) : () -> ()\n'
    found = cut("ops", text, (4,), number=3)
    assert '"func.call"(%0) <{callee = @eio_audit_use0}> : (i32) -> ()' in found
    assert found.splitlines()[1] == "  func.func private @eio_audit_use0(i32)"


CFG = function(
    """  "cf.cond_br"(%c, %x, %x)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%0: i32):
  "cf.br"(%0)[^bb3] : (i32) -> ()
^bb2(%1: i32):
  "cf.br"(%1)[^bb3] : (i32) -> ()
^bb3(%2: i32):
  "func.return"(%2) : (i32) -> ()""",
    "i1, i32",
    "%c: i1, %x: i32",
    "(i32)",
)


def test_a_branch_is_always_taken_and_unreachable_blocks_go() -> None:
    assert lines(cut("branches", CFG, (1, 1))) == [
        "^bb0(%c: i1, %x: i32):",
        '"cf.br"(%x)[^bb2] : (i32) -> ()',
        "^bb2(%1: i32):",
        '"cf.br"(%1)[^bb3] : (i32) -> ()',
        "^bb3(%2: i32):",
        '"func.return"(%2) : (i32) -> ()',
    ]


def test_a_block_returns_instead_of_branching() -> None:
    assert lines(cut("branches", CFG, (2, -1)))[2:4] == [
        "^bb1(%0: i32):",
        '"func.return"(%v1) : (i32) -> ()',
    ]


def test_blocks_are_joined() -> None:
    text = function(
        """  "cf.br"(%x)[^bb1] : (i32) -> ()
^bb1(%0: i32):
  "a.use"(%0) : (i32) -> ()
  "func.return"() : () -> ()"""
    )
    assert lines(cut("joints", text)) == [
        "^bb0(%x: i32):",
        '"a.use"(%x) : (i32) -> ()',
        '"func.return"() : () -> ()',
    ]


def test_an_argument_of_a_block_goes_with_what_branches_to_it_give() -> None:
    found = lines(cut("block_arguments", CFG, (0, 0, 1, 0)))
    assert found[1] == (
        '"cf.cond_br"(%c, %x)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i1, i32) -> ()'
    )
    assert found[2] == "^bb1:"


CALLS = """"builtin.module"() ({
  "func.func"() <{function_type = (i32, f32) -> (i32, i32), sym_name = "g"}> ({
  ^bb0(%a: i32, %b: f32):
    %0 = "a.one"(%a) : (i32) -> i32
    "func.return"(%0, %a) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, f32) -> (), sym_name = "f"}> ({
  ^bb0(%x: i32, %y: f32):
    %1:2 = "func.call"(%x, %y) <{callee = @g}> : (i32, f32) -> (i32, i32)
    "a.use"(%1#1) : (i32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_an_argument_that_nothing_uses_goes_with_its_operand_of_each_call() -> None:
    found = cut("arguments", CALLS, (1, 1))
    assert '%1:2 = "func.call"(%x) <{callee = @g}> : (i32) -> (i32, i32)' in found
    assert 'function_type = (i32) -> (i32, i32), sym_name = "g"' in found


def test_what_a_called_function_returns_goes_with_the_result_of_each_call() -> None:
    found = cut("returned", CALLS, (1, 0))
    assert '%v0 = "func.call"(%x, %y) <{callee = @g}> : (i32, f32) -> i32' in found
    assert '"a.use"(%v0) : (i32) -> ()' in found
    assert '"func.return"(%a) : (i32) -> ()' in found


def test_a_called_function_gets_a_new_argument_from_its_callers() -> None:
    found = cut("ops", CALLS, (2,))
    assert '"func.return"(%v0, %a) : (i32, i32) -> ()' in found
    assert '"func.call"(%x, %y, %v1) <{callee = @g}> : (i32, f32, i32) -> (i32, i32)' in found
    assert "^bb0(%x: i32, %y: f32, %v1: i32):" in found


def test_a_function_goes_with_its_calls() -> None:
    found = cut("symbols", CALLS, (1,))
    assert "@g" not in found
    assert '"a.use"(%v0) : (i32) -> ()' in found


def test_a_function_becomes_a_declaration() -> None:
    found = cut("bodies", CALLS, (1,))
    assert 'sym_name = "g", sym_visibility = "private"}> ({\n  }) : () -> ()' in found


def test_the_operands_of_an_op_may_stand_for_its_results() -> None:
    assert lines(cut("bypasses", CHAIN, (2,)))[1:3] == [
        '%0 = "a.one"(%x) : (i32) -> i32',
        '%2 = "a.three"(%0) : (i32) -> i32',
    ]


def test_the_last_value_of_the_same_type_stands_for_others() -> None:
    assert lines(cut("ops", CHAIN, (1,), (3,), number=1)) == [
        "^bb0(%x: i32):",
        '%1 = "a.two"(%x) : (i32) -> i32',
        '"func.return"(%1) : (i32) -> ()',
    ]


def test_one_argument_stands_for_others_of_its_type() -> None:
    text = function(
        '  "a.use"(%x, %y, %z) : (i32, f32, i32) -> ()\n  "func.return"() : () -> ()',
        "i32, f32, i32",
        "%x: i32, %y: f32, %z: i32",
    )
    assert lines(cut("equal_arguments", text)) == [
        "^bb0(%x: i32, %y: f32):",
        '"a.use"(%x, %y, %x) : (i32, f32, i32) -> ()',
        '"func.return"() : () -> ()',
    ]


def test_attributes_and_locations_go() -> None:
    text = '"a.op"() <{one = 1 : i32, unit}> {two = "x"} : () -> () loc("here")\n'
    assert cut("attributes", text, (0, 0, 0), (0, 1, 0)) == '"a.op"() <{unit}> : () -> () loc("here")\n'
    assert cut("locations", text) == '"a.op"() <{one = 1 : i32, unit}> {two = "x"} : () -> ()\n'


@pytest.mark.parametrize(
    ("constant", "splat"),
    [
        ("dense<[1, 2]> : tensor<2xi32>", "dense<1> : tensor<2xi32>"),
        ("dense<[[1.5, 2.0]]> : vector<1x2xf32>", "dense<1.5> : vector<1x2xf32>"),
        ('dense<"0x0011"> : tensor<2xi8>', "dense<0> : tensor<2xi8>"),
        ("dense_resource<w> : tensor<2x2xf32>", "dense<0.0> : tensor<2x2xf32>"),
        ("1 : i32", None),
    ],
)
def test_a_constant_of_many_numbers_becomes_one_of_one_number(constant: str, splat: str | None) -> None:
    assert splat_of(constant.encode()) == (None if splat is None else splat.encode())


def test_a_segment_of_operands_shrinks_with_what_a_call_gives() -> None:
    text = CALLS.replace("<{callee = @g}>", "<{callee = @g, operandSegmentSizes = array<i32: 2, 0>}>")
    assert "operandSegmentSizes = array<i32: 1, 0>" in cut("arguments", text, (1, 1))
