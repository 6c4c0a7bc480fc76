"""Places for the boxes and edges of a DAG, drawn in layers from producers above to users below.

The usual four steps (Sugiyama, Tagawa and Toda 1981): every box gets a layer, long edges get a bend on each
layer that they cross, the order within layers is improved by barycentres, and coordinates follow from it.

The library grandalf was tried: its edges have half as many bends, but its pictures differ from run to run,
and those of blocks with many long edges are three times as wide, with more than twice the crossings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 12
"""How often the order within layers, and then the coordinates, are improved; more changes little."""

GAP = 24.0
"""Least distance of neighbours in a layer."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything goes; x to the right, y down, in the unit of the widths.

    Attributes:
        width: of the whole drawing; it begins at 0.
        layer_of: by box, from 0 at the top.
        centres: by box, the x of its centre.
        routes: by edge, in the order given: the x of its centre line on each layer from that of the producer
            to that of the user, both included.
    """

    width: float
    layer_of: tuple[int, ...]
    centres: tuple[float, ...]
    routes: tuple[tuple[float, ...], ...]


def layered_layout(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lays out a DAG.

    Args:
        widths: of the boxes, in an order in which every edge points forward.
        edges: (producer, user), each pair once.

    Complexity: O(SWEEPS * e log e) for e edge pieces, one per edge and layer it crosses.
    """
    layer_of = _longest_paths(len(widths), edges)
    chains = []  # by edge, the producer, its bends and the user; bends are numbered after the boxes
    for producer, user in edges:
        crossed = range(layer_of[producer] + 1, layer_of[user])
        chains.append([producer, *range(len(layer_of), len(layer_of) + len(crossed)), user])
        layer_of += crossed
    above: list[list[int]] = [[] for _ in layer_of]
    below: list[list[int]] = [[] for _ in layer_of]
    for upper, lower in (ends for chain in chains for ends in pairwise(chain)):
        above[lower].append(upper)
        below[upper].append(lower)
    layers: list[list[int]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for k, layer in enumerate(layer_of):
        layers[layer].append(k)
    _reduce_crossings(layers, above, below)
    all_widths = [*widths, *[0.0] * (len(layer_of) - len(widths))]
    centres = _coordinates(layers, [a + b for a, b in zip(above, below, strict=True)], all_widths)
    left = min((centres[k] - width / 2 for k, width in enumerate(all_widths)), default=0.0)
    right = max((centres[k] + width / 2 for k, width in enumerate(all_widths)), default=0.0)
    return Layout(
        width=right - left,
        layer_of=tuple(layer_of[: len(widths)]),
        centres=tuple(centres[k] - left for k in range(len(widths))),
        routes=tuple(tuple(centres[k] - left for k in chain) for chain in chains),
    )


def _reduce_crossings(
    layers: Sequence[list[int]], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> None:
    """Sorts each layer by the mean place of its neighbours above, then below, SWEEPS times in turn."""
    place = {k: position for layer in layers for position, k in enumerate(layer)}
    for sweep in range(SWEEPS):
        neighbours = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            means = {k: _mean([place[other] for other in neighbours[k]], place[k]) for k in layer}
            layer.sort(key=means.__getitem__)
            place |= {k: position for position, k in enumerate(layer)}


def _coordinates(
    layers: Sequence[Sequence[int]], neighbours: Sequence[Sequence[int]], widths: Sequence[float]
) -> dict[int, float]:
    """The x of every centre: near the mean of its neighbours, in order and without overlap."""
    packed: dict[int, float] = {}  # where the centres lie when each layer is packed as tightly as may be
    for layer in layers:
        end = 0.0
        for k in layer:
            packed[k] = end + widths[k] / 2
            end += widths[k] + GAP
    centres = dict(packed)
    for sweep in range(SWEEPS):
        for layer in reversed(layers) if sweep % 2 else layers:
            wanted = [
                _mean([centres[other] for other in neighbours[k]], centres[k]) - packed[k] for k in layer
            ]
            shifts = _nearest_rising(wanted)
            centres |= {k: packed[k] + shift for k, shift in zip(layer, shifts, strict=True)}
    return centres


def _longest_paths(size: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """By box its layer: below all its producers, and as far down as keeps the edges short."""
    users_of: list[list[int]] = [[] for _ in range(size)]
    producers_of: list[list[int]] = [[] for _ in range(size)]
    for producer, user in edges:
        users_of[producer].append(user)
        producers_of[user].append(producer)
    layer: list[int] = []
    for producers in producers_of:
        layer.append(max((layer[producer] + 1 for producer in producers), default=0))
    for box in reversed(range(size)):
        if users_of[box] and len(producers_of[box]) <= len(users_of[box]):
            layer[box] = min(layer[user] for user in users_of[box]) - 1
    return layer


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _nearest_rising(wanted: Sequence[float]) -> list[float]:
    """The non-decreasing sequence of least squared distance (pool adjacent violators).

    >>> _nearest_rising([1.0, 4.0, 2.0, 9.0])
    [1.0, 3.0, 3.0, 9.0]
    """
    pools: list[tuple[float, int]] = []  # the mean of neighbours that share a value, and how many they are
    for value in wanted:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (mean, count), (earlier, earlier_count) = pools.pop(), pools.pop()
            total = count + earlier_count
            pools.append(((mean * count + earlier * earlier_count) / total, total))
    return [mean for mean, count in pools for _ in range(count)]
