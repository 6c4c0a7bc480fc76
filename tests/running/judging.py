"""Runs programs in their own order and in others, and tells which of them came out different."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.running.orders import fixed, shuffled

Outcomes = dict[str, object]

FAILED = "failed: "
"""How the outcome of a function starts that an interpreter does not get through."""


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


class UndecidedError(Exception):
    """The judge cannot run a program, for a reason of its own."""


@dataclass
class Verdict:
    """What came of running programs.

    Attributes:
        judged: how many functions were run, each as often as there was another order of it.
        undecided: how many were not, because the judge could not.
        differences: what came out different.
    """

    judged: int = 0
    undecided: int = 0
    differences: list[Difference] = field(default_factory=list)

    def functions(self) -> set[str]:
        """The functions that came out different."""
        return {difference.function for difference in self.differences}


def judged(judge: Judge, seeds: Sequence[int], shuffles: int = 5, fixes: int = 0) -> Verdict:
    """Runs a function per seed in its own order, after some shuffles and after some fixes.

    Raises:
        Exception: MLIR or eio-audit rejects a program.
    """
    verdict = Verdict()
    for _ in _judge(verdict, judge, seeds, shuffles, fixes, verified=True):
        pass
    return verdict


def differs(judge: Judge, seeds: Sequence[int], shuffles: int) -> bool:
    """Whether a function comes out different after a shuffle that nothing verifies. The rest is not run."""
    verdict = Verdict()
    return any(verdict.differences for _ in _judge(verdict, judge, seeds, shuffles, 0, verified=False))


def _judge(
    verdict: Verdict, judge: Judge, seeds: Sequence[int], shuffles: int, fixes: int, *, verified: bool
) -> Iterator[None]:
    """Add to a verdict, and yield after each run in another order."""
    for start in range(0, len(seeds), judge.at_once):
        program = judge.program(seeds[start : start + judge.at_once])
        try:
            expected = judge.run(program)
        except UndecidedError:
            verdict.undecided += len(program.functions) * (shuffles + fixes)
            continue
        broken = {name: outcome for name, outcome in expected.items() if str(outcome).startswith(FAILED)}
        assert not broken, f"these do not run in their own order: {broken}"
        for order, text in _reordered(program.text, seeds[start], shuffles, fixes, verified=verified):
            try:
                found = judge.run(Program(text, program.functions))
            except UndecidedError:
                verdict.undecided += len(program.functions)
                continue
            verdict.judged += len(program.functions)
            verdict.differences += [
                Difference(function, order, expected[function], found[function])
                for function in program.functions
                if found[function] != expected[function]
            ]
            yield


def _reordered(
    text: str, seed: int, shuffles: int, fixes: int, *, verified: bool
) -> Iterable[tuple[str, str]]:
    for number in range(seed, seed + shuffles):
        yield f"shuffle {number}", shuffled(text, number, verified=verified)
    for number in range(seed, seed + fixes):
        yield f"fix {number}", fixed(text, number, verified=verified)
