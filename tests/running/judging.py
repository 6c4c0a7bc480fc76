"""Runs programs in their own order and in others, and tells which of them came out different."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.running.orders import fixed, shuffled

Outcomes = dict[str, object]


@dataclass(frozen=True)
class Program:
    """A module and the functions that are run.

    Attributes:
        text: the module.
        functions: the names of the functions, each of which ends in its seed.
    """

    text: str
    functions: tuple[str, ...]


@dataclass(frozen=True)
class Judge:
    """Something that runs programs.

    Attributes:
        program: makes a module with a function per seed. A seed always gives the same function.
        run: the outcome of each function, by name; what the function did not survive is an outcome too.
        at_once: how many functions a module should hold.
    """

    program: Callable[[Sequence[int]], Program]
    run: Callable[[Program], Outcomes]
    at_once: int


@dataclass(frozen=True)
class Difference:
    """A function that does something else in an order that the model allows."""

    function: str
    order: str
    expected: object
    found: object

    def __str__(self) -> str:
        return f"{self.function} after {self.order}: {self.found} instead of {self.expected}"


def differences(
    judge: Judge, seeds: Sequence[int], shuffles: int = 5, fixes: int = 0
) -> Iterator[Difference]:
    """Runs a function per seed in its own order, after some shuffles and after some fixes.

    Raises:
        Exception: MLIR or eio-audit rejects a program.
    """
    for start in range(0, len(seeds), judge.at_once):
        program = judge.program(seeds[start : start + judge.at_once])
        expected = judge.run(program)
        for order, text in _reordered(program.text, seeds[start], shuffles, fixes):
            found = judge.run(Program(text, program.functions))
            for function in program.functions:
                if found[function] != expected[function]:
                    yield Difference(function, order, expected[function], found[function])


def _reordered(text: str, seed: int, shuffles: int, fixes: int) -> Iterable[tuple[str, str]]:
    for number in range(seed, seed + shuffles):
        yield f"shuffle {number}", shuffled(text, number)
    for number in range(seed, seed + fixes):
        yield f"fix {number}", fixed(text, number)
