"""Every row of a trace has the numbers that ``diff`` has of the same pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Dump, diff, read, read_text, trace
from eio_audit.audit.programs.program_text import text_before
from tests.internals import OpTable

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"

NAMES = ("t.a", "t.b", "t.c")


@dataclass(frozen=True)
class Function:
    """A function with one op per line, each by its name and the distance to the op whose result it uses."""

    symbol: str
    ops: tuple[tuple[str, int], ...]

    def text(self, first: int) -> str:
        """Print it; values are numbered from ``first``."""
        lines = [f"func.func @{self.symbol}(%x: i32) {{"]
        for number, (name, distance) in enumerate(self.ops):
            used = f"%{first + number - distance}" if distance <= number and distance else "%x"
            lines.append(f"  %{first + number} = {name} {used} : i32")
        return "\n".join([*lines, "  return", "}"])


def module(functions: list[Function], first: int) -> str:
    inner = "\n".join(function.text(first) for function in functions)
    return "module {\n" + "\n".join(f"  {line}" for line in inner.split("\n")) + "\n}"


ops = st.tuples(st.sampled_from(NAMES), st.integers(0, 3))


@st.composite
def changed(draw: st.DrawFn, function: Function) -> Function:
    """Add, remove, rename or swap an op, or keep the function."""
    found, place = list(function.ops), draw(st.integers(0, max(len(function.ops) - 1, 0)))
    what = draw(st.sampled_from(["keep", "add", "remove", "rename", "swap"]))
    if what == "add" or not found:
        found.insert(place, draw(ops))
    elif what == "remove":
        del found[place]
    elif what == "rename":
        found[place] = (draw(st.sampled_from(NAMES)), found[place][1])
    elif what == "swap" and place + 1 < len(found):
        found[place : place + 2] = found[place + 1], found[place]
    return replace(function, ops=tuple(found)) if what != "keep" else function


@dataclass(frozen=True)
class Log:
    """A log, and per dump what it shows as it was before: the functions with the names of their ops."""

    text: str
    before: tuple[dict[str, list[str]], ...]


def shown_in(text: str) -> dict[str, list[str]]:
    """Return the names of the ops of each function in a text."""
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        if function := re.search(r"@(\w)", line):
            names = found[function[1]] = list[str]()
        elif op := re.search(r"t\.\w", line):
            names.append(op[0])
    return found


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """A module, then dumps of it or of one of its functions, each of which changes some of them."""
    bodies = draw(st.lists(st.lists(ops, min_size=1, max_size=6), min_size=1, max_size=3))
    functions = [Function("fgh"[k], tuple(body)) for k, body in enumerate(bodies)]
    texts, before = [module(functions, 0)], [dict[str, list[str]]()]
    for _ in range(draw(st.integers(1, 4))):
        first, known = draw(st.integers(0, 2)), shown_in(module(functions, 0))
        if draw(st.booleans()):
            functions = [draw(changed(function)) for function in functions]
            if len(functions) > 1 and draw(st.booleans()):
                functions = functions[1:]
            texts.append(module(functions, first))
            before.append(known)
        else:
            k = draw(st.integers(0, len(functions) - 1))
            functions[k] = draw(changed(functions[k]))
            texts.append(functions[k].text(first))
            before.append({functions[k].symbol: known[functions[k].symbol]})
    marked = [f"// -----// IR Dump After P{k} (p{k}) //----- //\n{text}\n" for k, text in enumerate(texts)]
    return Log("".join(marked), tuple(before))


def expect_rows_of_diff(dumps: list[Dump]) -> None:
    rows = {(traced.program, traced.place.line): traced for traced in trace(dumps).passes}
    for number, dump in enumerate(dumps):
        earlier = [one for one in dumps[:number] if one.program == dump.program]
        before = text_before(earlier, dump, OpTable())
        if before is None or dump.marker is None or dump.marker.when != "after":
            continue
        changes = diff(before, dump).ops
        expected = {name: len(found) for name, found in changes.groups.items()}
        assert rows[dump.program, dump.line].op_counts._asdict() == {**expected, "unlocated": 0}


VANISHED = """\
// -----// IR Dump After P (p) //----- //
module {
  module @a {
    func.func @f(%x: i32) {
      %0 = t.a %x : i32
      %1 = t.a %0 : i32
      return
    }
  }
  module @b {
    func.func @f(%x: i32) {
      %0 = t.a %x : i32
      return
    }
    func.func @g(%x: i32) {
      %0 = t.a %x : i32
      return
    }
  }
}
// -----// IR Dump After P1 (p1) //----- //
module @a {
  func.func @f(%x: i32) {
    %0 = t.a %x : i32
    %1 = t.a %0 : i32
    return
  }
}
// -----// IR Dump After P1 (p1) //----- //
func.func @f(%x: i32) {
  %0 = t.a %x : i32
  return
}
// -----// IR Dump After P2 (p2) //----- //
func.func @f(%x: i32) {
  %1 = t.a %x : i32
  %2 = t.a %x : i32
  %3 = t.a %2 : i32
  return
}
// -----// IR Dump After P2 (p2) //----- //
module @b {
  func.func @g(%x: i32) {
    %0 = t.a %x : i32
    return
  }
}
// -----// IR Dump After P3 (p3) //----- //
module @a {
  func.func @f(%x: i32) {
    %1 = t.a %x : i32
    %2 = t.a %x : i32
    %3 = t.a %2 : i32
    return
  }
}
"""


@given(logs())
def test_rows_of_made_logs(log: Log) -> None:
    expect_rows_of_diff(read_text(log.text))


@given(logs(), logs())
def test_rows_of_made_logs_of_two_modules_with_equal_functions(one: Log, other: Log) -> None:
    """Their dumps take turns, first one with both modules in it."""
    marker = re.compile("(?=^// -----//)", re.M)
    (first, *rest), (second, *more) = (marker.split(log.text)[1:] for log in (one, other))
    bodies = [
        dump.split("\n", 1)[1].replace("module {", f"module @{name} {{", 1)
        for name, dump in (("a", first), ("b", second))
    ]
    both = "// -----// IR Dump After P (p) //----- //\nmodule {\n" + indent("".join(bodies), "  ") + "}\n"
    turns = [
        dump.replace("module {", f"module @{name} {{", 1)
        for pair in zip_longest(rest, more, fillvalue="")
        for name, dump in zip("ab", pair, strict=True)
    ]
    expect_rows_of_diff(read_text(both + "".join(turns)))


def test_a_row_of_a_function_whose_namesake_has_vanished() -> None:
    """The fourth dump shows the @f of @b, which the fifth has no more. The last shows the @f of @a."""
    expect_rows_of_diff(read_text(VANISHED))


@given(logs())
def test_the_text_before_a_dump_has_what_the_dumps_before_showed_last(log: Log) -> None:
    dumps = read_text(log.text)
    for number, dump in enumerate(dumps):
        before = text_before(dumps[:number], dump, OpTable())
        assert (shown_in(before.text.decode()) if before is not None else {}) == log.before[number]


@pytest.mark.parametrize(
    "name", ["small", "ttnn", *(pytest.param(name, marks=pytest.mark.slow) for name in ("encoder", "resnet"))]
)
def test_rows_of_sample_logs(name: str) -> None:
    for path in sorted((SAMPLES / name).glob("*.log")):
        expect_rows_of_diff(read(path))


def test_rows_of_functions_with_one_symbol_in_two_modules() -> None:
    dumps = [
        "module { module @a { func.func @f() { t.a } } module @b { func.func @f() { t.b } } }",
        "module @b { func.func @f() { t.c } }",
        "module @a { func.func @f() { t.c } }",
        "module @b { func.func @f() { t.c } }",
    ]
    text = "".join(
        f"// -----// IR Dump After P{k} (p{k}) //----- //\n" + re.sub(r"([{}])", "\\1\n", dump) + "\n"
        for k, dump in enumerate(dumps)
    )
    counts = [traced.op_counts for traced in trace(read_text(text)).passes]
    assert [(one.added, one.removed, one.total) for one in counts[1:]] == [(1, 1, 2), (1, 1, 2), (0, 0, 0)]


def test_a_function_that_shares_a_line_with_another_op_has_no_text_before() -> None:
    first, second = read_text(
        "// -----// IR Dump After A (a) //----- //\nmodule {\n  func.func @f() { t.a } }\n"
        "// -----// IR Dump After B (b) //----- //\nfunc.func @f() { t.b }\n"
    )
    assert text_before([first], second, OpTable()) is None


class Looking:
    """Keeps the numbers of the changed ops that it is shown."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def watch(self, run: Any, program: str, step: Any, changes: Sequence[Any]) -> None:
        """Keep them."""
        self.seen += [change.number for change in changes]


def test_a_watch_sees_the_numbers_of_ops() -> None:
    looking = Looking()
    before, after = Function("f", (("t.a", 0),)), Function("f", (("t.a", 0), ("t.b", 1)))
    trace(
        read_text(
            f"// -----// IR Dump After A (a) //----- //\n{before.text(0)}\n"
            f"// -----// IR Dump After B (b) //----- //\n{after.text(0)}\n"
        ),
        watches=[looking],
    )
    assert looking.seen == [3]


def test_ops_that_lost_their_location_are_counted() -> None:
    text = """// -----// IR Dump After {name} //----- //
func.func @f(%a: i32) -> i32 {{
  %0 = "x.neg"(%a) : (i32) -> i32 loc({location})
  return %0 : i32 loc("r")
}} loc("f")
"""
    log = text.format(name="a", location='"x"') + text.format(name="b", location="unknown")
    changes = trace(read_text(log)).passes[1].op_counts
    assert (changes.modified, changes.unlocated, changes.total) == (1, 1, 1)
