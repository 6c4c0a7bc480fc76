"""The errors of the Python API for wrong arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eio_audit import (
    AuditOptions,
    check,
    dataflow,
    diff,
    explain,
    fix,
    normal_form,
    read_text,
    shuffle,
    stamp,
    trace,
)
from eio_audit.testing import assert_in_original_order
from tests.cli.running import SAMPLES
from tests.internals import compare_runs

AFTER = SAMPLES / "small" / "after_alias.mlir"
[DUMP] = read_text("module {}")


@pytest.mark.parametrize(
    "call",
    [
        check,
        trace,
        fix,
        stamp,
        dataflow,
        lambda given: shuffle(given, 1),
        lambda given: explain(given, "%0"),
        lambda given: compare_runs(given, given),
    ],
)
@pytest.mark.parametrize("given", ["x.mlir", Path("x.mlir"), "module {}", DUMP])
def test_a_list_of_dumps_is_expected(call: Callable[[object], object], given: object) -> None:
    with pytest.raises(TypeError, match=r"expected a list of dumps, as read\(PATH\) returns, not "):
        call(given)


@pytest.mark.parametrize(
    "call", [normal_form, lambda given: diff(given, given), lambda given: check([given])]
)
@pytest.mark.parametrize("given", ["x.mlir", [DUMP]])
def test_a_dump_is_expected(call: Callable[[object], object], given: object) -> None:
    with pytest.raises(TypeError, match=r"expected a dump, one of those that read\(PATH\) returns, not "):
        call(given)


@pytest.mark.parametrize("call", [read_text, assert_in_original_order])
def test_a_path_where_text_is_meant(call: Callable[[str], object]) -> None:
    message = f"expected IR, not the path '{AFTER}': give a pathlib.Path, or call read(PATH)"
    with pytest.raises(ValueError, match=re.escape(message)):
        call(str(AFTER))


def test_a_path_is_no_text() -> None:
    with pytest.raises(TypeError, match="expected IR as str or bytes, not PosixPath.*: for a file call read"):
        read_text(Path("x.mlir"))  # type: ignore[arg-type]


def test_a_text_may_be_longer_than_any_path() -> None:
    assert len(read_text("x" * 5000)) == 1


def test_the_assertion_knows_two_reasons_to_fail() -> None:
    with pytest.raises(
        ValueError, match="expected fail_on to be 'shuffled', 'out-of-place' or 'any', not 'bogus'"
    ):
        assert_in_original_order("module {}", fail_on="bogus")  # type: ignore[arg-type]


def test_one_name_is_not_taken_for_its_letters() -> None:
    options = AuditOptions(follow="derived", assume_pure="my.*")
    assert (options.follow, options.assume_pure) == (frozenset({"derived", "frees"}), ("my.*",))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"pattern": "x"}, "expected pattern to be an IndexPattern(REGEX), not 'x'"),
        ({"order_from": "x"}, "expected order_from to be an OriginalOrder(DUMP), not 'x'"),
        ({"order_from": DUMP}, "expected order_from to be an OriginalOrder(DUMP), not Dump("),
    ],
)
def test_options_of_another_type(given: Any, expected: str) -> None:
    with pytest.raises(TypeError, match=re.escape(expected)):
        AuditOptions(**given)


def test_what_may_follow() -> None:
    with pytest.raises(
        ValueError,
        match="expected follow to be some of derived, constants, splits, ahead, frees, none, not 'x'",
    ):
        AuditOptions(follow=["x"])
