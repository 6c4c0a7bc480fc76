from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import AuditOptions, Dump, InputError, OriginalOrder, Trace, check, read, read_text, trace
from eio_audit.audit.check.check import audit_keyed
from eio_audit.audit.log import followed_pairs, function_states
from eio_audit.audit.log.program_log import ProgramLog
from eio_audit.audit.log.scope_steps import OpCounts
from eio_audit.audit.programs.scope_text import Recent
from eio_audit.mlir.input.function_texts import FunctionText
from eio_audit.mlir.semantics.functions import functions_around
from eio_audit.report.wording.trace import reason
from tests.audit.counting import counting
from tests.cli.running import run
from tests.internals import read_ir
from tests.logs import CALLER, PURE, READS, dump, function, logs, module, nested
from tests.programs import programs
from tests.test_samples import SAMPLES

NOISE = [
    b"[2026-01-01 12:00:00] [DEBUG] [compiler] module {",
    b"\x1b[32mI0821 12:00:00.1 done }\x1b[0m",
    b"model.mlir:3:4: warning: slow\n  %0 = x {\n  ^",
]


def traced(*dumps: str) -> Trace:
    result = trace(read_text("".join(dumps)))
    assert result.errors == ()
    return result


def test_a_dump_that_cannot_be_compared_says_so_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InputError("passes.log", None, "expected '}'")

    monkeypatch.setattr(ProgramLog, "compared", fail)
    texts = dump("Before", "a", function("f", 1, 2)), dump("After", "a", function("f", 2, 1))
    [row] = trace(read_text("".join(texts))).passes
    assert reason(row) == "not compared with the text before it: passes.log: error: expected '}'"


def rows(result: Trace) -> list[tuple[str | None, str | None, bool | None, int]]:
    """Of each pass: name, function, whether it changed anything, how many pairs it put out of order."""
    return [(p.pass_name, p.function, p.changed, p.made) for p in result.passes]


def culprit(result: Trace) -> str | None:
    assert result.culprit is not None
    return result.culprit.pass_name


def test_a_pair_of_dumps() -> None:
    result = traced(dump("Before", "a", function("f", 1, 2)), dump("After", "a", function("f", 2, 1)))
    assert rows(result) == [("a", "@f", True, 1)]
    assert culprit(result) == "a"


def test_dumps_after_passes_only() -> None:
    result = traced(
        dump("After", "a", function("f", 1, 2)),
        dump("After", "b", function("f", 1, 2)),
        dump("After", "c", function("f", 2, 1)),
    )
    assert rows(result) == [("a", "@f", None, 0), ("b", "@f", False, 0), ("c", "@f", True, 1)]


def test_the_program_is_not_taken_for_a_module_in_it_that_has_grown() -> None:
    others = [function(name, 1) for name in "ghi"]

    def inner(*functions: str) -> str:
        return nested(*functions, header="module @m")

    result = traced(
        dump("After", "a", inner(inner(function("f", 1)))),
        dump("After", "b", inner(function("f", 1), *others)),
        dump("After", "c", inner(inner(function("f", 1, 2), *others))),
    )
    assert [*(result.passes[-1].ops or {})] == ["ttir.add"]


def test_of_two_functions_with_one_text_the_one_that_was_shown_last_has_changed() -> None:
    first, last = function("f", 1), function("f", 1, 2)
    result = traced(
        dump("After", "a", first),
        dump("After", "b", nested(nested(first, header="module @i"))),
        dump("After", "c", last),
        dump("After", "d", nested(nested(last, header="module @i"))),
    )
    assert rows(result)[2:] == [("c", "@f", True, 0), ("d", None, False, 0)]


def test_a_function_beside_a_variable_is_the_one_that_is_shown_alone() -> None:
    variable = "memref.global @x : memref<{}xi32>\n"
    result = traced(
        dump("After", "a", variable.format(1) + function("f", 1)),
        dump("After", "b", variable.format(2) + function("f", 1)),
        dump("After", "c", function("f", 1, 2)),
    )
    assert result.passes[-1].ops == {"ttir.add": OpCounts(added=1)}


def test_dumps_before_passes_only() -> None:
    result = traced(
        dump("Before", "a", function("f", 1, 2)),
        dump("Before", "b", function("f", 2, 1)),
        dump("Before", "c", function("f", 2, 1)),
    )
    assert rows(result) == [("a", "@f", True, 1), ("b", "@f", False, 0)]


def test_the_module_behind_the_last_dump_shows_what_the_last_pass_did() -> None:
    result = traced(dump("Before", "a", function("f", 1, 2)), module(function("f", 2, 1)))
    assert rows(result) == [("a", "@f", True, 1)]


def test_the_same_module_behind_the_last_dump_is_no_pass() -> None:
    text = module(function("f", 1, 2))
    assert rows(traced(dump("After", "a", text), text)) == [("a", None, None, 0)]


def test_a_module_without_locations_behind_the_last_dump_tells_nothing() -> None:
    bare = module(function("f", None, None))
    assert rows(traced(dump("After", "a", module(function("f", 1, 2))), bare)) == [("a", None, None, 0)]


def test_passes_that_the_log_does_not_show() -> None:
    result = traced(
        dump("Before", "a", function("f", 1, 2)),
        dump("After", "a", function("f", 1, 2)),
        dump("Before", "c", function("f", 2, 1)),
        dump("After", "c", function("f", 2, 1)),
    )
    assert rows(result) == [("a", "@f", False, 0), (None, "@f", True, 1), ("c", "@f", False, 0)]
    assert culprit(result) is None


def test_dumps_of_functions_interleave() -> None:
    result = traced(
        dump("Before", "a", function("f", 1, 2)),
        dump("Before", "a", function("g", 1, 2)),
        dump("After", "a", function("f", 1, 2)),
        dump("Before", "b", function("f", 1, 2)),
        dump("After", "a", function("g", 2, 1)),
        dump("After", "b", function("f", 2, 1)),
    )
    assert rows(result) == [("a", "@f", False, 0), ("a", "@g", True, 1), ("b", "@f", True, 1)]


def test_a_nested_pass_is_charged_first_and_the_outer_with_the_rest() -> None:
    result = traced(
        dump("Before", "outer", module(function("f", 1, 2, 3), function("g", 1, 2))),
        dump("Before", "inner", function("f", 1, 3, 2)),
        dump("After", "inner", function("f", 3, 2, 1)),
        dump("After", "outer", module(function("f", 3, 2, 1), function("g", 2, 1))),
    )
    assert rows(result) == [("inner", "@f", True, 2), ("outer", None, True, 2)]
    assert [p.left for p in result.passes] == [2, 2]


def test_a_function_pass_printed_at_module_scope() -> None:
    scope = " ('func.func' operation: @f)"
    result = traced(
        dump("Before", "a", module(function("f", 1, 2), function("g", 2, 1)), scope),
        dump("After", "a", module(function("f", 2, 1), function("g", 2, 1)), scope),
    )
    assert rows(result) == [("a", "@f", True, 1)]
    assert result.passes[0].figures.inversions == 1


def test_a_pass_without_a_dump_after_it_changed_nothing_when_the_next_begins() -> None:
    """As with --mlir-print-ir-before-all and --mlir-print-ir-after-change."""
    result = traced(
        dump("Before", "a", function("f", 1, 2)),
        dump("Before", "b", function("f", 1, 2)),
        dump("After", "b", function("f", 2, 1)),
    )
    assert rows(result) == [("a", "@f", False, 0), ("b", "@f", True, 1)]


def test_inversions_of_a_first_dump_are_nobodys() -> None:
    result = traced(dump("After", "a", function("f", 2, 1)), dump("After", "b", function("f", 2, 1)))
    assert (result.initial, result.culprit) == (1, None)


def test_a_function_that_a_pass_made_counts() -> None:
    result = traced(
        dump("Before", "a", module(function("f", 1, 2))),
        dump("After", "a", module(function("f", 1, 2), function("g", 2, 1))),
    )
    assert rows(result) == [("a", None, True, 1)]


def test_inversions_that_move_to_a_new_function_do_not_count() -> None:
    result = traced(
        dump("Before", "outline", module(function("f", 2, 1, 3))),
        dump("After", "outline", module(function("f", 3), function("g", 2, 1))),
    )
    assert rows(result) == [("outline", None, True, 0)]


def test_one_function_put_in_order_does_not_make_up_for_another() -> None:
    result = traced(
        dump("Before", "a", module(function("f", 1, 2), function("g", 2, 1))),
        dump("After", "a", module(function("f", 2, 1), function("g", 1, 2))),
    )
    assert rows(result) == [("a", None, True, 1)]


def test_indices_that_are_gone_are_lost() -> None:
    result = traced(
        dump("Before", "a", module(function("f", 1, 2, 3), function("g", 4))),
        dump("After", "a", module(function("f", 1, None, 4))),
    )
    assert result.passes[0].lost == 2


F, G, H = function("f", 1, 2), function("g", 3, 4), function("h", 5, 6)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (nested(F, header="module @i"), nested(nested(F, header="module @i"), header="module @o", location=' loc("9|o")')),
        (nested(F), nested(nested(nested(F, header="builtin.module"), header="ttcore.device_module"), location=' loc("9|o")')),
        (nested(F), nested(nested(F, header="builtin.module"), nested(G, header="builtin.module"))),
    ],
    ids=["names", "no names", "two of no name"],
)  # fmt: skip
def test_a_module_shown_alone_has_lost_nothing(inner: str, outer: str) -> None:
    """Passes that run on a module in the program print that module."""
    result = traced(
        dump("Before", "a", outer),
        dump("After", "a", outer),
        dump("Before", "b", inner),
        dump("After", "b", inner),
        dump("Before", "c", outer),
        dump("After", "c", outer),
        outer,
    )
    assert rows(result) == [("a", None, False, 0), ("b", None, False, 0), ("c", None, False, 0)]
    assert [p.lost for p in result.passes] == [0, 0, 0]


def test_a_module_seen_later_was_there_before() -> None:
    inner, other = nested(F, header="module @i"), nested(G, header="module @j")
    outer = nested(inner, other, header="module @o")
    result = traced(
        *(dump("After", name, text) for name, text in zip("abc", (inner, other, outer), strict=True))
    )
    assert rows(result) == [("a", None, None, 0), ("b", None, None, 0), ("c", None, False, 0)]


def test_a_pass_that_puts_a_module_around_the_program_changed_something() -> None:
    wrapped = nested(nested(nested(F, header="builtin.module"), header="ttcore.device_module"))
    result = traced(
        dump("After", "a", nested(F)), dump("After", "wrap", wrapped), dump("After", "c", wrapped)
    )
    assert rows(result) == [("a", None, None, 0), ("wrap", None, True, 0), ("c", None, False, 0)]


def test_what_is_gone_from_a_module_shown_alone_is_lost() -> None:
    result = traced(
        dump("Before", "a", nested(nested(F, G, header="module @i"), nested(H, header="module @j"))),
        dump("After", "a", nested(F, header="module @i")),
    )
    assert [(p.changed, p.lost) for p in result.passes] == [(True, 2)]


def test_what_comes_to_a_module_shown_alone_counts() -> None:
    result = traced(
        dump("Before", "a", nested(nested(F, header="module @i"))),
        dump("After", "a", nested(F, function("k", 8, 7), header="module @i")),
    )
    assert rows(result) == [("a", None, True, 1)]


def test_a_module_that_is_gone_is_lost_with_all_that_it_held() -> None:
    result = traced(
        dump("Before", "a", nested(nested(F, header="module @i"), nested(nested(G), header="module @j"))),
        dump("After", "a", nested(nested(F, header="module @i"))),
    )
    assert [(p.changed, p.lost) for p in result.passes] == [(True, 2)]


def test_an_attribute_of_a_module_is_a_change() -> None:
    before = nested(nested(F, header="module @i"))
    after = nested(F, header="module @i attributes {x}")
    assert rows(traced(dump("Before", "a", before), dump("After", "a", after))) == [("a", None, True, 0)]


def test_a_failed_pass() -> None:
    text = function("f", 1, 2)
    result = traced(dump("Before", "a", text), dump("After", "a", text).replace(" (a)", " Failed (a)"))
    assert [p.failed for p in result.passes] == [True]


def test_another_name_for_an_alias_is_no_change() -> None:
    before = function("f", 1).replace('loc("1|op")', "loc(#loc3)") + '#loc3 = loc("1|op")\n'
    result = traced(dump("Before", "a", before), dump("After", "a", before.replace("loc3", "loc")))
    assert rows(result) == [("a", "@f", False, 0)]


def test_functions_without_a_body_have_a_history() -> None:
    text = "func.func private @f(i32)\n"
    result = traced(dump("After", "a", text), dump("After", "b", text))
    assert rows(result) == [("a", "@f", None, 0), ("b", "@f", False, 0)]


def test_programs_split_by_separators_are_traced_alone() -> None:
    result = traced(
        dump("After", "a", function("f", 1, 2)), "// -----\n", dump("After", "a", function("f", 2, 1))
    )
    assert rows(result) == [("a", "@f", None, 0), ("a", "@f", None, 0)]


def test_a_broken_dump_does_not_hide_the_others() -> None:
    broken = function("f", 2, 1).replace("  return", "  )")
    result = trace(
        read_text(
            dump("After", "a", function("f", 1, 2))
            + dump("After", "b", broken)
            + dump("After", "c", function("f", 2, 1))
        )
    )
    assert rows(result) == [("a", "@f", None, 0), ("c", "@f", True, 1)]
    assert [(e.position.line, e.message) for e in result.errors if e.position] == [
        (13, "expected an operation, a block label or '}'")
    ]


def test_an_alias_defined_twice_is_an_error() -> None:
    result = trace(read_text(dump("After", "a", function("f", 1) + '#loc = loc("x")\n#loc = loc("y")\n')))
    assert [error.message for error in result.errors] == ["redefinition of alias '#loc'"]


def test_calls_have_the_effects_of_the_functions_they_call() -> None:
    result = traced(
        dump("After", "a", module(CALLER, PURE)),
        dump("After", "b", module(CALLER, READS)),
        dump("After", "c", module(CALLER, READS)),
    )
    assert [(p.figures.inversions, p.figures.forced) for p in result.passes] == [(1, 0), (1, 1), (1, 1)]


def test_the_ops_that_a_pass_left_are_told_with_their_lines_in_the_last_dump() -> None:
    shuffled = module(function("f", 3, 1, 2))
    [first, second, _] = traced(
        dump("After", "a", module(function("f", 1, 2, 3))),
        dump("After", "b", shuffled),
        dump("After", "c", shuffled),
    ).passes
    assert [(one.op.index, one.op.line, one.function, one.pairs) for one in second.left_ops] == [
        (3, 26, "@f", 2)
    ]
    assert first.left_ops == ()


def test_ops_with_wrong_indices_are_named_not_those_that_stand_behind_them() -> None:
    culprit = trace(read(SAMPLES / "small" / "all_passes_alias.log")).culprit
    assert culprit is not None
    assert {one.op.title for one in culprit.left_ops} == {
        f"#23 ttir.{name} %{result}"
        for name, result in [("permute", 2), ("reshape", 3), ("permute", 5), ("reshape", 6), ("permute", 8), ("reshape", 9)]
    }  # fmt: skip


def test_a_conversion_of_ops_that_stay_in_their_places_made_and_undid_nothing() -> None:
    """Not even if nothing is known of the new ops, so that their order must stay."""
    shuffled = function("f", 2, 1)
    result = traced(
        dump("After", "a", function("f", 1, 2)),
        dump("After", "b", shuffled),
        dump("After", "convert", shuffled.replace("ttir.add", "my.call")),
        dump("After", "lower", shuffled.replace("ttir.add", "ttnn.add")),
    )
    assert [(p.made, p.undone, p.left) for p in result.passes] == [(0, 0, 0), (1, 0, 1), (0, 0, 0), (0, 0, 0)]


def test_of_a_block_with_too_many_ops_out_of_order_some_pairs_are_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(followed_pairs, "MOST_OPS", 3)
    log = dump("After", "a", function("f", 1, 2, 3, 4)), dump("After", "b", function("f", 4, 3, 1, 2))
    result = traced(*log)
    assert (result.is_partial, result.passes[1].left, result.at_end_of_log.inversions) == (True, 1, 5)
    shown = run("trace", "-", stdin="".join(log).encode()).stdout
    assert b"only pairs of the fewest ops to move are followed" in shown


def test_what_follows_an_op_that_is_removed_later_ends_with_it() -> None:
    """A later pass may add ops behind ops that another pass moved; what is left is that other pass's."""
    log = {"start": (1, 2, 3, 4), "a": (4, 3, 1, 2), "b": (4, 3, 1, 2, 3, 3), "c": (3, 1, 2, 3, 3)}
    result = traced(*(dump("After", name, function("f", *order)) for name, order in log.items()))
    assert [(p.pass_name, p.made, p.undone, p.left) for p in result.passes] == [
        ("start", 0, 0, 0),
        ("a", 5, 0, 2),
        ("b", 2, 0, 0),
        ("c", 0, 0, 0),
    ]


def test_ops_that_follow_their_consumer_do_not_count() -> None:
    text = dump("Before", "a", function("f", 1, 2)) + dump(
        "After", "a", function("f", 2, 1).replace('loc("1|op")', 'loc("1|op_tm0"("1|op"))')
    )
    assert rows(trace(read_text(text), AuditOptions(follow={"derived"}))) == [("a", "@f", True, 0)]


def test_an_order_from_another_dump() -> None:
    before = function("f", 10, 20)
    options = AuditOptions(order_from=OriginalOrder(read_text(before)[0]))
    result = trace(
        read_text(dump("Before", "a", before) + dump("After", "a", function("f", 20, 10))), options
    )
    assert rows(result) == [("a", "@f", True, 1)]


def test_an_order_from_another_dump_is_that_of_check() -> None:
    original = function("g", 1, 2)
    copied = module(original, function("f", 9, 1))  # what is in @g still is not what was copied to @f
    options = AuditOptions(order_from=OriginalOrder(read_text(module(original, function("f", 9)))[0]))
    dumps = read_text(dump("After", "a", copied))
    assert [p.figures for p in trace(dumps, options).passes] == [check(dumps, options).summary]


def test_with_an_order_from_another_dump_each_function_has_a_history_too() -> None:
    before, after = (
        module(function("f", 1, 2), function("g", 3, 4)),
        module(function("f", 2, 1), function("g", 3, 4)),
    )
    options = AuditOptions(order_from=OriginalOrder(read_text(before)[0]))
    log = dump("Before", "a", before, " ('func.func' operation: @g)") + dump("Before", "b", after)
    assert rows(trace(read_text(log), options)) == [("a", "@g", False, 0), (None, None, True, 1)]


def test_patterns_that_match_no_op() -> None:
    options = AuditOptions(assume_pure=("ttir.*", "my.*"))
    assert trace(read_text(dump("After", "a", function("f", 1))), options).unmatched == ("my.*",)


def traced_without_reuse(text: str) -> Trace:
    """Every dump and every function is read."""
    with (
        mock.patch.object(Dump, "has_text_of", lambda *_: False),
        mock.patch.object(Recent, "get", lambda *_: None),
        mock.patch.object(function_states.FunctionState, "is_shown_by", lambda *_: False),
        mock.patch.object(FunctionText, "is_equal_to", lambda *_: False),
    ):
        return trace(read_text(text))


@settings(max_examples=settings().max_examples // 2)
@given(logs())
def test_what_is_known_of_texts_seen_before_changes_no_figure(log: str) -> None:
    assert trace(read_text(log)) == traced_without_reuse(log)


def test_a_dump_that_is_that_of_before_is_not_read() -> None:
    text = module(function("f", 1, 2))
    with counting(audit_keyed) as audits:
        traced(*(dump("After", f"p{number}", text) for number in range(9)))
    assert audits == {"audit_keyed": 2}  # the function, and what is around it


def test_a_function_that_did_not_change_is_not_read_again() -> None:
    first, second = module(function("f", 1), function("g", 1)), module(function("f", 1), function("g", 1, 2))
    dumps = read_text(dump("After", "p", first) + dump("After", "q", second))
    with counting(read_ir) as reads:
        trace(dumps)
    # the first dump, then both without @f
    assert reads == {"read_ir": 3}


SHUFFLED_CALLER = """module {
func.func @f(%a: i32) -> i32 {
  %0 = func.call @g(%a) : (i32) -> i32 loc("DEBUG|2|x")
  %1 = "ttir.add"(%a) : (i32) -> i32 loc("DEBUG|1|x")
  return %1 : i32
}
func.func private @g(%a: i32) -> i32 {
  return %a : i32
}
}
"""


def test_the_ops_that_a_pass_left_are_named_in_a_later_dump_of_the_same_text() -> None:
    before, after = module(function("f", 1, 2)), module(function("f", 2, 1))
    log = dump("After", "p", before) + dump("After", "q", after) + dump("After", "r", after)
    result = traced(log)
    op = next(one.op for row in result.passes for one in row.left_ops)
    [left] = result.left
    assert (op.line, left.finding.line, left.finding.place.pass_name) == (24, 24, "r")


def test_a_shuffled_function_that_is_further_down_at_the_end_is_not_audited_again() -> None:
    shuffled = function("f", 2, 1)
    texts = {
        "p": module(function("g", 1), function("f", 1, 2)),
        "q": module(function("g", 1), shuffled),
        "r": module(function("g", 1, 2), shuffled),
    }
    log = "".join(dump("After", name, text) for name, text in texts.items())
    with counting(audit_keyed) as audits:
        [left] = traced(log).left
    assert (left.finding.line, left.finding.place.pass_name) == (37, "r")
    assert left.finding.message == "belongs after #1 ttir.add %1 (line 38): 1 inversion, fix moves it"
    assert audits == {"audit_keyed": 4}  # what is around the functions, then what each dump changes


def test_a_shuffled_function_is_audited_once_and_only_with_what_it_calls() -> None:
    with counting(audit_keyed, functions_around) as calls:
        result = trace(
            read_text(
                dump("After", "p", module(function("f", 1, 2)))
                + dump("After", "q", module(function("f", 2, 1)))
            )
        )
    assert result.culprit is not None
    # the function twice, and once what is around it, which is read with the function
    assert calls == {"audit_keyed": 3, "functions_around": 2}
    with counting(audit_keyed) as audits:
        trace(read_text(SHUFFLED_CALLER))
    assert audits == {"audit_keyed": 2}  # both functions at once, and what is around them


def test_the_culprit_is_the_pass_that_left_most_not_the_one_that_made_most() -> None:
    orders = {"p": (1, 2, 3), "q": (3, 2, 1), "r": (1, 2, 3), "s": (2, 1, 3)}
    result = traced(*(dump("After", name, function("f", *order)) for name, order in orders.items()))
    assert [(p.made, p.undone, p.left) for p in result.passes] == [
        (0, 0, 0),
        (3, 0, 0),
        (0, 3, 0),
        (1, 0, 1),
    ]
    assert culprit(result) == "s"


def test_figures_of_the_samples_are_those_of_check() -> None:
    dumps = read_text((SAMPLES / "resnet" / "all_passes_alias.log").read_bytes())
    result = trace(dumps)
    after = {d.line: check([d]).summary for d in dumps if d.marker and d.marker.when == "after"}
    assert {p.place.line: p.figures for p in result.passes} == after
    assert result.summary == check(dumps).summary


def test_what_the_passes_of_the_resnet_did() -> None:
    result = trace(read_text((SAMPLES / "resnet" / "all_passes_alias.log").read_bytes()))
    assert [(p.pass_name, p.made, p.undone, p.left) for p in result.passes if p.made or p.undone] == [
        ("ttir-flatten-sliding-window", 33, 0, 0),
        ("ttir-erase-inverse-ops", 789, 0, 602),
    ]


@given(st.lists(programs(), min_size=1, max_size=5))
def test_figures_are_those_of_check(texts: list[str]) -> None:
    dumps = read_text("".join(dump("After", f"p{k}", text) for k, text in enumerate(texts)))
    result = trace(dumps)
    assert [p.figures for p in result.passes] == [check([d]).summary for d in dumps]


@pytest.mark.parametrize("form", ["alias", "inline"])
@given(st.lists(st.tuples(st.integers(0, 600), st.sampled_from(NOISE)), max_size=20))
@settings(max_examples=settings().max_examples // 5)
def test_a_logger_changes_nothing(form: str, noise: list[tuple[int, bytes]]) -> None:
    data = (SAMPLES / "small" / f"all_passes_{form}.log").read_bytes()
    lines = data.split(b"\n")
    for place, text in noise:
        lines.insert(place, text)
    quiet, noisy = trace(read_text(data)), trace(read_text(b"\n".join(lines)))
    assert noisy.errors == ()
    assert [(p.pass_name, p.changed, p.figures, p.lost) for p in noisy.passes] == [
        (p.pass_name, p.changed, p.figures, p.lost) for p in quiet.passes
    ]


def test_line_ends_of_another_system_change_nothing() -> None:
    data = (SAMPLES / "small" / "all_passes_alias.log").read_bytes()
    result = trace(read_text(data.replace(b"\n", b"\r\n")))
    assert rows(result) == rows(trace(read_text(data)))
