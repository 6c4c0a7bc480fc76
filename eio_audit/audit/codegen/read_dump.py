"""What code generation reads of a dump, shared by all predictions for its orders and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import chain

from eio_audit.audit.codegen.code import values_used
from eio_audit.audit.dependence import users_of_values
from eio_audit.audit.locations.codegen_location import (
    FREE,
    CodegenLocation,
    CodegenLocations,
    UnreadableLocation,
    callers,
    codegen_ops,
    is_lowered,
    ttnn_ops,
)
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import Locations


class ReadDump:
    """A dump as code generation reads it. Each op is read once.

    Attributes:
        ir: the dump.
        callers: the functions that are cut into others.
        users: returns, per value, the ops that use it.
    """

    def __init__(self, ir: IR, locations: Locations) -> None:
        self.ir = ir
        self.callers = callers(ir)
        self.users: Callable[[], Mapping[int, Sequence[int]]] = cache(partial(users_of_values, ir))
        self._locations = CodegenLocations(ir, locations)
        self._ops: dict[int, list[int]] = {}
        self._uses: dict[int, Uses] = {}

    @cached_property
    def locations(self) -> list[CodegenLocation | UnreadableLocation | None]:
        """Per op, what is read from its location; None if it is no name."""
        return self._locations.all()

    def ops(self, caller: int) -> list[int]:
        """Return the ops of a function that code generation reads."""
        if caller not in self._ops:
            self._ops[caller] = codegen_ops(self.ir, caller)
        return self._ops[caller]

    def uses(self, caller: int, taken: Sequence[int]) -> Uses:
        """Return the uses of results among some ops of a function."""
        known = self._uses.get(caller)
        if known is None or known.ops != taken:
            known = self._uses[caller] = Uses(self.ir, taken)
        return known

    @cached_property
    def refused(self) -> dict[int, str]:
        """Per op whose location is refused, why."""
        unnamed = {op for op, one in enumerate(self.locations) if one is None}
        found = ((op, self._locations.refusal(op)) for op in self._simplified() if op in unnamed)
        return {op: why for op, why in found if why is not None}

    def _simplified(self) -> Iterable[int]:
        """Return the ops whose locations ``ttnn-simplify-locs-for-codegen`` reads, in textual order.

        These are the TTNN ops of all functions. Before the lowering to TTNN, they are the ops that code
        generation reads.
        """
        return ttnn_ops(self.ir) if is_lowered(self.ir) else chain.from_iterable(map(self.ops, self.callers))


class Uses:
    """The uses of results among some ops, which are numbered from 0.

    Attributes:
        ops: the ops.
        producers: per op, the ops whose results it and its nested ops use, each once.
        frees: per op, whether it only frees results of other ops.
    """

    def __init__(self, ir: IR, ops: Sequence[int]) -> None:
        self.ops = ops
        self.frees = [ir.name(op) == FREE for op in ops]
        self.producers: list[Sequence[int]] = []
        number = {op: k for k, op in enumerate(ops)}
        users_of: dict[int, list[int]] = defaultdict(list)
        for op, k in number.items():
            producers: dict[int, None] = {}
            for value in dict.fromkeys(values_used(ir, op)):
                producer = number.get(ir.value_owner[value])
                if producer is not None:
                    producers[producer] = None
                    users_of[value].append(k)
            self.producers.append(tuple(producers))
        # Per op, and per result of it that is used, its users. The last in the text is the first.
        self._users: list[Sequence[Sequence[int]]] = [
            [users_of[value][::-1] for value in ir.result_values(op) if value in users_of] for op in ops
        ]
        self._in_text = list(map(_merged, self._users))

    def users(self, places: Sequence[int]) -> list[Sequence[int]]:
        """Return per op the ops that use its results, each once, in the order of MLIR's lists.

        That is result by result, for each the last user in the text first.

        Args:
            places: per op of the dump, its place in the text.
        """
        if isinstance(places, range):
            return self._in_text
        ops = self.ops
        return [
            _merged([sorted(users, key=lambda k: -places[ops[k]]) for users in self._users[k]])
            if len(users) > 1
            else users
            for k, users in enumerate(self._in_text)
        ]


def _merged(lists: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return the users of all results, each once."""
    if len(lists) < 2:
        return lists[0] if lists else ()
    return list(dict.fromkeys(chain.from_iterable(lists)))
