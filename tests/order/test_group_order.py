"""Orders that stay in a group; those of the queue are what C++'s ``std::priority_queue`` gave out."""

from hypothesis import given
from hypothesis import strategies as st

from tests.internals import GroupedOps, group_count, order_by_queue

Edge = tuple[int, int]


def grouped(groups: str, edges: list[Edge], frees: str = "", ranks: list[int] | None = None) -> GroupedOps:
    """Ops ``0, 1, ...`` of the groups that the letters name; a frees op is named by its number."""
    size = len(groups)
    return GroupedOps(
        group=[ord(letter) for letter in groups],
        rank=ranks or range(size),
        frees=[str(op) in frees.split() for op in range(size)],
        producers=[[producer for producer, user in edges if user == op] for op in range(size)],
        users=[[user for producer, user in edges if producer == op] for op in range(size)],
    )


def in_order(ops: GroupedOps) -> list[int]:
    """The order of the queue, filled with the roots by rank."""
    return order_by_queue(ops, ops.roots)


def test_it_stays_in_the_group_at_hand() -> None:
    assert in_order(grouped("aabb", [(0, 1), (2, 3)])) == [0, 1, 2, 3]
    assert in_order(grouped("aba", [(0, 2)])) == [0, 2, 1]


def test_a_group_is_left_where_none_of_its_ops_is_ready() -> None:
    assert in_order(grouped("abab", [(0, 1), (1, 2), (2, 3)])) == [0, 1, 2, 3]


def test_what_is_near_to_the_roots_goes_first() -> None:
    # behind 0: op 1 is at distance 1, op 2 a root
    assert in_order(grouped("abc", [(0, 1)])) == [0, 2, 1]


def test_roots_enter_by_rank() -> None:
    ops = grouped("abc", [], ranks=[2, 0, 1])
    assert ops.roots == [1, 2, 0]
    assert in_order(ops)[0] == 1


def test_what_frees_goes_last_in_its_group_and_before_other_groups() -> None:
    assert in_order(grouped("aaab", [(0, 1), (0, 2)], frees="1")) == [0, 2, 1, 3]


def test_what_frees_what_no_op_made_is_left_out() -> None:
    assert in_order(grouped("ab", [], frees="1")) == [0]


def test_a_cycle_is_left_out() -> None:
    assert in_order(grouped("abc", [(1, 2), (2, 1)])) == [0]


def test_users_enter_in_their_order() -> None:
    assert in_order(grouped("abc", [(0, 1), (0, 2)])) == [0, 1, 2]
    assert in_order(grouped("abc", [(0, 2), (0, 1)])) == [0, 2, 1]


def test_the_queue_leaves_a_group_that_has_a_ready_op() -> None:
    ops = GroupedOps([1, 1, 0, 2], range(4), [False] * 4, [[]] * 4, [[]] * 4)
    assert in_order(ops) == [0, 2, 1, 3]  # as std::priority_queue
    assert group_count(ops, [0, 2, 1, 3]) == 4


@st.composite
def programs(draw: st.DrawFn) -> GroupedOps:
    size = draw(st.integers(0, 12))
    groups = draw(st.text("abc", min_size=size, max_size=size))
    edge = st.tuples(st.integers(0, max(size - 1, 0)), st.integers(0, max(size - 1, 0)))
    edges = sorted(set(draw(st.lists(edge, max_size=14))), key=lambda edge: edge[1])
    frees = draw(st.sets(st.integers(0, max(size - 1, 0)), max_size=3))
    down = [(a, b) for a, b in edges if a < b and a not in frees]
    ranks = draw(st.permutations(range(size)))
    return grouped(groups, down, " ".join(map(str, frees)), list(ranks))


def ready(ops: GroupedOps, order: list[int]) -> set[int]:
    """What may come next, by definition: an op whose producers are all there."""
    return {
        op
        for op in range(len(ops.group))
        if op not in order
        and set(ops.producers[op]) <= set(order)
        and not (ops.frees[op] and not ops.producers[op])
    }


@given(programs(), st.randoms())
def test_the_queue_gives_out_all_ops_that_can_be_ready_each_behind_its_producers(
    ops: GroupedOps, random: object
) -> None:
    roots = ops.roots
    random.shuffle(roots)  # type: ignore[attr-defined]
    order = order_by_queue(ops, roots)
    assert ready(ops, order) == set()
    places = {op: place for place, op in enumerate(order)}
    assert len(places) == len(order)
    assert all(places[producer] < places[op] for op in order for producer in ops.producers[op])


@given(programs(), st.randoms())
def test_an_op_that_is_ready_alone_in_its_group_goes_on_with_the_group(
    ops: GroupedOps, random: object
) -> None:
    # The queue is exact where nothing of the group waits: an op made ready then goes first.
    roots = ops.roots
    random.shuffle(roots)  # type: ignore[attr-defined]
    order = order_by_queue(ops, roots)
    for place, op in enumerate(order[:-1]):
        was, now = ready(ops, order[:place]) - {op}, ready(ops, order[: place + 1])
        here = {one for one in now if ops.group[one] == ops.group[op]}
        if here and not here & was:
            assert order[place + 1] in here
