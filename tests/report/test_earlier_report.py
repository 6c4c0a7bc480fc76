"""The report of an earlier check: what is read from it, and what is wrong with a file that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import InputError
from tests.audit.corpus.made import judged_corpus
from tests.audit.corpus.test_corpus_figures import CORPUS
from tests.internals import (
    ComparedFigures,
    EarlierCheck,
    Source,
    Trend,
    compare_checks,
    parse_report,
    rendered,
)

START = '{"schema": "eio-audit/1", "command": "check", '
MODEL = '{"model": "a", "dumps": 2, "errors": 1, "inversions": 5, "avoidable": 4}'
PASS = '{"pass": "cse", "when": null, "dumps": 2, "inversions": 5, "avoidable": 4}'


def parsed(text: str) -> EarlierCheck:
    return parse_report(Source("old.json", text.encode()))


def test_the_figures_are_read() -> None:
    report = parsed(f'{START}"models": [{MODEL}], "passes": [{PASS}], "more": 1}}')
    assert report.models == {"a": ComparedFigures(2, 1, 5, 4)}
    assert report.passes == {("cse", None): ComparedFigures(2, 0, 5, 4)}


def test_a_report_is_read_back() -> None:
    verdict = judged_corpus({path: text for path, text in CORPUS.items() if text})
    result = compare_checks("old.json", parsed(rendered(verdict, "json")), verdict)
    assert {one.trend for one in (*result.models.values(), *result.passes.values())} == {Trend.SAME}
    assert list(result.models) == ["a", "b", "clean"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"schema":\n x}', "old.json:2:2: error: expecting value"),
        ("", "old.json:1:1: error: expecting value"),
        ("[]", "old.json:1:1: error: expected a report of 'eio-audit check --format json'"),
        ('{"schema": "eio-audit/1", "command": "trace"}', "old.json:1:1: error: expected a report of 'eio-"),
        (START + '"dumps": []}', "old.json:1:1: error: this report has no list of models: an older version"),
        (START + '"models": []}', "old.json:1:1: error: this report has no list of passes: an older version"),
        (START + '"models": [1], "passes": []}', "old.json: error: models, entry 1: expected an object"),
        (
            START + '"models": [{}], "passes": []}',
            "old.json: error: models, entry 1: expected an object with",
        ),
        (
            f'{START}"models": [{MODEL}, {MODEL.replace("4", "-4")}], "passes": []}}',
            "old.json: error: models, entry 2: expected numbers of dumps, errors, inversions, avoidable",
        ),
        (
            f'{START}"models": [], "passes": [{PASS.replace("null", "7")}]}}',
            "old.json: error: passes, entry 1: expected an object with its name",
        ),
        (
            f'{START}"models": [], "passes": [{PASS.replace("5", "true")}]}}',
            "old.json: error: passes, entry 1: expected numbers of dumps, errors, inversions, avoidable",
        ),
        ("1" * 5000, "old.json: error: a number in this file has too many digits"),
        ("[" * 100_000, "old.json: error: this is nested too deeply to be a report"),
    ],
)
def test_what_is_wrong_with_a_file(text: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert str(caught.value).startswith(error)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["model", "pass", "when", "dumps", "avoidable", "x"]), inner, max_size=4
        )
    ),
)


@given(ANY_JSON, ANY_JSON)
def test_any_other_json_is_an_error_or_a_report(models: Any, passes: Any) -> None:
    text = json.dumps({"schema": "eio-audit/1", "command": "check", "models": models, "passes": passes})
    try:
        assert isinstance(parsed(text), EarlierCheck)
    except InputError as error:
        assert str(error).startswith("old.json:")
