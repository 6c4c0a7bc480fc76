"""The figures of a corpus by model and by pass."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import Verdict
from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass
from tests.audit.corpus.made import judged_corpus
from tests.logs import dump, function, logs

ORDERED, ONE, THREE = function("f", 1, 2, 3), function("f", 2, 1, 3), function("f", 3, 2, 1)
CORPUS = {
    "clean/1_cse.mlir": ORDERED,
    "a/1_canonicalize.mlir": ONE,
    "a/2_cse.mlir": THREE,
    "b/1_canonicalize.mlir": ORDERED,
    "b/2_cse.mlir": ONE,
    "broken/1_cse.mlir": "",
}


def rows(verdict: Verdict) -> list[tuple[str, int, int, int, int]]:
    figures = figures_by_model(verdict)
    return [(one.model, one.dumps, one.errors, one.avoidable, one.findings) for one in figures]


def test_the_worst_model_comes_first() -> None:
    assert rows(judged_corpus(CORPUS)) == [
        ("a", 2, 0, 4, 3),
        ("b", 2, 0, 1, 1),
        ("broken", 0, 1, 0, 0),
        ("clean", 1, 0, 0, 0),
    ]


def test_the_worst_dump_of_a_model() -> None:
    worst = {one.model: one.worst for one in figures_by_model(judged_corpus(CORPUS))}
    assert {name: dump and dump.source for name, dump in worst.items()} == {
        "a": "corpus/a/2_cse.mlir",
        "b": "corpus/b/2_cse.mlir",
        "broken": None,
        "clean": None,
    }


def test_of_equally_bad_dumps_the_first_is_the_worst() -> None:
    [figures] = figures_by_model(judged_corpus({"a/1_x.mlir": ONE, "a/2_y.mlir": ONE}))
    assert figures.worst is not None
    assert figures.worst.source == "corpus/a/1_x.mlir"


def test_what_the_dumps_of_each_pass_show() -> None:
    figures = figures_by_pass(judged_corpus(CORPUS))
    assert [
        (one.moment, one.dumps, one.models, one.models_avoidable, one.avoidable, one.findings)
        for one in figures
    ] == [("cse", 3, 3, 2, 4, 3), ("canonicalize", 2, 2, 1, 1, 1)]


def test_in_a_log_an_inversion_counts_once_for_its_model_and_in_each_dump_for_passes() -> None:
    log = "".join(dump("After", name, ONE) for name in ("p", "q"))
    verdict = judged_corpus({"a.log": log, "b.log": ORDERED})
    assert rows(verdict) == [("a.log", 2, 0, 1, 1), ("b.log", 1, 0, 0, 0)]
    assert [(one.moment, one.avoidable, one.findings) for one in figures_by_pass(verdict)] == [
        ("after p", 1, 1),
        ("after q", 1, 0),
        ("", 0, 0),
    ]


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(logs(), min_size=1, max_size=3))
def test_models_and_passes_add_up(texts: list[str]) -> None:
    verdict = judged_corpus({f"{number}.log": text for number, text in enumerate(texts)})
    models, passes, check = figures_by_model(verdict), figures_by_pass(verdict), verdict.check
    assert sum(one.avoidable for one in models) == check.each_inversion_once.avoidable
    assert sum(one.inversions for one in models) == check.each_inversion_once.inversions
    assert sum(one.dumps for one in models) == sum(one.dumps for one in passes) == len(check.dumps)
    assert sum(one.avoidable for one in passes) == check.summary.avoidable
    for figures in (models, passes):
        assert sum(one.findings for one in figures) == len(verdict.findings)
