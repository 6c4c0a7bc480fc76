"""The text report, compared with what a person should read."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import pytest

import eio_audit
from eio_audit import BlockAudit, Check, DumpAudit, InputError
from eio_audit.report.text.check import print_check, print_fix
from eio_audit.report.text.console import Console
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import not_reordered_away, unknown_ops


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
IN_ORDER = function(op("%0", 0), op("%1", 1))
UNINDEXED = function('%0 = "ttir.abs"(%a) : (i32) -> i32')


def log(*dumps: tuple[str, str]) -> str:
    return "".join(
        f"// -----// IR Dump {moment} (x-pass) ('builtin.module' operation) //----- //\n{text}"
        for moment, text in dumps
    )


def checked(text: str, name: str = "after.mlir") -> Check:
    return eio_audit.check(eio_audit.read_text(text, name))


def report(check: Check, *, verbose: bool = False, file: io.StringIO | None = None, **options: int) -> str:
    file = file or io.StringIO()
    print_check(check, Console(file, color=False, width=options.get("width")), verbose=verbose)
    return file.getvalue()


def fix_report(text: str) -> str:
    file = io.StringIO()
    dumps = eio_audit.read_text(text, "after.mlir")
    print_fix(eio_audit.fix(dumps), "after.mlir", Console(file))
    return file.getvalue()


def test_mission_example_names_the_dependence() -> None:
    assert report(checked(MISSION)) == (
        "after.mlir:1\n"
        "  @forward ^bb0 at line 2: 1 inversion, forced by a dependence"
        " (certified: no legal order has fewer)\n"
        "    the inversion cannot be reordered away: 1 op carries an index that contradicts dataflow"
        " (proven minimal); see fix --relabel\n"
        "      #23 ttir.abs %56 at line 3 should carry 18, as ttir.relu %57 (line 4) does\n"
        "    1 of 3 indexed ops is displaced:\n"
        "      #18 ttir.relu %57 is late at line 4, in 1 inversion (Net[net])\n"
        "        it waits for its producer #23 ttir.abs %56 (line 3)\n"
        "\n"
        "checked 1 dump, 1 block, 4 ops: 1 inversion, 1 forced, 0 knock-on, 0 avoidable\n"
        "nothing to move: no legal order has fewer inversions\n"
        "to put 1 index right and remove all: eio-audit fix --relabel after.mlir\n"
    )


def test_shuffled_ops_come_with_the_command_that_repairs_them() -> None:
    assert report(checked(SHUFFLED, "my dump.mlir")) == (
        "my dump.mlir:1\n"
        "  @forward ^bb0 at line 2: 2 inversions, all avoidable\n"
        "    1 of 3 indexed ops is displaced:\n"
        "      #2 ttir.abs %0 is early at line 2, in 2 inversions (Net[net])\n"
        "        nothing holds it there: fix can move it\n"
        "\n"
        "checked 1 dump, 1 block, 4 ops: 2 inversions, 0 forced, 0 knock-on, 2 avoidable\n"
        "to remove the avoidable ones: eio-audit fix 'my dump.mlir'\n"
    )


def test_what_is_in_order_takes_one_line() -> None:
    text = log(("After One", IN_ORDER), ("After Two", IN_ORDER))
    assert report(checked(text)) == "checked 2 dumps, 2 blocks, 6 ops: all in order\n"


def test_one_broken_dump_among_others() -> None:
    text = log(("After One", IN_ORDER), ("After Two", SHUFFLED), ("After Three", UNINDEXED))
    assert report(checked(text, "<stdin>")) == (
        "<stdin>:7  after x-pass\n"
        "  @forward ^bb0 at line 9: 2 inversions, all avoidable\n"
        "    1 of 3 indexed ops is displaced:\n"
        "      #2 ttir.abs %0 is early at line 9, in 2 inversions (Net[net])\n"
        "        nothing holds it there: fix can move it\n"
        "\n"
        "1 other dump in order, 1 dump without op indices\n"
        "checked 3 dumps, 2 blocks, 7 ops: 2 inversions, 0 forced, 0 knock-on, 2 avoidable\n"
        "to remove the avoidable ones: eio-audit fix FILE\n"
    )


PASSES = log(
    ("Before One", IN_ORDER),
    ("After One", IN_ORDER),
    ("After Two", SHUFFLED),
    ("Before Three", SHUFFLED),
    ("After Three", MISSION),
)


def test_several_broken_dumps_make_a_table_of_what_changed() -> None:
    assert report(checked(PASSES, "passes.log")) == (
        "passes.log\n"
        "  line  inversions  forced  knock-on  avoidable  wrong indices  ops  dump\n"
        "     1           0                                                3  before x-pass (2 dumps in order)\n"
        "    13           2       0         0          2                   4  after x-pass (next dump alike)\n"
        "    27           1       1         0          0              1    4  after x-pass\n"
        "\n"
        "passes.log:13  after x-pass\n"
        "  @forward ^bb0 at line 15: 2 inversions, all avoidable\n"
        "    1 of 3 indexed ops is displaced:\n"
        "      #2 ttir.abs %0 is early at line 15, in 2 inversions (Net[net])\n"
        "        nothing holds it there: fix can move it\n"
        "\n"
        "checked 5 dumps, 5 blocks, 18 ops: 5 inversions, 1 forced, 0 knock-on, 4 avoidable\n"
        "to remove the avoidable ones: eio-audit fix passes.log\n"
        "to put 1 index right and remove all: eio-audit fix --relabel passes.log\n"
    )


def test_verbose_describes_every_dump() -> None:
    text = report(checked(PASSES, "passes.log"), verbose=True)
    assert "alike" not in text
    for line in (13, 20, 27):
        assert f"\npasses.log:{line}  " in text


def test_several_files() -> None:
    checks = [checked(SHUFFLED, "a.mlir"), checked(MISSION, "b.mlir"), checked(SHUFFLED, "c.mlir")]
    text = report(Check(tuple(dump for check in checks for dump in check.dumps), ()))
    assert text.startswith(
        "inversions  forced  knock-on  avoidable  wrong indices  ops  dump\n"
        "         2       0         0          2                   4  a.mlir:1\n"
        "         1       1         0          0              1    4  b.mlir:1\n"
        "         2       0         0          2                   4  c.mlir:1\n"
        "\n"
    )
    assert text.endswith(
        "to remove the avoidable ones:\n"
        "  eio-audit fix a.mlir\n"
        "  eio-audit fix c.mlir\n"
        "to put 1 index right and remove all:\n"
        "  eio-audit fix --relabel a.mlir\n"
        "  eio-audit fix --relabel b.mlir\n"
        "  eio-audit fix --relabel c.mlir\n"
    )


def test_errors_are_counted() -> None:
    error = InputError("bad.mlir", None, "no")
    assert report(Check((), (error,))) == "checked 0 dumps; 1 input could not be read\n"
    check = Check(checked(IN_ORDER).dumps, (error, error))
    assert report(check) == "checked 1 dump, 1 block, 3 ops: all in order; 2 inputs could not be read\n"


def test_nothing_indexed() -> None:
    assert report(checked(UNINDEXED)) == "checked 1 dump: no op carries an op index\n"


def test_a_use_inside_regions_and_a_terminator() -> None:
    loop = 'scf.for %i = %a to %a step %a : i32 { %1 = "ttir.abs"(%0) : (i32) -> i32 } '
    text = function(op("%0", 3), op("%2", 5), loop + location(2, "for"), op("%3", 4))
    text = text.replace("return %a : i32", "return %a : i32 " + location(1, "return"))
    assert report(checked(text)).splitlines()[1:12] == [
        "  @forward ^bb0 at line 2: 7 inversions: 5 forced by dependences, 2 avoidable"
        " (5 unavoidable, certified)",
        "    5 of 7 inversions cannot be reordered away: 2 ops carry an index that contradicts dataflow"
        " (proven minimal); see fix --relabel",
        "      #1 func.return at line 6 should carry 5, as ttir.abs %2 (line 3) does",
        "      #2 scf.for at line 4 should carry 3, as ttir.abs %0 (line 2) does",
        "    3 of 5 indexed ops are displaced:",
        "      #1 func.return is late at line 6, in 4 inversions (Net[net])",
        "        it ends the block, after #5 ttir.abs %2 (line 3)",
        "      #5 ttir.abs %2 is early at line 3, in 3 inversions (Net[net])",
        "        #1 func.return (line 6) ends the block",
        "      #2 scf.for is late at line 4, in 3 inversions (Net[net])",
        "        it waits for #3 ttir.abs %0 (line 2), which its regions use",
    ]


def test_a_hold_that_is_held_in_turn() -> None:
    between = '%1 = "ttir.abs"(%0) : (i32) -> i32'
    assert report(checked(function(op("%0", 23), between, op("%2", 18, "%1")))).splitlines()[5:7] == [
        "      #18 ttir.abs %2 is late at line 4, in 1 inversion (Net[net])",
        "        it waits for its producer ttir.abs %1 (line 3), itself late",
    ]


def test_unknown_ops_keep_their_order() -> None:
    text = function(op("%0", 2, name="foo.bar"), op("%1", 1, name="baz.qux"))
    assert report(checked(text)).splitlines()[5:8] == [
        "      #1 baz.qux %1 is late at line 3, in 1 inversion (Net[net])",
        "        memory effects keep it after #2 foo.bar %0 (line 2)",
        "  2 ops of unknown effect keep their order (1 baz.qux, 1 foo.bar): see --assume-pure",
    ]


def test_the_command_to_type_next_has_the_options_of_the_audit() -> None:
    text = function(op("%0", 2), op("%1", 1))
    options = eio_audit.AuditOptions(
        eio_audit.IndexPattern(r"(?P<index>\d+)"), follow={"frees", "constants"}, assume_pure=["my.*"]
    )
    check = eio_audit.check(eio_audit.read_text(text, "after.mlir"), options)
    assert report(check).splitlines()[-1] == (
        "to remove the avoidable ones: eio-audit fix --follow constants --follow frees --assume-pure 'my.*' "
        "--index-pattern '(?P<index>\\d+)' after.mlir"
    )


def test_frees_that_follow_are_not_counted_among_the_wrong_indices() -> None:
    text = function(op("%0", 23), op("%1", 18, "%0"))
    check = eio_audit.check(eio_audit.read_text(text, "after.mlir"), eio_audit.AuditOptions(follow={"frees"}))
    assert report(check).splitlines()[-1] == (
        "to put 1 index other than those of frees right and remove all: "
        "eio-audit fix --relabel --follow frees after.mlir"
    )


def test_derived_op() -> None:
    name = '"DEBUG|23|Conv2d[net.conv1]|net.py:1|forward|2|permute'
    derived = f'%0 = "ttir.abs"(%a) : (i32) -> i32 loc({name}_tm0"({name}"))'
    text = function(derived, op("%1", 18, "%0"), op("%2", 19, "%1"))
    assert report(checked(text)).splitlines()[1:8] == [
        "  @forward ^bb0 at line 2: 2 inversions, all forced by dependences"
        " (certified: no legal order has fewer)",
        "    all 2 inversions involve the one op that a pass derived from another: see --follow derived",
        "    none of the 2 inversions can be reordered away: 1 op carries an index that contradicts dataflow"
        " (made by a pass; proven minimal); see fix --relabel",
        "      #23 ttir.abs %0 at line 2 should carry 18, as ttir.abs %1 (line 3) does",
        "    1 of 3 indexed ops is displaced:",
        "      #23 ttir.abs %0 is early at line 2, in 2 inversions (Conv2d[net.conv1])",
        "        its user #18 ttir.abs %1 (line 3) needs it; a pass made it from the op at #23",
    ]


def test_constants_that_were_hoisted() -> None:
    constant = f'%0 = "ttir.constant"() : () -> i32 {location(9, "constant")}'
    text = function(constant, op("%1", 1), op("%2", 2))
    assert "    all 2 inversions involve the one constant: see --follow constants\n" in report(checked(text))
    followed = eio_audit.check(
        eio_audit.read_text(text), eio_audit.AuditOptions(follow=["derived", "constants"])
    )
    assert report(followed) == "checked 1 dump, 1 block, 4 ops (1 follows its consumer): all in order\n"


def test_graph_region_has_no_order_to_keep() -> None:
    text = "\n".join(
        [
            "module {",
            'func.func private @late() loc("2|Net[net]|net.py:1|f|2|x")',
            'func.func private @early() loc("1|Net[net]|net.py:1|f|2|x")',
            "}",
        ]
    )
    assert report(checked(text)) == (
        "after.mlir:1\n"
        "  ^bb0 at line 2: 1 inversion, in a graph region, which has no order to keep: nothing moves\n"
        "    1 of 2 indexed ops is displaced:\n"
        "      #1 func.func is late at line 3, in 1 inversion (Net[net])\n"
        "\n"
        "checked 1 dump, 1 block, 2 ops: 1 inversion, 0 forced, 0 knock-on, 0 avoidable, 1 in graph regions\n"
        "nothing to fix: graph regions have no order to keep\n"
    )


def unproven() -> Check:
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
    dump = DumpAudit("big.mlir", 1, None, None, (block,), Counter({"foo.bar": 1200}))
    return Check((dump,), ())


def test_what_is_not_certified_says_so() -> None:
    assert report(unproven()).splitlines() == [
        "big.mlir:1",
        "  @main ^bb0 at line 3: 9,000 inversions: 4,000 forced by dependences, at most 4,000 knock-on,"
        " at least 1,000 avoidable (between 7,900 and 8,000 unavoidable, not certified)",
        "    1,234 of 9,000 inversions involve one of 7 ops that passes derived from others: see --follow derived",
        "    60 of 1,500 indexed ops are displaced; the worst:",
        "      ... and 60 more",
        "  1,200 ops of unknown effect keep their order (1,200 foo.bar): see --assume-pure",
        "",
        "checked 1 dump, 1 block, 2,000 ops: 9,000 inversions, 4,000 forced, 4,000 knock-on, 1,000 avoidable",
        "to remove the avoidable ones: eio-audit fix big.mlir",
    ]
    both = Check((*unproven().dumps, *checked(SHUFFLED).dumps), ())
    assert "     1,000+  2,000  big.mlir:1\n" in report(both)
    assert "\n+ not certified: perhaps more are avoidable\n" in report(both)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({}, "8,000 of 9,000 inversions could not be reordered away: 70 ops carry an index that contradicts dataflow"
             " (40 made by passes; not proven minimal); see fix --relabel"),
        ({"lower_bound": 8000, "wrong_certified": True, "wrong_by_passes": 0},
         "8,000 of 9,000 inversions cannot be reordered away: 70 ops carry an index that contradicts dataflow"
         " (proven minimal); see fix --relabel"),
        ({"minimum": 9000, "wrong_by_passes": 70},
         "none of the 9,000 inversions could be reordered away: 70 ops carry an index that contradicts dataflow"
         " (all made by passes; not proven minimal); see fix --relabel"),
    ],
)  # fmt: skip
def test_what_indices_are_wrong(figures: dict[str, Any], said: str) -> None:
    [block] = unproven().dumps[0].blocks
    wrong: dict[str, Any] = {"wrong_labels": 70, "wrong_by_passes": 40, "wrong_certified": False}
    assert not_reordered_away(block) == ""
    assert not_reordered_away(block._replace(**(wrong | figures))) == said


def test_more_blocks_than_shown() -> None:
    text = "\n".join(function(op("%0", 2), op("%1", 1), name=f"f{number}") for number in range(5))
    assert "\n  ... and 2 more blocks with 2 inversions; --verbose shows all\n" in report(checked(text))
    assert "@f4 ^bb0 at line 26: 1 inversion, avoidable" in report(checked(text), verbose=True)


def test_more_displaced_ops_than_shown() -> None:
    text = function(*(op(f"%{number}", 9 - number) for number in range(6)))
    assert "      ... and 2 more; --verbose shows all\n" in report(checked(text))
    assert "--verbose" not in report(checked(text), verbose=True)


def test_rich_leaves_names_alone() -> None:
    module = "Seq[a, b]:smile:[/red][bold]https://x.y/z"
    text = function(op("%0", 2, module=module), op("%1", 1, module=module), name="f:warning:")
    assert f"in 1 inversion ({module})\n" in report(checked(text))
    on_terminal = report(checked(text), file=Terminal(), width=200)
    assert f"({module})" in on_terminal


def test_a_pipe_gets_whole_lines() -> None:
    module = "Net[" + "x" * 200 + "]"
    text = function(op("%0", 2, module=module), op("%1", 1, module=module))
    assert f"in 1 inversion ({module})\n" in report(checked(text), width=60)
    assert "\x1b" not in report(checked(text))


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("text", [MISSION, PASSES], ids=["mission", "passes"])
def test_a_terminal_gets_lines_that_fit(text: str, width: int) -> None:
    on_terminal = report(checked(text), file=Terminal(), width=width)
    lines = on_terminal.splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    for word in ("inversion", "forced", "line 4" if text == MISSION else "after x-pass"):
        assert word in " ".join(on_terminal.split())


def test_wrapped_lines_hang() -> None:
    lines = report(checked(MISSION), file=Terminal(), width=60).splitlines()
    assert lines[1:3] == [
        "  @forward ^bb0 at line 2: 1 inversion, forced by a",
        "    dependence (certified: no legal order has fewer)",
    ]


def test_colour_follows_the_terminal_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    red, bold = "\x1b[31m", "\x1b[1m"

    def shown(file: io.StringIO, color: bool | None = None) -> str:
        print_check(checked(SHUFFLED), Console(file, color=color, width=100))
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
    audits = eio_audit.check(eio_audit.read_text(text.encode("utf-8", "surrogateescape")))
    data = io.BytesIO()
    file = io.TextIOWrapper(data, encoding="ascii")
    print_check(audits, Console(file))
    file.flush()
    assert rb"(Net[\xe9\x07\udcff])" in data.getvalue()


def test_fix() -> None:
    assert fix_report(IN_ORDER) == "after.mlir: in order: unchanged\n"
    assert fix_report(SHUFFLED) == "after.mlir: 1 op moved, 2 inversions removed; none remains\n"
    assert fix_report(MISSION) == (
        "after.mlir: nothing avoidable: unchanged (1 inversion, forced by a dependence);"
        " --relabel puts 1 index right and removes all\n"
    )
    both = function(op("%0", 5), op("%1", 1, "%0"), op("%2", 9), op("%3", 8))
    assert fix_report(both) == (
        "after.mlir: 1 op moved, 1 of 2 inversions removed; 1 remains, forced by a dependence;"
        " --relabel puts 1 index right and removes all\n"
    )
    knock_on = function(op("%0", 5), op("%1", 1, "%0"), op("%2", 3))
    assert fix_report(knock_on) == (
        "after.mlir: nothing avoidable: unchanged (2 inversions: 1 forced by dependences, 1 knock-on);"
        " --relabel puts 1 index right and removes all\n"
    )


def test_numbers_and_nouns() -> None:
    assert [count(number, "op") for number in (0, 1, 2, 1234567)] == [
        "0 ops",
        "1 op",
        "2 ops",
        "1,234,567 ops",
    ]
    assert unknown_ops(Counter(), None) == ""
    assert (
        unknown_ops(Counter({"a.b": 1}), None)
        == "1 op of unknown effect keeps its order (1 a.b): see --assume-pure"
    )
    assert unknown_ops(Counter({"a.b": 1, "c.d": 7, "e.f": 5}), 2) == (
        "13 ops of unknown effect keep their order (7 c.d, 5 e.f, 1 more): see --assume-pure"
    )
