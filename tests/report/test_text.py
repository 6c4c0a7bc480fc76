"""The text report, compared with what a person should read."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import pytest

import eio_audit
from eio_audit import BlockAudit, Check, DumpAudit, Gate, InputError, Verdict
from eio_audit.report.wording.order import sum_of
from tests.cli.running import run
from tests.internals import Console, judge, rendered
from tests.report.judged import DEFAULT, judged
from tests.rules import AVOIDABLE, ORDER_RULES, UNAVOIDABLE


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def location(index: int, op: str, module: str = "Net[net]") -> str:
    return f'loc("DEBUG|{index}|{module}|net.py:1|forward|2|{op}")'


def function(*ops: str, name: str = "forward") -> str:
    return "\n".join([f"func.func @{name}(%a: i32) -> i32 {{", *ops, "return %a : i32", "}", ""])


def op(result: str, index: int, operand: str = "%a", name: str = "ttir.abs", module: str = "Net[net]") -> str:
    return f'{result} = "{name}"({operand}) : (i32) -> i32 {location(index, name, module)}'


# The pass gave a later op's index, 23, to the producer of 18.
MISSION = function(
    op("%55", 15, "%a", "ttir.neg", "BatchNorm2d[net.norm0]"),
    op("%56", 23, "%55", "ttir.abs", "Conv2d[net.conv1]"),
    op("%57", 18, "%56", "ttir.relu", "Net[net]"),
)
SHUFFLED = function(op("%0", 2), op("%1", 0), op("%2", 1))
ANY = Gate((AVOIDABLE, UNAVOIDABLE))
ALL = Gate(ORDER_RULES)
IN_ORDER = function(op("%0", 0), op("%1", 1))
UNINDEXED = function('%0 = "ttir.abs"(%a) : (i32) -> i32')


def log(*dumps: tuple[str, str]) -> str:
    return "".join(
        f"// -----// IR Dump {moment} (x-pass) ('builtin.module' operation) //----- //\n{text}"
        for moment, text in dumps
    )


def checked(text: str, name: str = "after.mlir", gate: Gate = DEFAULT) -> Verdict:
    return judged(eio_audit.read_text(text, name), gate=gate)


def report(
    verdict: Verdict, *, verbose: bool = False, file: io.StringIO | None = None, **options: int
) -> str:
    file = file or io.StringIO()
    rendered(verdict, "text", Console(file, color=False, width=options.get("width"), verbose=verbose))
    return file.getvalue()


def in_full(verdict: Verdict) -> str:
    return report(verdict, verbose=True)


def of_blocks(verdict: Verdict) -> list[str]:
    """The lines below the findings of a verbose report, without the name of the dump."""
    lines = in_full(verdict).splitlines()
    return lines[lines.index("after.mlir:1:1") + 1 :]


def fix_report(text: str) -> str:
    return run("fix", "-", stdin=text.encode()).stderr.decode()


def test_what_fails_comes_first_then_the_sum_and_the_verdict_with_what_to_type() -> None:
    assert report(checked(SHUFFLED, "my dump.mlir")) == (
        "my dump.mlir\n"
        "  2:1 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %2 (line 4): 2 inversions, "
        "fix moves it (Net[net], net.py:2)\n"
        "\n"
        "  2:1 @forward ^bb0: 2 inversions: all can be moved back\n"
        "failed: 2 inversions out of place in 1 of 1 dumps\n"
        "next:\n"
        "  eio-audit fix --diff 'my dump.mlir'  # shows the fix; --in-place applies it\n"
    )


def test_what_passes_takes_one_line_and_a_wrong_index_does_not_pass() -> None:
    text = log(("After One", IN_ORDER), ("After Two", IN_ORDER))
    assert report(checked(text)) == "passed: 2 dumps, 2 blocks, 6 ops: all in order\n"
    assert report(checked(MISSION)) == (
        "after.mlir\n"
        "  3:1 EIO003 #23 ttir.abs %56 should carry #18 (of ttir.relu %57, line 4): in 1 inversion, "
        "fix --relabel corrects it (Conv2d[net.conv1], net.py:2)\n"
        "\n"
        "  2:1 @forward ^bb0: 1 inversion: it comes from 1 wrong index\n"
        "failed: 1 wrong index in 1 of 1 dumps\n"
        "next:\n"
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions\n"
    )


def test_fail_on_any_names_what_is_unavoidable() -> None:
    assert report(checked(MISSION, gate=ANY)) == (
        "after.mlir\n"
        "  4:1 EIO002 #18 ttir.relu %57 is late: 1 unavoidable inversion (Net[net], net.py:2)\n"
        "\n"
        "  2:1 @forward ^bb0: 1 inversion: it comes from 1 wrong index\n"
        "failed: 1 unavoidable inversion in 1 of 1 dumps\n"
        "next:\n"
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions\n"
    )


def test_verbose_names_the_dependence() -> None:
    assert in_full(checked(MISSION)) == (
        "after.mlir\n"
        "  3:1 EIO003 #23 ttir.abs %56 should carry #18 (of ttir.relu %57, line 4): in 1 inversion, "
        "fix --relabel corrects it (Conv2d[net.conv1], net.py:2)\n"
        "\n"
        "after.mlir:1:1\n"
        "  @forward ^bb0 at line 2: 1 inversion: it comes from 1 wrong index "
        "(forced by a dependence)\n"
        "    1 op carries another op's index\n"
        "    1 of 3 indexed ops is displaced:\n"
        "      #18 ttir.relu %57 is late at line 4, in 1 inversion (Net[net])\n"
        "        it waits for its producer #23 ttir.abs %56 (line 3)\n"
        "\n"
        "failed: 1 wrong index in 1 of 1 dumps\n"
        "next:\n"
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions\n"
    )


PASSES = log(
    ("Before One", IN_ORDER),
    ("After One", IN_ORDER),
    ("After Two", SHUFFLED),
    ("Before Three", UNINDEXED),
    ("After Three", MISSION),
)


def test_a_log_of_passes() -> None:
    assert report(checked(PASSES, "<stdin>")) == (
        "<stdin>\n"
        "  28:1 EIO003 #23 ttir.abs %56 should carry #18 (of ttir.relu %57, line 29): in 1 inversion, "
        "fix --relabel corrects it; introduced by x-pass, left at the end (Conv2d[net.conv1], net.py:2)\n"
        "  15:1 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %2 (line 17): 2 inversions, "
        "fix moves it; introduced by x-pass, gone after x-pass (Net[net], net.py:2)\n"
        "\n"
        "  15:1 @forward ^bb0 after x-pass: 2 inversions: all can be moved back\n"
        "  27:1 @forward ^bb0 after x-pass: 1 inversion: it comes from 1 wrong index\n"
        "failed: 1 wrong index in 1 of 5 dumps, 1 left at the end; "
        "2 inversions out of place in 1 of 5 dumps, none left at the end; "
        "4 of 5 dumps checked; 1 carries no op index\n"
    )


def test_verbose_describes_every_dump_with_inversions() -> None:
    text = in_full(checked(PASSES, "passes.log"))
    assert [line for line in text.split("\n") if line.startswith("passes.log:")] == [
        "passes.log:13:1  after x-pass",
        "passes.log:25:1  after x-pass",
    ]


def test_several_files() -> None:
    dumps = [
        dump
        for name, text in (("a.mlir", SHUFFLED), ("b.mlir", MISSION), ("c.mlir", SHUFFLED))
        for dump in eio_audit.read_text(text, name)
    ]
    assert report(judged(dumps)).splitlines()[-4:] == [
        "failed: 1 wrong index in 1 of 3 dumps; 4 inversions out of place in 2 of 3 dumps",
        "next:",
        "  eio-audit fix --relabel --diff b.mlir  # corrects 1 wrong index and removes all inversions",
        "  eio-audit fix --diff a.mlir  # shows the fix; --in-place applies it",
    ]


def test_no_more_than_ten_findings_and_blocks() -> None:
    many = "".join(function(op("%0", 2), op("%1", 1), name=f"f{number}") for number in range(12))
    lines = report(checked(many)).splitlines()
    assert (lines[11:13], lines[23]) == (["... and 2 more (-v)", ""], "... and 2 more blocks (-v)")
    assert "more" not in in_full(checked(many))
    assert in_full(checked(many)).count(" EIO001 ") == 12


def test_statistics_count_findings_by_rule_pass_and_module() -> None:
    file = io.StringIO()
    rendered(checked(PASSES, gate=ANY), "text", Console(file), statistics=True)
    assert file.getvalue().split("\n\n")[0] == (
        "findings  inversions  rule\n"
        "       1           2  EIO001 avoidable-inversion\n"
        "       1           1  EIO002 unavoidable-inversion\n"
        "findings  inversions  pass\n"
        "       2           3  x-pass\n"
        "findings  inversions  module\n"
        "       2           3  Net[net]\n"
        "inversions are added up over the findings: a pair in two of them counts twice, in the verdict once"
    )


def test_errors_are_counted() -> None:
    error = InputError("bad.mlir", None, "no")
    nothing = judge(Check((), (error,)), [], Gate())
    assert report(nothing) == "could not run: 1 input unreadable\n"
    assert report(judge(Check((), ()), [], Gate())) == "could not run: no IR\n"
    some = judge(Check(checked(IN_ORDER).check.dumps, (error, error)), [], Gate())
    assert report(some) == ("incomplete: 1 of 2 inputs unreadable; 1 dump, 1 block, 3 ops: all in order\n")


def test_nothing_indexed() -> None:
    assert report(checked(UNINDEXED)) == "could not run: no op carries an op index\n"


def test_a_use_inside_regions_and_a_terminator() -> None:
    loop = 'scf.for %i = %a to %a step %a : i32 { %1 = "ttir.abs"(%0) : (i32) -> i32 } '
    text = function(op("%0", 3), op("%2", 5), loop + location(2, "for"), op("%3", 4))
    text = text.replace("return %a : i32", "return %a : i32 " + location(1, "return"))
    assert of_blocks(checked(text))[:7] == [
        "  @forward ^bb0 at line 2: 7 inversions: 1 comes from 1 wrong index (proven minimal), 2 can be moved back, 4 are not comparable (4 with a terminator)",
        "    1 op carries another op's index",
        "    3 of 5 indexed ops are displaced; the worst:",
        "      #5 ttir.abs %2 is early at line 3, in 2 inversions (Net[net])",
        "        no dependence keeps it there",
        "      #2 scf.for is late at line 4, in 2 inversions (Net[net])",
        "        it waits for #3 ttir.abs %0 (line 2), which its regions use",
    ]


def test_a_hold_that_is_held_in_turn() -> None:
    between = '%1 = "ttir.abs"(%0) : (i32) -> i32'
    assert of_blocks(checked(function(op("%0", 23), between, op("%2", 18, "%1"))))[3:5] == [
        "      #18 ttir.abs %2 is late at line 4, in 1 inversion (Net[net])",
        "        it waits for its producer ttir.abs %1 (line 3), which is kept late itself",
    ]


def test_unknown_ops_keep_their_order() -> None:
    text = function(op("%0", 2, name="foo.bar"), op("%1", 1, name="baz.qux"))
    assert of_blocks(checked(text))[3:6] == [
        "      #1 baz.qux %1 is late at line 3, in 1 inversion (Net[net])",
        "        memory effects keep it after #2 foo.bar %0 (line 2)",
        "  2 ops of unknown effect keep their order (1 baz.qux, 1 foo.bar): see --assume-pure",
    ]


def test_the_command_to_type_next_has_the_options_of_the_audit() -> None:
    text = function(op("%0", 2), op("%1", 1))
    options = eio_audit.AuditOptions(
        eio_audit.IndexPattern(r"(?P<index>\d+)"), follow={"none", "constants"}, assume_pure=["my.*"]
    )
    assert report(judged(eio_audit.read_text(text, "after.mlir"), options)).splitlines()[-1] == (
        "  eio-audit fix --diff --follow constants --follow none --assume-pure 'my.*' "
        "--index-pattern '(?P<index>\\d+)' after.mlir  # shows the fix; --in-place applies it"
    )


def test_frees_that_follow_are_not_counted_among_the_wrong_indices() -> None:
    free = '"memref.dealloc"(%a) : (memref<1xf32>) -> () loc("7|x")'
    text = function(op("%0", 23), op("%1", 18, "%0"), free)
    assert report(judged(eio_audit.read_text(text, "after.mlir"))).endswith(
        "\n  eio-audit fix --relabel --diff after.mlir  "
        "# corrects 1 wrong index other than those of frees and removes all inversions\n"
    )


def test_derived_op() -> None:
    name = '"DEBUG|23|Conv2d[net.conv1]|net.py:1|forward|2|permute'
    derived = f'%0 = "ttir.abs"(%a) : (i32) -> i32 loc({name}_tm0"({name}"))'
    text = function(derived, op("%1", 18, "%0"), op("%2", 19, "%1"))
    assert of_blocks(checked(text))[:6] == [
        "  @forward ^bb0 at line 2: 2 inversions: all come from 1 wrong index (all forced by dependences)",
        "    all 2 inversions involve the one op that a pass derived from another: see --follow derived",
        "    1 op carries another op's index",
        "    1 of 3 indexed ops is displaced:",
        "      #23 ttir.abs %0 is early at line 2, in 2 inversions (Conv2d[net.conv1])",
        "        its user #18 ttir.abs %1 (line 3) needs it; a pass made it from the op at #23",
    ]


def test_constants_that_were_hoisted() -> None:
    constant = f'%0 = "ttir.constant"() : () -> i32 {location(9, "constant")}'
    text = function(constant, op("%1", 1), op("%2", 2))
    assert "    all 2 inversions involve the one constant: see --follow constants\n" in in_full(checked(text))
    options = eio_audit.AuditOptions(follow=["derived", "constants"])
    assert report(judged(eio_audit.read_text(text), options)) == (
        "passed: 1 dump, 1 block, 4 ops (1 follows its consumer): all in order\n"
    )


def test_graph_region_has_no_order_to_keep() -> None:
    text = "\n".join(
        [
            "module {",
            'func.func private @late() loc("2|Net[net]|net.py:1|f|2|x")',
            'func.func private @early() loc("1|Net[net]|net.py:1|f|2|x")',
            "}",
        ]
    )
    assert in_full(checked(text)) == (
        "after.mlir:1:1\n"
        "  ^bb0 at line 2: 1 inversion in a graph region, which has no order to keep\n"
        "    1 of 2 indexed ops is displaced:\n"
        "      #1 func.func is late at line 3, in 1 inversion (Net[net])\n"
        "\n"
        "passed: 1 inversion in a graph region, which has no order to keep\n"
    )
    assert "\nfailed: 2 inversions " in report(checked(text + SHUFFLED))


def unproven(gate: Gate = DEFAULT) -> Verdict:
    block = BlockAudit(
        function="@main",
        block="^bb0",
        line=3,
        ops=2000,
        indexed=1500,
        derived=7,
        constants=0,
        followed=0,
        forced=4000,
        inversions=9000,
        descents=70,
        minimum=8000,
        lower_bound=7900,
        displaced=60,
        inherited=1234,
    )
    [dump] = checked(IN_ORDER, "big.mlir").check.dumps
    return judge(Check((DumpAudit(dump.place, (block,), Counter({"foo.bar": 1200})),), ()), [], gate)


def with_figures(*blocks: dict[str, Any]) -> Verdict:
    """What is not proven, its block in copies with other figures."""
    [dump] = unproven().check.dumps
    copies = tuple(dump.blocks[0]._replace(**figures) for figures in blocks)
    return judge(Check((DumpAudit(dump.place, copies, Counter()),), ()), [], DEFAULT)


def test_what_is_not_proven_is_an_interval() -> None:
    assert report(unproven()).splitlines() == [
        "1,200 ops of unknown effect keep their order (1,200 foo.bar): see --assume-pure",
        "failed: 1,000 inversions out of place in 1 of 1 dumps",
        "next:",
        "  eio-audit fix --diff big.mlir  # shows the fix; --in-place applies it",
    ]
    assert " and 8,000 inversions not proven unavoidable in 1 of 1 dumps\n" in report(unproven(ANY))
    assert sum_of(unproven().check.summary) == (
        "9,000 inversions: 7,900 to 8,000 stay in every known order, 1,000 to 1,100 can be moved back"
    )


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"inversions": 789, "forced": 388, "minimum": 767, "lower_bound": 767, "wrong_indices": 42},
         "789 inversions: 767 come from 42 wrong indices, 22 can be moved back"),
        ({"inversions": 9, "forced": 9, "minimum": 9, "lower_bound": 9, "wrong_indices": 1},
         "9 inversions: all come from 1 wrong index"),
        ({"inversions": 1, "forced": 1, "minimum": 1, "lower_bound": 1},
         "1 inversion: it stays in every order"),
        ({"inversions": 3, "forced": 1, "minimum": 2, "lower_bound": 2, "avoidable_splits": 1},
         "3 inversions: 2 stay in every order, 1 can be moved back (of splits)"),
        ({"inversions": 3, "forced": 1, "minimum": 3, "lower_bound": 2, "wrong_indices": 2},
         "3 inversions: 2 to 3 come from 2 wrong indices, 0 to 1 can be moved back"),
        ({"inversions": 9, "forced": 0, "minimum": 0, "lower_bound": 0, "avoidable_constants": 2, "avoidable_splits": 4},
         "9 inversions: all can be moved back (2 of hoisted constants, 4 of splits)"),
        ({"inversions": 1, "forced": 0, "minimum": 0, "lower_bound": 0}, "1 inversion: it can be moved back"),
        ({"inversions": 2, "forced": 0, "minimum": 0, "lower_bound": 0}, "2 inversions: all can be moved back"),
        ({"inversions": 2, "forced": None, "minimum": 2, "lower_bound": 2},
         "2 inversions in a graph region, which has no order to keep"),
    ],
)  # fmt: skip
def test_the_sum_adds_up(figures: dict[str, Any], said: str) -> None:
    assert sum_of(with_figures(figures).check.summary) == said


def test_a_verbose_sum_says_why_pairs_stay() -> None:
    resnet = {"inversions": 789, "forced": 388, "minimum": 767, "lower_bound": 767, "wrong_indices": 42}
    assert sum_of(with_figures(resnet).check.summary, verbose=True) == (
        "789 inversions: 767 come from 42 wrong indices "
        "(388 forced by dependences, 379 caused by these; proven minimal), 22 can be moved back"
    )


def test_graph_regions_are_apart_in_a_sum() -> None:
    graph = {"forced": None, "inversions": 4, "minimum": 4, "lower_bound": 4}
    improvable = {"forced": 1, "inversions": 3, "minimum": 1, "lower_bound": 1}
    assert sum_of(with_figures(graph, improvable).check.summary) == (
        "7 inversions: 1 stays in every order, 2 can be moved back, 4 in graph regions"
    )
    improvable |= {"minimum": 0, "lower_bound": 0, "forced": 0}
    assert sum_of(with_figures(graph, improvable).check.summary) == (
        "7 inversions: 3 can be moved back, 4 in graph regions"
    )


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"wrong_indices": 0}, ""),
        ({}, "70 ops carry another op's index (perhaps fewer do)"),
        ({"wrong_certified": True}, "70 ops carry another op's index (the fewest possible)"),
        ({"wrong_indices": 1, "wrong_certified": True}, "1 op carries another op's index"),
    ],
)
def test_what_indices_are_wrong(figures: dict[str, Any], said: str) -> None:
    wrong: dict[str, Any] = {"wrong_indices": 70, "wrong_certified": False}
    text = in_full(with_figures(wrong | figures))
    assert f"    {said}\n" in text if said else "carry" not in text


def test_rich_leaves_names_alone() -> None:
    module = "Seq[a, b]:smile:[/red][bold]https://x.y/z"
    text = function(op("%0", 2, module=module), op("%1", 1, module=module), name="f:warning:")
    assert f"fix moves it ({module}, net.py:2)\n" in report(checked(text))
    on_terminal = report(checked(text), file=Terminal(), width=200)
    assert f"({module}, net.py:2)" in on_terminal


def test_a_pipe_gets_whole_lines() -> None:
    module = "Net[" + "x" * 200 + "]"
    text = function(op("%0", 2, module=module), op("%1", 1, module=module))
    assert f"fix moves it ({module}, net.py:2)\n" in report(checked(text), width=60)
    assert "\x1b" not in report(checked(text))


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("text", [MISSION, PASSES], ids=["mission", "passes"])
def test_a_terminal_gets_lines_that_fit(text: str, width: int) -> None:
    on_terminal = report(checked(text, gate=ANY), file=Terminal(), width=width)
    lines = on_terminal.splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    for word in ("inversion", "wrong index", "%57 is late" if text == MISSION else "after x-pass"):
        assert word in " ".join(on_terminal.split())


def test_wrapped_lines_hang() -> None:
    lines = report(checked(MISSION), file=Terminal(), width=60).splitlines()
    assert lines == [
        "failed: 1 wrong index in 1 of 1 dumps",
        "",
        "after.mlir",
        "  3:1 EIO003 #23 ttir.abs %56 should carry #18 (of",
        "    ttir.relu %57, line 4): in 1 inversion, fix --relabel...",
        "",
        "  2:1 @forward ^bb0: 1 inversion: it comes from 1 wrong",
        "    index",
        "next:",
        "  eio-audit fix --relabel --diff after.mlir",
        "'eio-audit help WORD' explains a word of this report",
    ]


def test_colour_follows_the_terminal_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    red, bold = "\x1b[31m", "\x1b[1m"

    def shown(file: io.StringIO, color: bool | None = None) -> str:
        rendered(checked(SHUFFLED), "text", Console(file, color=color, width=100))
        return file.getvalue()

    assert red in shown(Terminal())
    assert "\x1b" not in shown(Terminal(), color=False)
    assert "\x1b" not in shown(io.StringIO())
    assert red in shown(io.StringIO(), color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert red not in shown(Terminal())
    assert bold in shown(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert red in shown(io.StringIO())


def test_what_the_encoding_or_the_terminal_cannot_take_is_escaped() -> None:
    module = "Net[é\x07\udcff]"
    text = function(op("%0", 2, module=module), op("%1", 1, module=module))
    verdict = judged(eio_audit.read_text(text.encode("utf-8", "surrogateescape")))
    data = io.BytesIO()
    file = io.TextIOWrapper(data, encoding="ascii")
    rendered(verdict, "text", Console(file))
    file.flush()
    assert rb"(Net[\xe9\x07\udcff], net.py:2)" in data.getvalue()


def test_fix() -> None:
    assert fix_report(IN_ORDER) == "<stdin>: in order: unchanged\n"
    assert fix_report(SHUFFLED) == "<stdin>: 1 op moved, 2 inversions removed; none remains\n"
    assert fix_report(MISSION) == (
        "<stdin>: nothing to move: unchanged; 1 inversion remains:"
        " --relabel corrects 1 wrong index and removes all inversions\n"
    )
    both = function(op("%0", 5), op("%1", 1, "%0"), op("%2", 9), op("%3", 8))
    assert fix_report(both) == (
        "<stdin>: 1 op moved, 1 of 2 inversions removed; 1 remains:"
        " --relabel instead corrects 1 wrong index and removes all inversions\n"
    )
    along = function(
        *(op(f"%{k}", k) for k in (7, 8, 9)), '%c = "ttir.abs"(%a) : (i32) -> i32', op("%3", 3, "%c")
    )
    assert fix_report(along) == "<stdin>: 2 ops moved (1 unindexed), 3 inversions removed; none remains\n"
    knock_on = function(op("%0", 5), op("%1", 1, "%0"), op("%2", 3))
    assert fix_report(knock_on) == (
        "<stdin>: nothing to move: unchanged; 2 inversions remain:"
        " --relabel corrects 1 wrong index and removes all inversions\n"
    )


@pytest.mark.parametrize(
    ("unknown", "verbose", "said"),
    [
        ({"a.b": 1}, True, "1 op of unknown effect keeps its order (1 a.b): see --assume-pure"),
        ({"a.b": 1, "c.d": 7, "e.f": 5, "g.h": 2}, False,
         "15 ops of unknown effect keep their order (7 c.d, 5 e.f, 2 g.h, 1 more): see --assume-pure"),
    ],
)  # fmt: skip
def test_ops_of_unknown_effect(unknown: dict[str, int], verbose: bool, said: str) -> None:
    [dump] = unproven().check.dumps
    verdict = judge(Check((DumpAudit(dump.place, dump.blocks, Counter(unknown)),), ()), [], DEFAULT)
    assert f"{said}\n" in report(verdict, verbose=verbose)
