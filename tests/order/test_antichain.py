from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.effort import Effort
from eio_audit.order.wrong_labels.antichain import Flow

ROWS = st.lists(st.integers(0, 63), min_size=1, max_size=6)
AMOUNTS = st.lists(st.integers(1, 9), min_size=6, max_size=6)


def test_a_taker_takes_from_another_giver_where_that_helps() -> None:
    flow = Flow([0b11, 0b01], [1, 1], [1, 1])
    flow.give(0, 0, 1)
    assert flow.grow(Effort())
    assert list(flow.links) == [(1, 0, 1), (0, 1, 1)]


def test_without_effort_there_is_no_claim_that_nothing_more_can_be_given() -> None:
    assert not Flow([1], [1], [1]).grow(Effort(0))


@given(ROWS, AMOUNTS, AMOUNTS)
def test_the_flow_is_as_large_as_the_smallest_cut(
    rows: list[int], supplies: list[int], rooms: list[int]
) -> None:
    givers = range(len(rows))
    smallest = min(
        sum(supplies[giver] for giver in cut)
        + sum(
            room
            for taker, room in enumerate(rooms)
            if any(rows[giver] >> taker & 1 for giver in givers if giver not in cut)
        )
        for count in range(len(rows) + 1)
        for cut in combinations(givers, count)
    )
    flow = Flow(rows, supplies[: len(rows)], rooms)
    assert flow.grow(Effort())
    links = list(flow.links)
    assert all(amount > 0 and rows[giver] >> taker & 1 for giver, taker, amount in links)
    assert all(sum(a for g, _, a in links if g == giver) <= supplies[giver] for giver in givers)
    assert all(sum(a for _, t, a in links if t == taker) <= room for taker, room in enumerate(rooms))
    assert sum(amount for *_, amount in links) == smallest
    reached, unreached = flow.reached()
    cut_givers = sum(supplies[giver] for giver in givers if not reached[giver])
    assert (
        cut_givers + sum(room for taker, room in enumerate(rooms) if not unreached >> taker & 1) == smallest
    )
