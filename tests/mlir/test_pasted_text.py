"""Text as people paste it, and as printers of one compiler write it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import check, diff, read_text, trace
from tests.cli.running import run
from tests.reading import names


@pytest.mark.parametrize("end", ['"x"', "[]", "{a = 1}", "num 10", '"x" // c'])
@pytest.mark.parametrize("begin", ["{", "init {", "// c\n{"])
def test_the_region_of_a_top_level_op_begins_on_the_next_line(end: str, begin: str) -> None:
    assert names(f"my.op {end}\n{begin}\n  my.y @z : i32\n}}\n") == ["my.op", "  my.y"]


def test_an_op_with_several_regions_each_on_lines_of_its_own() -> None:
    regions = "".join(f"{name} {{\n  my.y @z\n}}\n" for name in ("init", "loop", "circuit"))
    assert names(f"verif.bmc bound 10 num_regs 0 initial_values []\n{regions}") == [
        "verif.bmc",
        *["  my.y"] * 3,
    ]


def test_a_line_of_a_logger_before_a_brace_is_no_op() -> None:
    assert names("core.py: step 10\nmodule {\n}\n") == ["builtin.module"]


def test_a_file_may_begin_with_an_op_with_a_dictionary() -> None:
    line = "hw.constant false {foo = #moore.fvint<0 : 0>}\n"
    assert names(line * 2) == ["hw.constant"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "my.circuit {}",
        "my.unit",
        "my.a.b\n",
        "// c\nmy.unit // c\n\n",
        "my.unit {a, b = 1}",
        "my.unit : i32",
        "my.unit -> !my.t<i32>",
        "my.unit #my.a",
        "my.unit<5>",
        'my.unit "a"',
        "my.unit [1, 2]",
        "my.unit {} {}",
        "my.unit\n#loc = loc(unknown)\n",
        "#a = 1\nmy.unit #a\n",
    ],
)
def test_an_op_that_is_only_a_name_may_be_all_of_a_file(text: str) -> None:
    assert len(names(text)) == 1


@pytest.mark.parametrize(
    "text", ["a.mlir\nb.mlir\n", "step 1\nmy.unit\n", "core.py: done\n", "see e.g. x", "my.unit is slow"]
)
def test_among_other_text_a_name_is_no_op(text: str) -> None:
    assert names(text) == []


ALIAS = "#set = affine_set<(d0) : (-d0 + 89 >= 0)>\n"


@given(blanks=st.text(" \t", max_size=4))
def test_an_indented_separator_splits(blanks: str) -> None:
    functions = [f"\n{ALIAS}  func.func @{f}() {{\n    return\n  }}\n" for f in "ab"]
    dumps = read_text(f"{blanks}// -----".join(functions))
    assert [dump.text.decode() for dump in dumps] == functions
    assert check(dumps).errors == ()


def test_an_indented_separator_in_braces_is_a_comment() -> None:
    assert len(read_text("module {\n  // -----\n}\n")) == 1


@pytest.mark.parametrize("end", ["", " ", "\r"])
def test_the_op_that_a_diagnostic_shows_is_skipped(end: str) -> None:
    text = f"""// -----// IR Dump Before A (a) //----- //
func.func @k(%n: i64) {{
  return
}}

x.mlir:10:10: note: see current operation:{end}
%5:3 = "cc.loop"(%2, %2, %2) ({{
^bb0(%arg0: i64):
  "cc.condition"(%arg0) : (i64) -> ()
}}) : (i64, i64, i64) -> (i64, i64, i64)
"""
    assert check(read_text(text)).errors == ()


@pytest.mark.parametrize("shown", ['"t.x"(%n) : (i64) -> ()', '  %1 = "t.x"(%n) : (i64) -> i64'])
def test_a_shown_op_may_be_wrapped_or_indented(shown: str) -> None:
    text = "// -----// IR Dump Before A (a) //----- //\nfunc.func @k() {\n  return\n}\n"
    note = f"x.mlir:10:10: note: see current operation:\n{shown}\n"
    assert check(read_text(text + note)).errors == ()


@pytest.mark.parametrize(
    "line", ['\x1b[31m"t.x"\x1b[0m() : () -> ()', '"\x1b[31mt.x\x1b[0m"() : () -> ()', "}\x1b[0m"]
)
def test_colours_inside_a_line_are_an_error(line: str) -> None:
    [error] = check(read_text(f"func.func @k() {{\n  {line}\n}}\n")).errors
    assert error.message == "colours in a line of IR: print it without them"


def test_a_coloured_line_of_a_logger_is_skipped() -> None:
    text = 'func.func @k() {\n\x1b[33mslow\x1b[0m line\n  "t.x"() : () -> () loc("1|x")\n}\n'
    assert check(read_text(text)).summary.indexed == 1


REPRODUCER = """module {
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(a{num-ctas=1}, tritongpu-coalesce, tritongpu-promote)",
      verify_each: true
    }
  }
#-}
a.py:18:0: error: Failures have been detected while processing an MLIR pass pipeline
"""


@given(st.lists(st.integers(REPRODUCER.index("ext"), REPRODUCER.index("#-}")), max_size=4))
def test_a_reproducer_is_skipped_however_it_is_wrapped(places: list[int]) -> None:
    text = REPRODUCER
    for place in sorted(places, reverse=True):
        text = text[:place] + "\n" + text[place:]
    [dump] = read_text(text)
    assert check([dump]).errors == ()
    assert names(text) == ["builtin.module"]


def test_a_reproducer_is_named() -> None:
    assert [*trace(read_text(REPRODUCER)).notes] == [("<text>", 6)]
    done = run("trace", "-", stdin=REPRODUCER.encode())
    assert done.stderr == b"note: <stdin>:6: reproducer of a compiler that failed\n"


@pytest.mark.parametrize("command", [["diff", "--pass", "a"], ["history", "3"], ["diff"]])
def test_the_commands_on_logs_name_it_once(command: list[str], tmp_path: Path) -> None:
    path, ir = tmp_path / "a.log", "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
    markers = [f"// -----// IR Dump {when} A (a) //----- //\n" for when in ("Before", "After")]
    path.write_text("".join(marker + ir for marker in markers) + REPRODUCER)
    name, *options = command
    other = [path] if command == ["diff"] else []
    done = run(name, path, *options, *other)
    assert done.stderr.decode() == f"note: {path}:14: reproducer of a compiler that failed\n"


def test_a_port_of_circt_is_no_use_of_a_value() -> None:
    text = 'hw.module.extern @e(in %foo: i32, in %bar "hello": i16, out baz: i8)\n'
    assert check(read_text(text)).errors == ()


SLASHES = "!u.t<a // b>"


def test_two_slashes_in_the_body_of_a_type_begin_no_comment() -> None:
    text = f"""module {{
  %0 = "d.a"() : () -> {SLASHES} // {{
  "d.r"() ({{
  ^bb0(%x: {SLASHES}):
    d.b %x : {SLASHES}, !u.k<[{SLASHES}]> loc("7|b")
  }}) : () -> ()
  "d.c"(%0) {{a = #u.s<"x" // "y">}} : ({SLASHES}) -> ()
}}
"""
    assert names(text) == ["builtin.module", "  d.a", "  d.r", "    d.b", "  d.c"]
    assert names(text + "// -----\n" + text) == 2 * names(text)
    assert check(read_text(text)).summary.indexed == 1


def test_far_before_the_end_of_a_line_two_slashes_begin_a_comment() -> None:
    for blanks, number in (
        (1000 - len("// b>\n") + 1, 1),
        (1000, 0),
    ):
        # time would grow with the square of a line
        text = f'"d.a"() : () -> {SLASHES}{" " * blanks}\n'
        assert len(check(read_text(text)).dumps) == number


def test_what_follows_two_slashes_in_a_type_is_compared() -> None:
    texts = [f'"d.a"() : () -> {SLASHES}\n', f'"d.a"() : () -> {SLASHES.replace("b", "c")}\n']
    assert diff(*(read_text(text)[0] for text in texts)).ops.unchanged == 0
    commented = [text.replace("a //", "a> //") for text in texts]
    assert diff(*(read_text(text)[0] for text in commented)).ops.unchanged == 1


@pytest.mark.parametrize("name", ["#u.t", "!u.t"])
def test_a_memref_behind_two_slashes_in_a_type_is_seen(name: str) -> None:
    text = f"""func.func @f(%m: memref<i32>, %a: i32) {{
  memref.store %a, %m[] {{a = {name}<a // b>}} : memref<i32> loc("2|x")
  %b = memref.load %m[] {{a = {name}<a // b>}} : memref<i32> loc("1|x")
  return
}}
"""
    found = check(read_text(text)).summary
    assert (found.inversions, found.avoidable) == (1, 0)
