from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.report.graph import layered_layout


@st.composite
def dags(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, int]]]:
    widths = draw(st.lists(st.sampled_from([10.0, 80.0, 200.0]), min_size=1, max_size=14))
    pairs = [(a, b) for b in range(len(widths)) for a in range(b)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return widths, edges


@given(dags())
def test_edges_point_down_and_boxes_of_a_layer_keep_apart(
    dag: tuple[list[float], list[tuple[int, int]]],
) -> None:
    widths, edges = dag
    layout = layered_layout(widths, edges)
    for (producer, user), route in zip(edges, layout.routes, strict=True):
        assert len(route) == layout.layer_of[user] - layout.layer_of[producer] + 1 >= 2
        assert (route[0], route[-1]) == (layout.centres[producer], layout.centres[user])
    for layer in set(layout.layer_of):
        boxes = sorted(
            (x - w / 2, x + w / 2)
            for x, w, own in zip(layout.centres, widths, layout.layer_of, strict=True)
            if own == layer
        )
        assert all(left >= right + 24 - 1e-6 for (_, right), (left, _) in pairwise(boxes))
        assert boxes[0][0] >= -1e-6
        assert boxes[-1][1] <= layout.width + 1e-6


def test_a_chain_is_a_straight_column() -> None:
    layout = layered_layout([50, 50, 50], [(0, 1), (1, 2)])
    assert (layout.layer_of, layout.centres, layout.width) == ((0, 1, 2), (25, 25, 25), 50)


def test_an_op_without_producers_stands_right_above_its_user() -> None:
    assert layered_layout([10] * 4, [(0, 1), (1, 3), (2, 3)]).layer_of == (0, 1, 1, 2)


def test_crossings_that_need_not_be_are_undone() -> None:
    layout = layered_layout([10] * 4, [(0, 3), (1, 2)])
    assert (layout.centres[0] < layout.centres[1]) == (layout.centres[3] < layout.centres[2])
