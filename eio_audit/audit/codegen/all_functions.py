"""The functions of a prediction, described only if a report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import overload

from eio_audit.audit.codegen.made_functions import MadeFunctions
from eio_audit.audit.codegen.prediction import CodegenFunction


class AllFunctions(Sequence[CodegenFunction]):
    """The functions of all callers, in call order. Their number is known before they are described."""

    def __init__(self, made: Sequence[MadeFunctions]) -> None:
        self._made = made

    @cached_property
    def _all(self) -> tuple[CodegenFunction, ...]:
        return tuple(chain.from_iterable(one.functions() for one in self._made))

    def __len__(self) -> int:
        return sum(map(len, self._made))

    @overload
    def __getitem__(self, place: int) -> CodegenFunction: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CodegenFunction, ...]: ...

    def __getitem__(self, place: int | slice) -> CodegenFunction | tuple[CodegenFunction, ...]:
        return self._all[place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all)
