"""What code generation makes from one dump, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from eio_audit.audit.locations.codegen_location import Reason

ModulePath = tuple[str, ...]
"""A module and the modules around it, outermost first; for ops without a module, their source function."""


class Failure(StrEnum):
    """Why code generation fails; the values are stable."""

    FUNCTIONS = "functions"
    """Several functions are marked as the model's; it accepts one."""
    PREFIX = "prefix"
    """Names begin with ``DEBUG|``. The figures are those for the names without it."""
    LOCATIONS = "locations"
    """It cannot read the locations of some ops."""
    CLASHES = "clashes"
    """Locations name two functions for one place of the model's source."""
    BETWEEN = "between"
    """An op outside the functions uses a result of one and is used by one, but all calls are together."""


@dataclass(frozen=True, slots=True)
class CodegenFunction:
    """A function that code generation makes.

    Attributes:
        name: the name that the pass gives it: the class of a module that all its ops share, and its number.
        caller: the function it is cut out of, ``@forward``.
        file: the file and line of the model's source that its ops share, ``model.py:60``.
        function: the source function there.
        modules: the modules that all its ops share, outermost first.
        ops: number of ops.
        inputs: number of arguments.
        outputs: number of results.
        first_index: the smallest op index in it.
        last_index: the largest op index in it.
        line: 1-based line of its first op.
        parts: per innermost module of an op, the number of its ops, in order of appearance.
    """

    name: str
    caller: str
    file: str
    function: str
    modules: tuple[str, ...]
    ops: int
    inputs: int
    outputs: int
    first_index: int
    last_index: int
    line: int
    parts: Mapping[ModulePath, int]


@dataclass(frozen=True, slots=True)
class Tries:
    """The number of functions in the orders that were tried.

    Attributes:
        orders: how many orders of the first ops were tried.
        all: whether these are all orders.
        fewest, most: the fewest and the most functions of a try.
    """

    orders: int
    all: bool
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """The functions that code generation makes from one dump.

    Attributes:
        failures: why it fails on the dump, in order; empty if it runs.
        callers: the functions that are cut.
        fewest, most: a proven range of the number of functions; None if code generation fails, unless the
            prefix is the only reason.
        typical: the number of functions in a typical run; None if unknown, or as for ``fewest``.
        tried: the numbers in the orders that were tried, for the dump's text; None as for ``fewest``.
        functions: the functions of one try, in call order: of one with the typical number, if known. If code
            generation fails, these are the functions of the other ops.
        modules: per innermost module of an op, the fewest functions with its ops in a try.
        certain: the same in any run.
        ops: number of ops that code generation reads.
        left_out: number of these in no function: unreadable ops, and frees of values that no function has.
        refused: number of ops whose location is not a name.
        unreadable: per reason, the number of names that it cannot read. Ops whose name is readable without
            its prefix are in functions nevertheless.
        clashes: the source places, ``model.py:60``, for which locations name two functions.
    """

    failures: tuple[Failure, ...]
    callers: tuple[str, ...]
    fewest: int | None
    most: int | None
    typical: int | None
    tried: Tries | None
    functions: Sequence[CodegenFunction]
    modules: Mapping[ModulePath, int]
    certain: Mapping[ModulePath, int]
    ops: int
    left_out: int
    refused: int = 0
    unreadable: Mapping[Reason, int] = field(default_factory=dict)
    clashes: tuple[str, ...] = ()
