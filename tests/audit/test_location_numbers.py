"""Locations have one number if they are equal, whether they are parsed or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.locations.parsed_locations import LocationNumbers
from tests.internals import Interned, OriginalIndices
from tests.reading import ir_of

NAMES = st.sampled_from(['"x"', '"y"', '"a b"', r'"\78"', '"é"', '"("', '"x:1:2"'])
PLACES = NAMES.map(lambda name: f"{name}:1:2") | NAMES.map(lambda name: f"{name} : 1:2")
LEAVES = NAMES | PLACES | st.sampled_from(["unknown", "#a", "#b"])
LOCATIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.tuples(NAMES, inner).map(lambda pair: f"{pair[0]}({pair[1]})")
        | st.tuples(inner, inner).map(lambda pair: f"callsite({pair[0]} at {pair[1]})")
        | st.lists(inner, min_size=1, max_size=2).map(lambda parts: f"fused[{', '.join(parts)}]")
    ),
    max_leaves=5,
)


def numbers(*locations: str) -> tuple[list[int], list[int]]:
    """By op, the number of its location: of all at once, and one by one by the parser."""
    ops = "".join(f'"t.op"() : () -> () loc({location})\n' for location in locations)
    ir = ir_of(f'{ops}#a = loc("x")\n#b = loc("y"(#a))\n')
    found = LocationNumbers(ir, OriginalIndices(ir).parsed.locations, Interned())
    return found.of_all(), [found.of(op) for op in range(len(ir))]


@pytest.mark.parametrize("location", ['"x"', '"x"(unknown)', r'"\78"', "#a", '"x" // comment\n'], ids=repr)
def test_one_location_has_one_number(location: str) -> None:
    together, _ = numbers('"x"', location)
    assert together[0] == together[1]


@pytest.mark.parametrize("location", ['"y"', '"x"("x")', '"x":1:2', 'callsite("x" at "x")', '"x"("y":1:2)'])
def test_another_location_has_another_number(location: str) -> None:
    together, _ = numbers('"x"', location)
    assert together[0] != together[1]


def test_an_unknown_location_has_no_number() -> None:
    assert numbers("unknown")[0] == [-1]


@given(st.lists(LOCATIONS, min_size=1, max_size=6))
def test_all_at_once_is_as_one_by_one(locations: list[str]) -> None:
    together, alone = numbers(*locations)
    assert together == alone
