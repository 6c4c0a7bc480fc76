"""Traces of several models as one trace, and what each pass brought in over all of them."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import Dump, InputError, Trace, read_text, trace
from eio_audit.audit.corpus.trace_models import merge_traces, pass_totals
from tests.logs import CALLER, READS, dump, function, logs, module


def dumps_of_model(name: str, text: str) -> list[Dump]:
    return [replace(one, program=f"{name}{one.program}") for one in read_text(text, f"{name}.log")]


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(logs(), max_size=4))
def test_the_traces_of_models_make_the_trace_of_all_dumps(texts: list[str]) -> None:
    models = [dumps_of_model(f"model{n}", text) for n, text in enumerate(texts)]
    assert merge_traces(list(map(trace, models))) == trace(one for model in models for one in model)


def test_errors_are_in_the_order_of_the_models() -> None:
    errors = [InputError(name, None, "it died") for name in ("a.log", "b.log")]
    merged = merge_traces([replace(merge_traces([]), errors=(error,)) for error in errors])
    assert (merged.errors, merged.passes, merged.summary.dumps) == (tuple(errors), (), 0)


def shuffled(name: str, *indices: int) -> Trace:
    """A model that pass ``a`` leaves in this order; pass ``b`` then restores the order."""
    states = {"start": range(len(indices)), "a": indices, "b": range(len(indices))}
    return trace(
        dumps_of_model(name, "".join(dump("After", p, function("f", *o)) for p, o in states.items()))
    )


def left_shuffled(name: str, *indices: int) -> Trace:
    """A model that pass ``b`` leaves in this order."""
    states = {"start": range(len(indices)), "b": indices}
    return trace(
        dumps_of_model(name, "".join(dump("After", p, function("f", *o)) for p, o in states.items()))
    )


def test_what_a_pass_brought_in_is_added_up_over_all_models() -> None:
    traces = [shuffled("x", 2, 1, 0), shuffled("y", 1, 0), left_shuffled("z", 1, 0)]
    assert [total._asdict() for total in pass_totals(traces)] == [
        {
            "pass_name": "b",
            "made": 1,
            "models": 1,
            "undone": 4,
            "left": 1,
            "left_shuffled": 1,
            "mislabelled": 0,
            "lost": 0,
        },
        {
            "pass_name": "a",
            "made": 4,
            "models": 2,
            "undone": 0,
            "left": 0,
            "left_shuffled": 0,
            "mislabelled": 0,
            "lost": 0,
        },
        {
            "pass_name": "start",
            "made": 0,
            "models": 0,
            "undone": 0,
            "left": 0,
            "left_shuffled": 0,
            "mislabelled": 0,
            "lost": 0,
        },
    ]


def test_a_pass_that_shuffles_twice_in_a_model_shuffles_in_one_model() -> None:
    states = [("start", (0, 1)), ("a", (1, 0)), ("b", (0, 1)), ("a", (1, 0))]
    text = "".join(dump("After", name, function("f", *order)) for name, order in states)
    worst = pass_totals([trace(read_text(text))])[0]
    assert (worst.pass_name, worst.made, worst.models) == ("a", 2, 1)


def test_what_is_there_from_the_start_is_left_by_no_pass() -> None:
    text = "".join(dump("After", name, function("f", 1, 0)) for name in ("start", "a"))
    result = trace(read_text(text))
    assert (result.at_end_of_log.inversions, [one.left for one in pass_totals([result])]) == (1, [0, 0])


def test_what_a_pass_leaves_at_the_end_does_not_depend_on_another_program() -> None:
    caller = CALLER.replace("@f", "@c")
    x = dump("Before", "a", function("g", 1, 2, 3)) + dump("After", "a", module(caller, READS))
    y = dump("After", "start", function("f", 1, 2)) + dump("After", "a", function("f", 2, 1))
    models = dumps_of_model("x", x), dumps_of_model("y", y)
    [alone], [among, *_] = trace(models[0]).passes, trace([*models[0], *models[1]]).passes
    assert alone.advice is not None
    assert among.advice == alone.advice
