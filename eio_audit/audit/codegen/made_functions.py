"""Functions that are described only if a report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import overload

from eio_audit.audit.codegen.cut_function import CutFunction
from eio_audit.audit.codegen.prediction import CodegenFunction


class MadeFunctions(Sequence[CodegenFunction]):
    """The functions of some callers, in call order. Their number is known before they are described."""

    def __init__(self, callers: Sequence[CutFunction], count: int) -> None:
        self._callers = callers
        self._count = count

    @cached_property
    def _all(self) -> tuple[CodegenFunction, ...]:
        return tuple(chain.from_iterable(caller.functions for caller in self._callers))

    def __len__(self) -> int:
        return self._count

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
