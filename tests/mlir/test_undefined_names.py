"""Names in custom assembly that nothing defines: the op's own syntax gives them a meaning."""

from __future__ import annotations

import pytest

import eio_audit
from tests.cli.running import run
from tests.reading import check_error, ir_of, names, uses

MATCH = """func.func @f(%arg0: i32, %arg1: i32) -> i32 {
  %0 = ttir.abs %arg0 : i32 loc("DEBUG|3|f")
  my.match %arg1 : i32 {
    case a(%arg2) {
      my.connect %arg0, %arg2 : i32
    }
  } loc("DEBUG|2|f")
  %1 = ttir.neg %arg0 : i32 loc("DEBUG|1|f")
  %2 = ttir.exp %arg0 : i32 loc("DEBUG|0|f")
  return %2 : i32
}
"""


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("flow.func private @f(%arg0: tensor<?xf32>) -> %arg0 as tensor<4xi32>\n", "flow.func"),
        ("util.func private @f(%arg0: i32) -> %arg0\n", "util.func"),
        ("rtg.handlers {\n  handle @choose(%s: i32, %k: i32) {\n    rtg.resume %k, %s : i32\n  }\n}\n", "rtg.handlers"),
        ('my.instance @m of "P" {\n  graph {\n    %0 = operation<@Bar>()\n    operation<@Bar>(%0)\n  }\n}\n', "my.instance"),
        ("func.func @f(%a: i32) {\n  my.use %b : i32\n  return\n}\n", "my.use"),
        ("func.func @f() {\n  %0 = my.fill -> %0 as i32\n  return\n}\n", "my.fill"),
    ],
)  # fmt: skip
def test_it_is_no_operand(text: str, op: str) -> None:
    ir = ir_of(text)
    assert [ir.name(op) for op in ir.undefined_names] == [op]
    assert uses(text) == []
    assert all(value >= 0 for op in range(len(ir)) for value in ir.operands_of(op))


def test_a_location_after_the_brace_does_not_make_a_region_of_it() -> None:
    text = 'func.func @f(%a: i32) {\n  my.match %a { case b(%c) { my.use %c } } loc("x")\n  return\n}\n'
    assert names(text) == ["func.func", "  my.match", "  func.return"]


def test_the_other_operands_stay() -> None:
    text = "func.func @f() {\n  %a = t.a\n  my.use %a, %x, %a : i32 {\n    my.in %a\n  } do %y, %a\n  return\n}\n"
    assert uses(text) == [("t.a", "my.use"), ("t.a", "my.use"), ("t.a", "my.use"), ("t.a", "my.in")]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ('"my.use"(%b) : (i32) -> ()\n', 10, "use of value '%b', which is not defined in this scope"),
        ("arith.addi %b, %b : i32\n", 12, "use of value '%b', which is not defined in this scope"),
        ("%0 = arith.addi %0, %0 : i32\n", 17, "use of value '%0' before its definition"),
        ("my.use %1 : i32\n%1 = my.def : i32\n", 8, "use of value '%1' before its definition"),
    ],
)
def test_elsewhere_it_is_an_error(text: str, column: int, message: str) -> None:
    """In generic form, in ops of the op table, and where the name is another op's result."""
    check_error(f"func.func @f() {{\n{text}  return\n}}\n", 2, column, message)


def test_in_a_graph_region_the_own_result_is_an_operand() -> None:
    assert uses("my.graph {\n  %0 = my.register %0 : i32\n}\n") == [("my.register", "my.register")]


def test_nothing_moves_past_the_op() -> None:
    fixed = eio_audit.fix(eio_audit.read_text(MATCH)).text.decode()
    ops = [name for name in ("ttir.abs", "my.match", "ttir.exp", "ttir.neg") if name in fixed]
    assert sorted(ops, key=fixed.index) == ["ttir.abs", "my.match", "ttir.exp", "ttir.neg"]


@pytest.mark.parametrize("command", ["fix", "check"])
def test_a_line_says_so(command: str) -> None:
    errors = run(command, "-", stdin=MATCH.encode()).stderr.decode()
    assert errors.splitlines()[0] == (
        "note: <stdin>:4:12: my.match names %arg2, which nothing defines: no op moves past it"
    )


def test_the_line_names_the_first_of_several() -> None:
    text = MATCH.replace("ttir.neg %arg0", "my.neg %b")
    errors = run("fix", "-", stdin=text.encode()).stderr.decode()
    assert "names %arg2, which nothing defines: no op moves past it; nor past 1 op like it\n" in errors


def test_the_place_is_that_of_each_dump_with_the_same_text() -> None:
    marker = "// -----// IR Dump After cse (cse) //----- //\n"
    audits = eio_audit.check(eio_audit.read_text((marker + MATCH) * 2)).dumps
    assert [[one.line for one in audit.undefined_names] for audit in audits] == [[5], [17]]


@pytest.mark.parametrize("command", [["diff", "{0}", "{1}"], ["normalize", "{0}"], ["fix", "{0}"]])
def test_commands_go_on(command: list[str], tmp_path: object) -> None:
    files = [f"{tmp_path}/{name}.mlir" for name in "ab"]
    for file, text in zip(files, (MATCH, MATCH.replace("ttir.neg", "ttir.exp")), strict=True):
        with open(file, "w") as stream:  # noqa: PTH123
            stream.write(text)
    assert run(*(part.format(*files) for part in command)).returncode in (0, 1)
