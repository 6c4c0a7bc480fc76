"""The text and the Markdown of a diff, compared with what a person should read."""

from __future__ import annotations

import io
from itertools import chain
from pathlib import Path

import pytest

import eio_audit
from eio_audit import Diff
from tests.cli.running import SAMPLES
from tests.golden import golden
from tests.internals import Console, rendered
from tests.report.test_text import IN_ORDER, SHUFFLED, Terminal, function, op

GOLDENS = Path(__file__).parent / "goldens"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def diff_of(before: str, after: str) -> Diff:
    texts = ((before, "before.mlir"), (after, "after.mlir"))
    return eio_audit.diff(*(eio_audit.read_text(*text)[0] for text in texts))


def diff_report(before: str, after: str, *, verbose: bool = False) -> str:
    file = io.StringIO()
    rendered(diff_of(before, after), "text", Console(file, verbose=verbose), verbose=verbose)
    return file.getvalue()


@pytest.fixture(scope="module")
def sample() -> Diff:
    """What the real pass did to a small program; the paths as from the samples' folder."""
    texts = (
        (SAMPLES / "small" / f"{when}_inline.mlir", f"small/{when}.mlir") for when in ("before", "after")
    )
    return eio_audit.diff(*(eio_audit.read_text(path.read_bytes(), name)[0] for path, name in texts))


@pytest.mark.parametrize("width", [60, 160])
def test_a_real_diff_on_a_terminal(sample: Diff, width: int) -> None:
    file = Terminal()
    rendered(sample, "text", Console(file, color=False, width=width))
    assert file.getvalue() == golden(file.getvalue(), GOLDENS / f"diff_small_{width}.txt")


LAYOUT = "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x8x!ttcore.tile<32x32, bf16>>>"
RESHAPE = f"""\
func.func @f(%arg0: tensor<256xbf16>) {{
  %0 = "ttnn.reshape"(%arg0) <{{shape = [1 : i32, 1 : i32, 256 : i32]}}> : (tensor<256xbf16, {LAYOUT}>) -> \
tensor<1x1x256xbf16, {LAYOUT}> loc("20|LayerNorm[n]|m.py:52|forward|53|layer_norm")
  return
}}
"""


def test_the_types_of_a_result_begin_after_the_arrow_outside_of_brackets() -> None:
    report = diff_report(RESHAPE, RESHAPE.replace("-> tensor<1x1x256xbf16", "-> tensor<1x256xbf16"))
    assert "types: tensor<[-1x1x256xbf16-]{+1x256xbf16+}, #ttnn.ttnn_layou..." in report


def test_a_real_diff_in_place(sample: Diff) -> None:
    file = Terminal()
    rendered(sample, "text", Console(file, color=False, width=120), context=1)
    assert file.getvalue() == golden(file.getvalue(), GOLDENS / "diff_small_in_place.txt")


def test_a_real_diff_in_a_pipe(sample: Diff) -> None:
    file = io.StringIO()
    rendered(sample, "text", Console(file, verbose=True), verbose=True)
    assert file.getvalue() == golden(file.getvalue(), GOLDENS / "diff_small.txt")


def test_a_real_diff_as_markdown(sample: Diff) -> None:
    text = rendered(sample, "markdown")
    assert text == golden(text, GOLDENS / "diff_small.md")


def test_diff_reads_like_a_review() -> None:
    before = function(op("%0", 0), op("%1", 1, "%0", "ttir.neg"), op("%2", 2), op("%3", 4, "%2", "ttir.cos"))
    after = function(op("%0", 2), op("%1", 0), op("%2", 1, "%1", "ttir.neg"), op("%3", 3, "%0", "ttir.sin"))
    assert (
        diff_report(before, after)
        == """\
different: 1 moved, 1 added, 1 removed
before  before.mlir:1:1
after   after.mlir:1:1
ops: 4 unchanged, 1 moved, 0 modified, 1 added, 1 removed
order: 0 -> 2 inversions, 0 -> 2 avoidable

@forward
  1 moved
    #2  ttir.abs  %2 -> %0  line 4 -> 2  Net[net]
        in 2 inversions, none before
  1 added
    #3  ttir.sin  %3  line 5  Net[net]
  1 removed
    #4  ttir.cos  %3  line 5  Net[net]

order
  @forward ^bb0 at line 2: 2 inversions: all can be moved back
    before: in order

what to change  an estimate
    #2 ttir.abs %0 was moved to the start. Where it stood before, 2 inversions would become 0

next:
  eio-audit fix --diff after.mlir  # shows the fix; --in-place applies it
"""
    )


def test_diff_says_what_of_the_disorder_was_there_before() -> None:
    after = function(op("%0", 2), op("%2", 1), op("%1", 0))
    assert "\n    before: 2 inversions: " in diff_report(SHUFFLED, after)


@pytest.mark.parametrize(("verbose", "named"), [(False, 3), (True, 12)])
def test_all_wrong_indices_are_named_if_verbose(verbose: bool, named: int) -> None:
    pairs = [(op(f"%{k}", 3 * k + 2), op(f"%{k + 20}", 3 * k + 1, f"%{k}")) for k in range(12)]
    text = diff_report(function(), function(*chain.from_iterable(pairs)), verbose=verbose)
    assert text.count(" should carry #") == named
    assert (" 9 more" in text) is not verbose


def test_diff_of_the_same_dump() -> None:
    assert diff_report(IN_ORDER, IN_ORDER) == ("identical\n")


def test_diff_names_a_few_of_many_in_each_function() -> None:
    name = '"DEBUG|7|Net[net]|net.py:1|forward|2|abs'
    many = [f'%{k} = "t.op{k}"(%a) : (i32) -> i32 loc({name}_tm{k}"({name}"))' for k in range(20)]
    text = diff_report(function() + function(name="g"), function(*many) + function(op("%0", 9), name="g"))
    assert "\n@forward\n  20 added\n" in text
    assert "\n    #7  t.op0  %0  line 2  Net[net]\n        made from another op\n" in text
    assert "\n    #7  t.op2  %2  line 4  Net[net]\n        made from another op\n\n@g\n  1 added\n" in text
    assert text.startswith("different: 21 added\n")
    assert text.endswith("\n\n--verbose shows 17 more changes\n")


def test_rich_leaves_names_alone() -> None:
    module = "Seq[a, b]:smile:[/red][bold]https://x.y/z"
    assert f"{module}\n" in diff_report(function(op("%0", 2, module=module)), function())


def test_markdown_of_names_that_look_like_markdown() -> None:
    module = "Seq[a]`c`<br>@someone"
    text = rendered(diff_of(function(), function(op("%0", 2, module=module))), "markdown")
    assert "| `#2` | `ttir.abs` | `%0` | 2 | ``Seq[a]`c`<br>@someone`` |" in text


def test_markdown_folds_long_tables() -> None:
    many = [op(f"%{k}", k, name=f"t.op{k}") for k in range(11)]
    text = rendered(diff_of(function(), function(*many)), "markdown")
    assert "<details><summary>11 added</summary>\n\n| index | op |" in text


def bare(types: str) -> str:
    return f'func.func @f(%a: {types}) {{\n  "t.use"(%a) : ({types}) -> ()\n}}\n'


@pytest.mark.parametrize(
    ("color", "width", "line"),
    [
        (False, 119, "        types: (tensor<[-4xi32-]{+2x2xi32+}>) -> ()"),
        (
            False,
            120,
            "        types: (tensor<[-4xi32-]>) -> ()".ljust(62) + " | types: (tensor<{+2x2xi32+}>) -> ()",
        ),
        (
            True,
            120,
            "        types: (tensor<\x1b[31m4xi32\x1b[0m>) -> ()".ljust(71)
            + "\x1b[2m | \x1b[0mtypes: (tensor<\x1b[32m2x2xi32\x1b[0m>) -> ()",
        ),
    ],
)
def test_changed_words_are_marked(color: bool, width: int, line: str) -> None:
    file = Terminal()
    rendered(
        diff_of(bare("tensor<4xi32>"), bare("tensor<2x2xi32>")),
        "text",
        Console(file, color=color, width=width),
    )
    assert line in file.getvalue().splitlines()


def test_changes_that_repeat_are_folded() -> None:
    def layers(name: str, modules: tuple[str, ...] = ("Net[net.0]", "Net[net.1]", "Other[net.2]")) -> str:
        return function(*(op(f"%{k}", k, name=name, module=module) for k, module in enumerate(modules)))

    text = diff_report(layers("t.old"), layers("t.old") + layers("t.new").replace("@forward", "@g"))
    assert (
        """
  4 added
    #0  t.new        %0  line 8   Net[net.0]
        2 times in 2 modules: Net[net.*]
    #2  t.new        %2  line 10  Other[net.2]
        func.return      line 11
"""
        in text
    )


LOCATED = """func.func @f(%a: i32 loc("foo.mlir":143:17)) -> i32 {
  %0 = "x.neg"(%a) : (i32) -> i32 loc("m.mlir":2:3)
  cf.br ^bb1(%0 : i32) loc("b":1:1)
^bb1(%b: i32 loc("foo.mlir":66:6)):
  return %b : i32 loc("r":1:1)
} loc("f":1:1)
"""


def test_old_and_new_locations_are_shown() -> None:
    report = diff_report(LOCATED, LOCATED.replace('"m.mlir":2:3', "unknown"))
    assert "        location: [-m.mlir:2:3-]{+unknown+}\n" in report


@pytest.mark.parametrize(
    ("verbose", "lines"),
    [
        (False, ["location of 2 arguments: [-foo.mlir:143:17-]{+unknown+}"]),
        (
            True,
            [
                "location of argument 0 of ^bb0: [-foo.mlir:143:17-]{+unknown+}",
                "location of argument 0 of ^bb1: [-foo.mlir:66:6-]{+unknown+}",
            ],
        ),
    ],
)
def test_one_argument_stands_for_all_whose_location_changed(verbose: bool, lines: list[str]) -> None:
    lost = LOCATED.replace('"foo.mlir":143:17', "unknown").replace('"foo.mlir":66:6', "unknown")
    report = diff_report(LOCATED, lost, verbose=verbose)
    assert [
        line.strip() for line in report.splitlines() if "location of arg" in line or "location of 2" in line
    ] == lines
