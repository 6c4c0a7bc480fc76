import pytest

from eio_audit import InputError
from tests.internals import Baseline, BaselineEntry, Source, baseline_to_json, parse_baseline

TWO = Baseline(
    ".",
    {
        BaselineEntry("b.mlir", "EIO001", "@f", "ttir.abs", "Net[net]|é"): 2,
        BaselineEntry("a.mlir", "EIO001", "", "ttir.abs", ""): 1,
    },
)
TEXT = """{"schema": "eio-audit-baseline/1", "findings": [
  {"source": "a.mlir", "code": "EIO001", "function": "", "op": "ttir.abs", "origin": ""},
  {"source": "b.mlir", "code": "EIO001", "function": "@f", "op": "ttir.abs", "origin": "Net[net]|é", "count": 2}
]}
"""


def parsed(text: str) -> Baseline:
    return parse_baseline(Source("b.json", text.encode()), ".")


def test_one_finding_per_line() -> None:
    assert baseline_to_json(TWO) == TEXT


def test_it_is_read_back() -> None:
    assert parsed(TEXT).counts == TWO.counts


def test_an_empty_one() -> None:
    assert parsed(baseline_to_json(Baseline(".", {}))).counts == {}


def test_entries_alike_add_up() -> None:
    line = TEXT.split("\n")[1].rstrip(",")
    assert list(parsed(TEXT.replace(line, f"{line},{line}")).counts.values()) == [2, 2]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"schema":\n x}', "b.json:2:2: error: expecting value\n x}\n ^"),
        ("", "b.json:1:1: error: expecting value\n\n^"),
        ("[" * 100_000, "b.json: error: this is nested too deeply to be a baseline"),
        ("[]", 'b.json: error: expected a baseline: {"schema": "eio-audit-baseline/1", ...}'),
        (
            TEXT.replace("/1", "/2"),
            'b.json: error: expected a baseline: {"schema": "eio-audit-baseline/1", ...}',
        ),
        ('{"schema": "eio-audit-baseline/1"}', 'b.json: error: expected a list of "findings"'),
        (
            '{"schema": "eio-audit-baseline/1", "findings": [1]}',
            "b.json: error: finding 1: expected an object",
        ),
        (
            TEXT.replace('"op": "ttir.abs", ', ""),
            "b.json: error: finding 1: expected texts for source, code, function, op, origin",
        ),
        (TEXT.replace('"count": 2', '"count": 0'), "b.json: error: finding 2: expected a count from 1"),
        (TEXT.replace('"count": 2', '"count": true'), "b.json: error: finding 2: expected a count from 1"),
    ],
)
def test_what_is_no_baseline(text: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert str(caught.value).strip("\n") == error


def test_a_baseline_that_is_not_utf8() -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        parse_baseline(Source("b.json", b'{"\xff'), ".")
