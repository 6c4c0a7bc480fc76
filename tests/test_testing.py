"""The assertion for the tests of a compiler."""

from pathlib import Path

import pytest

import eio_audit
from eio_audit import AuditOptions, InputError
from eio_audit.testing import assert_in_original_order
from tests.audit.test_check import ISSUE
from tests.audit.test_fix import SHUFFLED, fixed

SAMPLES = Path(__file__).parent.parent / "sample_irs"
DIFF = """--- <text>
+++ <text>
@@ -1,6 +1,6 @@
 func.func @f(%a: i32) -> i32 {
+  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
   %1 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|1|b")
-  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
   %2 = "ttir.add"(%0, %1) : (i32, i32) -> i32 loc("DEBUG|2|c")
   return %2 : i32
 }"""


def failure(ir: str | Path, **choices: object) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_in_original_order(ir, **choices)  # type: ignore[arg-type]
    return str(caught.value)


def test_in_order() -> None:
    assert_in_original_order(fixed(SHUFFLED))
    assert_in_original_order(fixed(SHUFFLED).encode(), fail_on="any")


def test_the_message_names_the_ops_and_what_would_move() -> None:
    report, _, diff = failure(SHUFFLED).partition("\n---")
    assert report.startswith(
        "the ops are not in their original order\n"
        "<text>\n"
        "  2:3 EIO001 #1 ttir.neg %1 belongs after #0 ttir.abs %0 (line 3): 1 inversion, fix moves it\n"
    )
    assert f"---{diff}" == DIFF


def test_a_wrong_index_passes_if_only_moved_ops_fail() -> None:
    assert_in_original_order(ISSUE, fail_on="out-of-place")
    assert "EIO003 #23 ttir.permute %56 should carry #18" in failure(ISSUE)


def test_another_choice_is_an_error() -> None:
    with pytest.raises(
        ValueError, match="expected fail_on to be 'shuffled', 'out-of-place' or 'any', not 'avoidable'"
    ):
        assert_in_original_order(ISSUE, fail_on="avoidable")  # type: ignore[arg-type]


def test_a_file() -> None:
    assert f"\n{SAMPLES}/resnet/after_alias.mlir\n  178:5 EIO003 " in failure(
        SAMPLES / "resnet" / "after_alias.mlir"
    )


def test_options() -> None:
    derived = AuditOptions(follow=["derived"])
    assert_in_original_order(SAMPLES / "resnet" / "after_alias.mlir", derived, fail_on="out-of-place")


def test_a_long_diff_and_its_lines_of_more_than_120_characters_are_cut() -> None:
    starts = [f'  %{k} = "ttir.abs"(%a) : (i32) -> i32 loc("{40 - k}|' for k in range(40)]
    ops = [f'{start.ljust(118, "x")}")' for start in starts]  # of 120, and a sign in the diff
    lines = (
        failure("\n".join(["func.func @f(%a: i32) {", *ops, "  return", "}", ""]))
        .partition("\n---")[2]
        .split("\n")
    )
    assert (len(lines), lines[-1]) == (61, "... and 25 more lines")
    assert {len(line) for line in lines[4:40]} == {120 + len("...")}


@pytest.mark.parametrize(
    ("text", "message"), [("module {", "never closed"), ("module {\n}", "no op carries an op index")]
)
def test_ir_that_asserts_nothing_is_an_error(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        assert_in_original_order(text)


def test_type_checkers_find_the_types() -> None:
    assert (Path(eio_audit.__file__).parent / "py.typed").is_file()
