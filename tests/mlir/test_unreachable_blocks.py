"""In a block that control flow cannot reach, MLIR lets a use come before its definition. Nothing moves there."""

from __future__ import annotations

import pytest

from eio_audit import InputError, check, diff, fix, normal_form, read_text
from tests.mlir.test_both_paths import assert_same
from tests.mlir_texts import read_by_mlir
from tests.tools import needs_mlir_opt

EARLY_USE = """  %1 = arith.addi %0, %a : i32 loc("DEBUG|5|m")
  %0 = arith.addi %a, %a : i32 loc("DEBUG|1|m")
"""


def function(body: str) -> str:
    return f"func.func @f(%a: i32, %c: i1) {{\n{body}}}\n"


VALID = {
    "a loop that nothing enters": f"  return\n^bb1:\n{EARLY_USE}  cf.br ^bb1\n",
    "a block that only such a block enters": f"  return\n^bb1:\n  cf.br ^bb2\n^bb2:\n{EARLY_USE}  cf.br ^bb1\n",
    "a name of its label in a string": f'  "t.a"() {{s = "^bb1"}} : () -> ()\n  return\n^bb1:\n{EARLY_USE}  return\n',
    "its own result": '  return\n^bb1:\n  %x = "t.x"(%x) : (i32) -> i32\n  return\n',
    "the condition of an op": '  return\n^bb1:\n  scf.if %x {\n  }\n  %x = "t.x"() : () -> i1\n  return\n',
    "a block in an op of a reachable one": """  scf.execute_region {
    scf.yield
  ^bb1:
    "t.use"(%x) : (i32) -> ()
    cf.br ^bb1
  }
  %x = "t.x"() : () -> i32
  return
""",
}
REFUSED = {
    "the entry": f"{EARLY_USE}  return\n",
    "a block that a branch enters": f"  cf.br ^bb1\n^bb1:\n{EARLY_USE}  return\n",
    "a block that a switch enters": "  cf.switch %a : i32, [\n    default: ^bb2,\n    1: ^bb1\n  ]\n"
    f"^bb1:\n{EARLY_USE}  return\n^bb2:\n  return\n",
    "the entry of an op in such a block": '  return\n^bb1:\n  scf.if %c {\n    "t.use"(%x) : (i32) -> ()\n  }\n'
    '  %x = "t.x"() : () -> i32\n  return\n',
}


@pytest.mark.parametrize("case", VALID)
def test_a_use_may_come_before_its_definition(case: str) -> None:
    text = function(VALID[case])
    assert not check(read_text(text)).errors
    assert fix(read_text(text)).text == text.encode()
    assert_same(text.encode())


@pytest.mark.parametrize("case", REFUSED)
def test_elsewhere_it_may_not(case: str) -> None:
    with pytest.raises(InputError, match="before its definition"):
        fix(read_text(function(REFUSED[case])))


@needs_mlir_opt
def test_mlir_reads_the_same_blocks() -> None:
    read = read_by_mlir([function(body).encode() for body in [*VALID.values(), *REFUSED.values()]])
    assert [text is not None for text in read] == [True] * len(VALID) + [False] * len(REFUSED)


def test_other_blocks_are_put_in_order() -> None:
    shuffled = '  %y = arith.negf %x : f32 loc("DEBUG|{}|m")\n  %z = arith.negf %x : f32 loc("DEBUG|{}|m")\n'
    rest = f"  return\n^bb1:\n{EARLY_USE}  cf.br ^bb1\n"
    text = function('  %x = "t.x"() : () -> f32\n' + shuffled.format(4, 3) + rest)
    fixed = fix(read_text(text)).text
    assert [fixed.index(b"|%d|" % index) for index in (3, 4, 5, 1)] == sorted(
        fixed.index(b"|%d|" % index) for index in (3, 4, 5, 1)
    )


@pytest.mark.parametrize("case", VALID)
def test_it_is_compared_and_normalized(case: str) -> None:
    text = function(VALID[case])
    (dump,), (renamed,) = read_text(text), read_text(text.replace("%a", "%b"))
    assert diff(dump, renamed).sameness.is_at_least("names")
    assert normal_form(dump, ordered=True).text == normal_form(renamed, ordered=True).text
    assert fix([dump]).text
