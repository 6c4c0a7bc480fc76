"""What happened to ops that only rearrange a tensor: permutes, transposes and reshapes.

They cancel in pairs that undo each other, move without cancelling, or are left. A pass that erases inverse
ops moves them up or down until they meet their inverse. An op that meets no inverse should not have moved:
its location is now where the op never was.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from eio_audit.audit.check.disorder import PERMUTES, RESHAPES
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.dump_comparison import DumpComparison, Relation
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.locations.parsed_locations import NO_LOCATION
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.op_text import OpText
from eio_audit.mlir.source import decoded

ELEMENTWISE_DIALECTS = frozenset({"arith", "math"})
_ELEMENTWISE = """
    abs acos acosh add addf addi and arithmetic_right_shift asin asinh atan atan2 atanh bitcast_convert
    bitwise_and bitwise_not bitwise_or bitwise_xor cast cbrt ceil clamp clamp_scalar clamp_tensor clz
    compare complex convert copysign cos cosh cosine count_leading_zeros dequantize digamma div div_unsigned
    divide elu eq equal erf erf_inv erfc exp exp2 expm1 exponential exponential_minus_one floor fmod frac ge
    gelu greater greater_equal gt hardsigmoid hardswish hardtanh identity imag intdiv is_finite is_inf
    isfinite le leaky_relu less lgamma log log1p log2 log_plus_one logical_and logical_left_shift
    logical_not logical_or logical_right_shift logical_xor logistic lt maximum minimum mish mul multiply ne
    neg negate negf not or popcnt pow pow_scalar pow_tensor power powf quantize real reciprocal relu relu6
    remainder rescale round round_nearest_afz round_nearest_even rsqrt rsub select selu shift_left
    shift_right_arithmetic shift_right_logical sigmoid sign signbit silu sin sine sinh softplus softsign
    sqrt square sub subtract tan tanh trunc typecast where xor
"""
ELEMENTWISE = frozenset(_ELEMENTWISE.split())
"""The last part of names of ops that compute each result element from the operand elements at its place.

They are ops of TTIR, TTNN, StableHLO, CHLO, TOSA, Linalg and Torch. In the dialects above, all ops with
operands are elementwise.
"""

_COMMUTING = """
    argmax broadcast broadcast_in_dim concat concatenate cumsum layer_norm max mean min pad prod reduce_and
    reduce_or repeat reverse rms_norm slice slice_static softmax sum
"""
COMMUTING = frozenset(_COMMUTING.split())
"""The last part of names of ops that a rearrangement can move past if their attributes change with it."""

_SHAPE = pattern(r"(?:tensor|memref|vector)<((?:(?:[0-9]+|\?|\*|\[[0-9]+\])x)*)")
_INTEGERS = pattern(r"array<[su]?i[0-9]+: ([^<>]*)>|dense<\[([^\[\]]*)\]>|\[([^\[\]]*)\]")
_TYPED_INTEGER = pattern(r"(-[0-9]++|(?<![0-9])[0-9]++)(?:\s*+:\s*+\w++)?\s*+(?:,|$)")
_PERMUTATION = pattern(
    r"\b(?:permutation|perms|dims|permute_dims)\s*=\s*(array<[^>]*>|dense<[^>]*>|\[[^\]]*\])"
)
_PERMUTATION_NAMES = ("permutation", "perms", "permute_dims", "dims")


class Rearrangement(NamedTuple):
    """What a permute, transpose or reshape does to its first operand."""

    # Dimension `k` of the result is dimension `permutation[k]` of the operand. None for a reshape, and
    # for a permute whose text lacks it.
    permutation: tuple[int, ...] | None
    # As printed, `1x32x?`. Empty for rank 0, `*` for an unknown rank, None if the text shows no types.
    shape_in: str | None
    shape_out: str | None
    is_reshape: bool  # whether it is a reshape

    @property
    def is_known(self) -> bool:
        """Whether the text shows what the op does."""
        if self.is_reshape:
            return self.shape_in is not None and not {"?", "*"} & {*f"{self.shape_in}{self.shape_out}"}
        return self.permutation is not None

    @property
    def inverse(self) -> Rearrangement:
        """The rearrangement that undoes this one.

        >>> Rearrangement((0, 2, 3, 1), "1x2x3x4", "1x3x4x2", False).inverse.permutation
        (0, 3, 1, 2)
        """
        permutation = None
        if self.permutation is not None:
            permutation = tuple(sorted(range(len(self.permutation)), key=self.permutation.__getitem__))
        return Rearrangement(permutation, self.shape_out, self.shape_in, self.is_reshape)

    def __str__(self) -> str:
        if self.permutation is not None:
            return f"[{', '.join(map(str, self.permutation))}]"
        return f"{_printed(self.shape_in)} -> {_printed(self.shape_out)}" if self.is_reshape else ""


def _printed(shape: str | None) -> str:
    return "?" if shape is None else shape or "scalar"


class InversePair(NamedTuple):
    """Two rearrangements, of which the second undoes the first."""

    first: int  # the op whose result the second's operand comes from
    second: int
    # How many elementwise ops are between them. 0 if one feeds the other directly, or would without the
    # inverse pairs between them.
    between: int


class LayoutOps:
    """The permutes, transposes and reshapes of a dump that have an operand."""

    def __init__(self, ops: ComparedOps) -> None:
        self._texts = ops.printed_texts
        leaves = {name: name.rpartition(".")[2] for name in set(ops.names)}
        is_reshape = {
            name: leaf in RESHAPES for name, leaf in leaves.items() if leaf in PERMUTES or leaf in RESHAPES
        }
        # By op, whether it is a reshape.
        self.is_reshape = {
            op: is_reshape[name]
            for op, name in enumerate(ops.names)
            if name in is_reshape and ops.producers[op] and op not in ops.blocks_of
        }
        self._known = dict[int, Rearrangement]()

    def does(self, op: int) -> Rearrangement:
        """Return what one of them does. Most are never asked for it."""
        if op not in self._known:
            self._known[op] = _rearrangement(self._texts[op], is_reshape=self.is_reshape[op])
        return self._known[op]


def _rearrangement(text: OpText, *, is_reshape: bool) -> Rearrangement:
    """What an op does by its text: its first type becomes its last, with or without a permutation."""
    shapes = [shape[1].rstrip("x") for type_ in text.types if (shape := _SHAPE.match(type_))]
    shape_in, shape_out = (shapes[0], shapes[-1]) if shapes else (None, None)
    permutation = None if is_reshape else _permutation(text, shape_in.count("x") + 1 if shape_in else 0)
    return Rearrangement(permutation, shape_in, shape_out, is_reshape)


def _permutation(text: OpText, rank: int) -> tuple[int, ...] | None:
    attributes = text.attributes
    if "dim0" in attributes and "dim1" in attributes:
        return _swap(attributes["dim0"], attributes["dim1"], rank)
    printed = next((attributes[name] for name in _PERMUTATION_NAMES if name in attributes), "")
    if not text.is_generic:
        named = _PERMUTATION.search(decoded(text.text))
        printed = named[1] if named else attributes[""]
    match = _INTEGERS.search(printed)
    if match is None:
        return None
    numbers = tuple(int(number) for number in _TYPED_INTEGER.findall(match[1] or match[2] or match[3] or ""))
    return numbers if sorted(numbers) == list(range(len(numbers))) else None


def _swap(first: str, second: str, rank: int) -> tuple[int, ...] | None:
    """Return the permutation that swaps two dimensions. Negative dimensions count from the end."""
    dims = [int(match[1]) for text in (first, second) if (match := _TYPED_INTEGER.match(text))]
    if len(dims) != 2 or not all(-rank <= dim < rank for dim in dims):
        return None
    a, b = (dim % rank for dim in dims)
    return tuple({a: b, b: a}.get(dim, dim) for dim in range(rank))


def is_elementwise(ops: ComparedOps, op: int) -> bool:
    """Whether rearranging the op's operands is the same as rearranging its result."""
    if not _is_elementwise_name(ops.names[op]):
        return False
    return bool(ops.producers[op]) and op not in ops.blocks_of and ops.ir.result_count(op) == 1


@cache
def _is_elementwise_name(name: str) -> bool:
    dialect, *parts = name.split(".")
    return dialect in ELEMENTWISE_DIALECTS or any(part in ELEMENTWISE for part in parts)


def inverse_pairs(ops: ComparedOps, layouts: LayoutOps) -> list[InversePair]:
    """Return the pairs that undo each other directly, through elementwise ops, or around other pairs.

    Each op is the second of at most one pair. It is the first of several pairs if several ops undo it.

    Complexity: linear in ops and operands times the number of different rearrangements in sight of an op.
    """
    in_sight: dict[int, dict[Rearrangement, tuple[int, int]]] = {}  # by op: (origin, distance)
    pairs = []
    for op in range(len(ops)) if layouts.is_reshape else ():
        if op in layouts.is_reshape:
            does = layouts.does(op)
            seen = in_sight.get(ops.producers[op][0][0], {})
            undone = seen.get(does.inverse) if does.is_known else None
            if undone is None:
                in_sight[op] = {does: (op, 0)}
                continue
            first, between = undone
            pairs.append(InversePair(first, op, between))
            above = in_sight.get(ops.producers[first][0][0], {})
            in_sight[op] = {other: (far, steps + between) for other, (far, steps) in above.items()}
        elif is_elementwise(ops, op):
            in_sight[op] = _merged([in_sight.get(owner, {}) for owner, _ in ops.producers[op]])
    return pairs


def _merged(seen: Sequence[dict[Rearrangement, tuple[int, int]]]) -> dict[Rearrangement, tuple[int, int]]:
    """Merge what is in sight of any operand, the nearest of each, one elementwise op further away."""
    merged: dict[Rearrangement, tuple[int, int]] = {}
    for one in seen:
        for does, (op, steps) in one.items():
            if does not in merged or steps + 1 < merged[does][1]:
                merged[does] = (op, steps + 1)
    return merged


SEARCHED_OPS = 64  # how many ops above a commuted op to search for its origin


class LayoutOp(NamedTuple):
    """A permute, transpose or reshape."""

    op: OpLabel
    does: str  # its permutation, `[0, 3, 1, 2]`, or its shapes, `1x32 -> 32`


class LayoutPair(NamedTuple):
    """Two layout ops, of which the second undoes the first, and the elementwise ops between them."""

    first: LayoutOp
    second: LayoutOp
    between: int


class MovedLayoutOp(NamedTuple):
    """A layout op that was moved, and where it is now. It is in several places if copies were needed."""

    before: LayoutOp
    after: tuple[LayoutOp, ...]


class InverseOps(NamedTuple):
    """What became of the permutes, transposes and reshapes."""

    before: int  # how many there are in each dump
    after: int
    inverse_before: int  # how many pairs of the earlier dump undo each other
    cancelled: tuple[LayoutPair, ...]  # the pairs of the earlier dump that are gone
    # Copies of ops of these pairs that are left, on other operands of the ops they were moved past.
    copies: tuple[MovedLayoutOp, ...]
    # Ops that were moved and did not cancel, except those that were only put back in order.
    moved: tuple[MovedLayoutOp, ...]
    gone: tuple[LayoutOp, ...]  # ops that were removed without an inverse: merged with another op or folded
    added: tuple[LayoutOp, ...]  # ops that came from no op of the earlier dump
    remaining: tuple[LayoutPair, ...]  # pairs of the later dump that undo each other
    inversions: int  # how many inversions of the later dump involve a moved op or a copy


class LayoutChanges:
    """The layout ops of two dumps."""

    def __init__(self, comparison: DumpComparison) -> None:
        self.comparison = comparison
        self.sides = self.old, self.new = comparison.before, comparison.after
        self.layouts = LayoutOps(self.old), LayoutOps(self.new)
        self.gone_from: dict[int, list[int]] = defaultdict(list)
        for op in filter(self._is_gone, self.layouts[0].is_reshape):
            self.gone_from[self.old.locations[op]].append(op)
        # By moved layout op of the earlier dump, its new ops: itself and its copies.
        self.came_to: dict[int, list[int]] = defaultdict(list)
        self.orphans: list[int] = []  # layout ops of the later dump that came from no op of the earlier dump
        was = comparison.was
        layouts = self.layouts[1].is_reshape
        self.added = dict.fromkeys(new for new in layouts if new not in was)
        for new in layouts:
            if new in was and new in comparison.moved and not comparison.came_back(new):
                self.came_to[was[new]].append(new)
        for new in self.added:
            origin = self._origin(new)
            (self.orphans if origin is None else self.came_to[origin]).append(new)

    @cached_property
    def pairs(self) -> list[list[InversePair]]:
        """By side, the pairs that undo each other."""
        return [inverse_pairs(ops, layouts) for ops, layouts in zip(self.sides, self.layouts, strict=True)]

    @property
    def came_from(self) -> dict[int, int]:
        """By layout op of the later dump that was moved or copied, the op it came from."""
        return {new: old for old, ops in self.came_to.items() for new in ops}

    def inverse_ops(self) -> InverseOps:
        """Return what became of the layout ops and their inverses."""
        cancelled = [pair for pair in self.pairs[0] if self._is_cancelled(pair)]
        met = {op for pair in cancelled for op in (pair.first, pair.second)}
        layouts, others = (own.is_reshape for own in self.layouts)
        gone = [op for op in layouts if self._is_gone(op) and op not in met and op not in self.came_to]
        dump, moved = self.new.dump, self.came_from
        blocks = [KeyedBlock(dump, number) for number in {dump.ir.op_block[op] for op in moved}]
        return InverseOps(
            before=len(layouts),
            after=len(others),
            inverse_before=len(self.pairs[0]),
            cancelled=tuple(self._pair(0, pair) for pair in cancelled),
            copies=tuple(self._moved(op) for op in sorted(met) if op in self.came_to),
            moved=tuple(self._moved(op) for op in sorted(self.came_to.keys() - met)),
            gone=tuple(self._op(0, op) for op in gone),
            added=tuple(self._op(1, op) for op in self.orphans),
            remaining=tuple(self._pair(1, pair) for pair in self.pairs[1]),
            inversions=sum(block.inversions_with([op in moved for op in block.ops]) for block in blocks),
        )

    def _is_gone(self, old: int) -> bool:
        return old not in self.comparison.became

    def _is_cancelled(self, pair: InversePair) -> bool:
        """Whether both ops are gone, one of them without a copy. The other may have left copies."""
        both_left_copies = pair.first in self.came_to and pair.second in self.came_to
        return self._is_gone(pair.first) and self._is_gone(pair.second) and not both_left_copies

    def _origin(self, new: int) -> int | None:
        found = (find(new) for find in (self._derived, self._at_its_location, self._commuted))
        return next((origin for origin in found if origin is not None), None)

    def _derived(self, new: int) -> int | None:
        """Return the removed layout op whose location is inside that of ``new``."""
        ancestor = self.comparison.ancestor(new)
        if ancestor is None or ancestor[1] != Relation.DERIVED:
            return None
        was = self.layouts[0].is_reshape.get(ancestor[0])
        is_alike = was == self.layouts[1].is_reshape[new]
        return ancestor[0] if is_alike and self._is_gone(ancestor[0]) else None

    def _at_its_location(self, new: int) -> int | None:
        """Return the removed layout op with this location. Where it passed an op, it left its inverse."""
        does, location = self.layouts[1].does(new), self.new.locations[new]
        for old in self.gone_from.get(location, ()) if location != NO_LOCATION else ():
            what = self.layouts[0].does(old)
            same = (what, what.inverse)
            if does in same or (does.permutation and does.permutation in [one.permutation for one in same]):
                return old
        return None

    def _commuted(self, new: int) -> int | None:
        """Return the earlier op that was moved down to ``new``, past ops that both dumps have.

        A pass gives the op the location of the last op it passes, so only the dataflow shows its origin: the
        origin fed the ops that now feed ``new``.
        """
        was, layouts = self.comparison.was, self.layouts[0].is_reshape
        passed = next((op for op in _above(self.new, new, self.added) if op in was), None)
        if passed is None:
            return None
        if not is_elementwise(self.new, passed) and COMMUTING.isdisjoint(
            self.new.names[passed].split(".")[1:]
        ):
            return None
        does, candidates = self.layouts[1].does(new), []
        for distance, old in enumerate(_above(self.old, was[passed], layouts)):
            if layouts.get(old) == does.is_reshape and self._is_gone(old):
                what = self.layouts[0].does(old)
                candidates.append((what != does, what.shape_out != does.shape_out, distance, old))
        return min(candidates)[-1] if candidates else None

    def _op(self, side: int, op: int) -> LayoutOp:
        return LayoutOp(self.sides[side].dump.label(op), str(self.layouts[side].does(op)))

    def _pair(self, side: int, pair: InversePair) -> LayoutPair:
        return LayoutPair(self._op(side, pair.first), self._op(side, pair.second), pair.between)

    def _moved(self, old: int) -> MovedLayoutOp:
        return MovedLayoutOp(self._op(0, old), tuple(self._op(1, new) for new in sorted(self.came_to[old])))


def _above(ops: ComparedOps, op: int, also: Collection[int]) -> Iterator[int]:
    """Yield the ops that an op is computed from, nearest first, through elementwise ops and ``also`` only."""
    pending, seen = deque(owner for owner, _ in ops.producers[op] if owner >= 0), {op}
    while pending and len(seen) <= SEARCHED_OPS:
        current = pending.popleft()
        if current in seen:
            continue
        seen.add(current)
        yield current
        if current in also or is_elementwise(ops, current):
            pending.extend(owner for owner, _ in ops.producers[current] if owner >= 0)
