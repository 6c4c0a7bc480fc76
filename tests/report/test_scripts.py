"""What the scripts of a page compute, in V8: the words of IR, the rows of two texts, the passes with a word.

``pytest -m browser`` tries what they show.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from eio_audit import Dump, read, read_text, trace
from eio_audit.report.html.passes import trace_to_html
from tests.cli.running import SAMPLES
from tests.internals import StoredSteps
from tests.report.pages import Page
from tests.report.stored import texts_of

SCRIPTS = ("ir_text.js", "ir_rows.js", "step_data.js")
LOGS = [SAMPLES / "mlir_opt" / "passes.log", SAMPLES / "small" / "all_passes_alias.log"]
HELPERS = """
const side = (number, which) => steps.text(steps.steps[number][which]);
const statusesOf = (number) => new Map(steps.steps[number].changes.map(({ op, status }) => [op, status]));
const originsOf = (number) => steps.steps[number].changes
  .filter(({ status, other }) => status === "added" && other).map(({ op, other }) => [op, other]);
const rowsOf = (number) => {
  const [before, after] = [side(number, "before"), side(number, "after")];
  return irRows.rowsOf(before, after, statusesOf(number), originsOf(number)).rows;
};
"""


class Script:
    """The scripts with the data of the page of a log. It has to be closed: its engine has a thread."""

    def __init__(self, dumps: list[Dump]) -> None:
        stored = StoredSteps()
        traced = trace(dumps, watches=[stored])
        page = Page(trace_to_html(traced, "1.0", stored.of(traced)))
        self.data: dict[str, Any] = page.packed["passes-data"]
        folder = files("eio_audit.report.html").joinpath("templates")
        texts = [folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS]
        self._engine = MiniRacer()
        self.close = self._engine.close
        try:
            self._engine.eval("".join(texts))
            self._engine.eval(f"const steps = new stepData.Steps({json.dumps(self.data)});{HELPERS}")
        except BaseException:
            self.close()
            raise

    def __call__(self, expression: str) -> Any:
        """The value of an expression."""
        return json.loads(str(self._engine.eval(f"JSON.stringify({expression})")))

    def rows(self, step: int) -> list[tuple[str, str, str]]:
        """The rows of a step: both lines, and of which kind the row is."""
        return [
            tuple(row)
            for row in self(
                f"rowsOf({step}).map(({{ left, right, kind }}) => [side({step}, 'before').lines[left] === undefined ? ''"
                f" : side({step}, 'before').line(left), side({step}, 'after').lines[right] === undefined ? ''"
                f" : side({step}, 'after').line(right), kind])"
            )
        ]


@pytest.fixture(scope="module", params=LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def script(request: pytest.FixtureRequest) -> Iterator[Script]:
    log: Path = request.param
    with closing(Script(read(str(log)))) as script:
        yield script


def of_texts(before: str, after: str) -> AbstractContextManager[Script]:
    marker = "// -----// IR Dump {} Pass (pass) //----- //\n{}\n"
    return closing(Script(read_text(marker.format("Before", before) + marker.format("After", after))))


def function(*ops: str) -> str:
    return "".join([*(f"  {op}\n" for op in ("func.func @f(%a: i32) {", *ops, "return")), "}\n"])


def test_lines_are_those_that_were_printed(script: Script) -> None:
    for number, (_, lines, _, _) in enumerate(texts_of(script.data)):
        shown = script(
            f"Array.from(steps.text({number}).lines, (_, line) => steps.text({number}).line(line))"
        )
        assert shown == [line.decode() for line in lines]


def test_rows_have_each_line_once_in_its_order(script: Script) -> None:
    for step in range(len(script.data["steps"])):
        for side in ("left", "right"):
            lines = script(f"rowsOf({step}).map(({{ {side} }}) => {side}).filter((line) => line >= 0)")
            which = {"left": "before", "right": "after"}[side]
            assert lines == list(range(script(f"side({step}, '{which}').size")))


def test_a_row_is_changed_where_its_op_is(script: Script) -> None:
    for step in range(len(script.data["steps"])):
        kinds = script(
            f"rowsOf({step}).filter(({{ left, right }}) => left >= 0 && right >= 0 && side({step}, 'before').ops[left]"
            f" && side({step}, 'before').ops[left] === side({step}, 'after').ops[right])"
            f".map(({{ left, kind }}) => [statusesOf({step}).has(side({step}, 'before').ops[left]), kind])"
        )
        assert {(changed, kind == "changed") for changed, kind in kinds} <= {(True, True), (False, False)}
        assert kinds


def test_the_passes_with_a_word_are_those_whose_texts_have_it(script: Script) -> None:
    texts = [b"\n".join(lines).decode().lower() for _, lines, _, _ in texts_of(script.data)]
    for word in ("tensor", "generic", "%0", "permute", "nothing of this"):
        having = {
            step[0] for step in script.data["steps"] if any(word in texts[state] for state in step[1:3])
        }
        assert set(script(f"[...steps.passesWith(['{word}'])]")) == having
        assert script(f"[...steps.passesWith(['{word}', 'nothing of this'])]") == []


ABS, NEG, EXP = (f'%{k} = "ttir.{name}"(%a) : (i32) -> i32' for k, name in enumerate(("abs", "neg", "exp")))


def test_an_op_that_moved_stands_aside_and_the_others_in_one_row() -> None:
    with of_texts(function(ABS, NEG, EXP), function(EXP, ABS, NEG)) as script:
        rows = [(left.strip(), right.strip(), kind) for left, right, kind in script.rows(0)]
    assert rows[1:5] == [
        ("", EXP, "apart"),
        (ABS, ABS, "same"),
        (NEG, NEG, "same"),
        (EXP, "", "apart"),
    ]


def test_renumbered_values_differ_by_name_only() -> None:
    before = function(ABS, '%1 = "ttir.neg"(%0) : (i32) -> i32')
    after = function(ABS.replace("%0", "%7"), '%9 = "ttir.neg"(%7) : (i64) -> i32')
    with of_texts(before, after) as script:
        assert [kind for *_, kind in script.rows(0)] == ["same", "names", "changed", "same", "same"]


def test_names_of_two_regions_are_two_values() -> None:
    region = ["scf.if %b {", ABS, '"t.use"(%0) : (i32) -> ()', "}"]
    with of_texts(function(*region, *region), function(*region, *region, NEG)) as script:
        uses = script("side(0, 'before').values.of.map((values) => values.filter((one) => one !== null))")
    [first, second] = [values for values in uses[3::4] if values]
    assert first != second


def test_words_of_a_line_are_told_apart() -> None:
    line = r'%0:2 = t.op "a\" b" ^bb1 @f::@g #loc1 -0.5e3 tensor<2x"->"xf32> loc("x"(#loc)) // end'
    with of_texts(function(ABS), function(NEG)) as script:
        words = script(f"irText.pattern({json.dumps(line)}).words.filter(([kind]) => kind !== 'space')")
    assert [tuple(word) for word in words] == [
        ("value", "%0:2"),
        ("mark", "="),
        ("op", "t.op"),
        ("string", r'"a\" b"'),
        ("block", "^bb1"),
        ("symbol", "@f::@g"),
        ("attribute", "#loc1"),
        ("number", "-0.5e3"),
        ("type", 'tensor<2x"->"xf32>'),
        ("location", 'loc("x"(#loc))'),
        ("comment", "// end"),
    ]
