"""A property of the IR, and the first application after which it fails."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from eio_audit.audit.bisect.compiler_command import CompilerRuns
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.command import run_command
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

UNTESTABLE = 125
"""The exit code of a test that cannot judge a text, as for ``git bisect run``."""

LAST_FAILURE = 127
"""The greatest exit code that means that the property fails. Greater ones, and signals, are errors."""

Holds: TypeAlias = Callable[[Dump], bool | None]
"""Whether a property holds of a dump; None if that cannot be said."""


class BuiltInTest(StrEnum):
    """The properties with a name of their own. Each compares with the dump before the first pass."""

    CHANGED = "changed"
    """The text is the same."""
    ORDER = "order"
    """There are no more inversions."""
    AVOIDABLE = "avoidable"
    """There are no more avoidable inversions."""

    def holds(self, start: Dump, options: AuditOptions) -> Holds:
        """Return the property, compared with the dump at the start."""
        if self is BuiltInTest.CHANGED:
            text = start.text.strip()
            return lambda dump: dump.text.strip() == text

        def figure(dump: Dump) -> int:
            summary = audit_dump(dump, options).audit.summary
            return summary.inversions if self is BuiltInTest.ORDER else summary.avoidable

        limit = figure(start)
        return lambda dump: figure(dump) <= limit


@dataclass(frozen=True, slots=True)
class CommandTest:
    """A command that gets the text on standard input. Exit code 0: the property holds. 125: unknown."""

    words: tuple[str, ...]
    runs: CompilerRuns

    def __call__(self, dump: Dump) -> bool | None:
        """Return whether the property holds of a dump.

        Raises:
            InputError: the command cannot be run, takes too long, or ends by a signal or with over 127.
        """
        name = shlex.join(self.words)
        try:
            with tempfile.TemporaryFile(dir=self.runs.folder) as text:
                text.write(dump.text)
                text.seek(0)
                code = run_command(self.words, self.runs.timeout, stdin=text, running=self.runs.running)
        except TimeoutError as error:
            raise InputError(
                name, None, f"stopped after {self.runs.timeout:g} seconds (--timeout)"
            ) from error
        except OSError as error:
            raise InputError(name, None, f"cannot run: {error.strerror}") from error
        if not 0 <= code <= LAST_FAILURE:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            why = "a test ends with 0 (holds), 1 to 124 (fails) or 125 (cannot be judged)"
            raise InputError(name, None, f"the test {how}; {why}")
        return None if code == UNTESTABLE else code == 0


def first_failing(low: int, high: int, holds: Callable[[int], bool | None]) -> tuple[int, int]:
    """Return the last number at which a property holds, and the first at which it fails.

    They are neighbours, unless the numbers between them cannot be judged. The property holds at ``low``,
    fails at ``high``, and is taken to fail from some number on.

    Complexity: log2(high - low) tests, if all can be judged.

    Example:
        >>> first_failing(0, 100, lambda number: number < 64)
        (63, 64)
        >>> first_failing(0, 10, lambda number: None if 3 < number < 7 else number < 5)
        (3, 7)
    """
    while high - low > 1:
        found = _judged_near((low + high) // 2, low, high, holds)
        if found is None:
            break
        number, it_holds = found
        low, high = (number, high) if it_holds else (low, number)
    return low, high


def _judged_near(
    middle: int, low: int, high: int, holds: Callable[[int], bool | None]
) -> tuple[int, bool] | None:
    """Return the number nearest to the middle that can be judged, and whether the property holds there."""
    for number in _from_middle(middle, low, high):
        if (it_holds := holds(number)) is not None:
            return number, it_holds
    return None


def _from_middle(middle: int, low: int, high: int) -> Iterator[int]:
    """Yield the numbers between two others, those next to the middle first; of two, the lesser."""
    yield middle
    for distance in range(1, high - low):
        yield from (number for number in (middle - distance, middle + distance) if low < number < high)
