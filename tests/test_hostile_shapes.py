"""The hostile shapes of the benchmarks, small: each is read, ordered, and fixed."""

import sys
from pathlib import Path

import pytest

import eio_audit

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import hostile

QUICK = set(list(hostile.SHAPES)[::5])
"""The others are in longer runs."""


@pytest.mark.parametrize(
    "shape",
    [pytest.param(shape, marks=[] if shape in QUICK else pytest.mark.slow) for shape in hostile.SHAPES],
)
def test_a_small_one_is_fixed(shape: str) -> None:
    text = "".join(f"{line}\n" for line in hostile.lines(shape, 60))
    fixed = eio_audit.fix(eio_audit.read_text(text))
    again = eio_audit.fix(eio_audit.read_text(fixed.text))
    assert fixed.before.ops > 0
    assert fixed.before.lower_bound <= fixed.before.minimum <= fixed.before.inversions
    assert again.text == fixed.text


@pytest.mark.slow
def test_most_of_them_are_out_of_order() -> None:
    checks = [
        eio_audit.check(eio_audit.read_text("".join(f"{line}\n" for line in hostile.lines(shape, 60))))
        for shape in hostile.SHAPES
    ]
    assert sum(check.summary.inversions > 0 for check in checks) > 35
