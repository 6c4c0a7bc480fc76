"""Places for the boxes and edges of a DAG, drawn in layers from producers above to users below.

The usual four steps (Sugiyama, Tagawa and Toda 1981): every box gets a layer, long edges are cut at the
layers they cross, the order within layers is improved by barycentres, and coordinates follow from the order.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
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

    Complexity: O(sweeps * e log e) for e edge pieces, one per edge and layer it crosses.
    """
    layers = _Layers(widths, edges)
    layers.reduce_crossings()
    centres = layers.coordinates()
    left = min((x - layers.widths[k] / 2 for k, x in enumerate(centres)), default=0.0)
    right = max((x + layers.widths[k] / 2 for k, x in enumerate(centres)), default=0.0)
    return Layout(
        width=right - left,
        layer_of=tuple(layers.layer_of[: len(widths)]),
        centres=tuple(x - left for x in centres[: len(widths)]),
        routes=tuple(tuple(centres[k] - left for k in chain) for chain in layers.chains),
    )


class _Layers:
    """Boxes and the bends of long edges, both numbered alike: the bends follow the boxes.

    Attributes:
        chains: by edge, the producer, its bends and the user.
        layers: by layer, what lies on it from left to right.
    """

    def __init__(self, widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> None:
        self.widths = list(widths)
        self.layer_of = _longest_paths(len(widths), edges)
        self.chains = [self._chain(producer, user) for producer, user in edges]
        self.above: list[list[int]] = [[] for _ in self.widths]
        self.below: list[list[int]] = [[] for _ in self.widths]
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                self.below[upper].append(lower)
                self.above[lower].append(upper)
        self.layers: list[list[int]] = [[] for _ in range(max(self.layer_of, default=-1) + 1)]
        for k, layer in enumerate(self.layer_of):
            self.layers[layer].append(k)

    def _chain(self, producer: int, user: int) -> list[int]:
        crossed = range(self.layer_of[producer] + 1, self.layer_of[user])
        bends = list(range(len(self.widths), len(self.widths) + len(crossed)))
        self.widths += [0.0] * len(bends)
        self.layer_of += crossed
        return [producer, *bends, user]

    def reduce_crossings(self) -> None:
        """Orders each layer by the mean place of its neighbours, down and up; keeps the best order seen."""
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(SWEEPS):
            if not fewest:
                break
            down = sweep % 2 == 0
            for layer in self.layers if down else reversed(self.layers):
                self._sort(layer, self.above if down else self.below)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def _sort(self, layer: list[int], neighbours: Sequence[Sequence[int]]) -> None:
        place = self._places()
        own = {k: position for position, k in enumerate(layer)}
        layer.sort(key=lambda k: _mean([place[other] for other in neighbours[k]], default=own[k]))

    def _places(self) -> dict[int, int]:
        return {k: position for layer in self.layers for position, k in enumerate(layer)}

    def _crossings(self) -> int:
        place = self._places()
        crossings = 0
        for layer in self.layers:
            passed: list[int] = []
            for k in layer:
                ends = sorted(place[lower] for lower in self.below[k])
                crossings += sum(len(passed) - bisect_right(passed, end) for end in ends)
                for end in ends:
                    insort(passed, end)
        return crossings

    def coordinates(self) -> list[float]:
        """The x of every centre: near the mean of its neighbours, in order and without overlap."""
        centres = [0.0] * len(self.widths)
        for layer in self.layers:
            for k, offset in zip(layer, self._offsets(layer), strict=True):
                centres[k] = offset
        for sweep in range(SWEEPS):
            layers = self.layers if sweep % 2 == 0 else reversed(self.layers)
            for layer in layers:
                self._align(layer, centres)
        return centres

    def _align(self, layer: Sequence[int], centres: list[float]) -> None:
        offsets = self._offsets(layer)
        wanted = [
            _mean([centres[other] for other in (*self.above[k], *self.below[k])], default=centres[k]) - offset
            for k, offset in zip(layer, offsets, strict=True)
        ]
        for k, offset, start in zip(layer, offsets, _nearest_rising(wanted), strict=True):
            centres[k] = start + offset

    def _offsets(self, layer: Sequence[int]) -> list[float]:
        """Where the centres lie when the layer is packed as tightly as may be."""
        offsets, end = [], 0.0
        for k in layer:
            offsets.append(end + self.widths[k] / 2)
            end += self.widths[k] + GAP
        return offsets


def _longest_paths(size: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """By box its layer: below all its producers, and as far down as keeps the edges short."""
    layer = [0] * size
    producer_count = [0] * size
    users_of: list[list[int]] = [[] for _ in range(size)]
    for producer, user in edges:
        users_of[producer].append(user)
        producer_count[user] += 1
    for producer, users in enumerate(users_of):
        for user in users:
            layer[user] = max(layer[user], layer[producer] + 1)
    for box in reversed(range(size)):
        if users_of[box] and producer_count[box] <= len(users_of[box]):
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
