"""Ops that only rearrange a tensor (permutes, transposes, reshapes) and the pairs that undo each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from eio_audit.audit.check.label_weights import PERMUTES, RESHAPES
from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.mlir.reading.op_text import OpText

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

_SHAPE = re.compile(r"(?:tensor|memref|vector)<((?:(?:[0-9]+|\?|\*|\[[0-9]+\])x)*)")
_INTEGERS = re.compile(r"array<[su]?i[0-9]+: ([^>]*)>|dense<\[([^\]]*)\]>|\[([^\]]*)\]")
_TYPED_INTEGER = re.compile(r"(-?[0-9]+)(?:\s*:\s*\w+)?\s*(?:,|$)")
_PERMUTATION = re.compile(
    r"\b(?:permutation|perms|dims|permute_dims)\s*=\s*(array<[^>]*>|dense<[^>]*>|\[[^\]]*\])"
)
_PERMUTATION_NAMES = ("permutation", "perms", "permute_dims", "dims")


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """What a permute, transpose or reshape does to its first operand.

    Attributes:
        permutation: dimension ``k`` of the result is dimension ``permutation[k]`` of the operand. None for a
            reshape, and for a permute whose text lacks it.
        shape_in, shape_out: as printed, ``1x32x?``. Empty for rank 0, ``*`` for an unknown rank, None if the
            text shows no types.
        is_reshape: whether it is a reshape.
    """

    permutation: tuple[int, ...] | None
    shape_in: str | None
    shape_out: str | None
    is_reshape: bool

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


@dataclass(frozen=True, slots=True)
class InversePair:
    """Two rearrangements, of which the second undoes the first.

    Attributes:
        first, second: op numbers. The second's operand comes from the first.
        between: how many elementwise ops are between them. 0 if one feeds the other directly, or would
            without the inverse pairs between them.
    """

    first: int
    second: int
    between: int


def rearrangements(ops: ComparedOps) -> dict[int, Rearrangement]:
    """Return what each permute, transpose and reshape with an operand does, by op."""
    leaves = {name: name.rpartition(".")[2] for name in set(ops.names)}
    is_reshape = {
        name: leaf in RESHAPES for name, leaf in leaves.items() if leaf in PERMUTES or leaf in RESHAPES
    }
    return {
        op: parse_rearrangement(ops.texts[op], is_reshape=is_reshape[name])
        for op, name in enumerate(ops.names)
        if name in is_reshape and ops.producers[op] and op not in ops.blocks_of
    }


def parse_rearrangement(text: OpText, *, is_reshape: bool) -> Rearrangement:
    """Return what an op does by its text: its first type becomes its last, with or without a permutation."""
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
        named = _PERMUTATION.search(text.text.decode("utf-8", "replace"))
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
    order = list(range(rank))
    a, b = (dim % rank for dim in dims)
    order[a], order[b] = order[b], order[a]
    return tuple(order)


def is_elementwise(ops: ComparedOps, op: int) -> bool:
    """Whether rearranging the op's operands is the same as rearranging its result."""
    if not _is_elementwise_name(ops.names[op]):
        return False
    return bool(ops.producers[op]) and op not in ops.blocks_of and ops.ir.result_count(op) == 1


@cache
def _is_elementwise_name(name: str) -> bool:
    dialect, *parts = name.split(".")
    return dialect in ELEMENTWISE_DIALECTS or any(part in ELEMENTWISE for part in parts)


def may_commute(ops: ComparedOps, op: int) -> bool:
    """Whether a pass may move a rearrangement from before the op to after it, or back."""
    return is_elementwise(ops, op) or bool(COMMUTING & set(ops.names[op].split(".")[1:]))


def inverse_pairs(ops: ComparedOps, found: dict[int, Rearrangement]) -> list[InversePair]:
    """Return the pairs that undo each other directly, through elementwise ops, or around other pairs.

    Each op is the second of at most one pair. It is the first of several pairs if several ops undo it.

    Complexity: linear in ops and operands times the number of different rearrangements in sight of an op.
    """
    in_sight: dict[int, dict[Rearrangement, tuple[int, int]]] = {}  # by op: (origin, distance)
    pairs = []
    for op in range(len(ops)) if found else ():
        does = found.get(op)
        if does is not None:
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
