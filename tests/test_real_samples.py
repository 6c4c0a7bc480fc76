"""What a fix does to real dumps of a real pass. sample_irs/README.md has the figures."""

from collections import defaultdict
from functools import cache

import pytest

from tests.real_samples import BEGIN, DOCUMENT, END, PROGRAMS, Row, rows, table

FINAL = [f"{program}, TTNN" for program in PROGRAMS]


@cache
def all_rows() -> dict[str, dict[str, Row]]:
    """The rows by program and state."""
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows():
        found[row.program][row.state] = row
    return found


@pytest.mark.slow
def test_the_table_is_current() -> None:
    text = DOCUMENT.read_text()
    shown = text[text.index(BEGIN) + len(BEGIN) : text.index(END)]
    assert shown == table([row for states in all_rows().values() for row in states.values()])


@pytest.mark.parametrize("program", PROGRAMS)
def test_with_indices_put_right_the_order_and_the_modules_are_whole(program: str) -> None:
    states = all_rows()[program]
    before, whole = states["before the pass"], states["`fix --relabel`"]
    assert whole.inversions == 0
    assert whole.runs <= 1.05 * before.runs


@pytest.mark.parametrize("program", FINAL)
def test_where_frees_follow_nothing_is_worse(program: str) -> None:
    states = all_rows()[program]
    plain, whole = states["`fix`"], states["`fix --relabel`"]
    assert whole.inversions == 0
    assert whole.runs <= plain.runs
