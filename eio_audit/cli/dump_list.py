"""The errors that list the dumps to choose from, and end with a complete command."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from eio_audit.mlir.printable import printable
from eio_audit.mlir.source import InputError
from eio_audit.report.wording.numbers import count

if TYPE_CHECKING:
    from eio_audit.mlir.input.dumps import Dump


def rerun(*options: str, words: Sequence[str] | None = None) -> str:
    """Return the command with these options, quoted for a shell: ``eio-audit diff passes.log --dump 3``.

    They replace those of the same name. ``words`` are the words after ``eio-audit``, by default those typed.

    >>> rerun("--dump", "3", words=["explain", "two words.log", "--dump=9", "%5"])
    "eio-audit explain 'two words.log' %5 --dump 3"
    """
    typed = list(sys.argv[1:] if words is None else words)
    end = typed.index("--") if "--" in typed else len(typed)
    kept: list[str] = []
    names = {option for option in options if option.startswith("--")}
    given = iter(typed[:end])
    for word in given:
        name, sign, _ = word.partition("=")
        if name not in names:
            kept.append(word)
        elif not sign:
            next(given, None)
    return shlex.join(["eio-audit", *kept, *options, *typed[end:]])


LISTED_DUMPS = 10
"""The most lines of a list of dumps."""

LISTED_PAIRS = 5
"""The most pairs of files in a list."""

LAST = "takes the last dump"
"""What ``--dump`` with the number of the last dump does."""

LAST_DUMPS = 3
"""How many of the last dumps a list has if it cannot have all."""

Numbered = tuple[int, "Dump"]
"""A dump, and its number from 1 for ``--dump``."""


def several_dumps(name: str, dumps: Sequence[Numbered], how: str) -> InputError:
    """Return the error for a command that takes one dump, and has several to choose from."""
    message = f"there are {count(len(dumps), 'dump')}: choose one with {how}"
    return InputError(name, None, message, with_command(name, dump_table(dumps), str(dumps[-1][0]), LAST))


def missing_dump(name: str, message: str, dumps: Sequence[Numbered]) -> InputError:
    """Return the error for a dump that is not among these."""
    listed = dump_table(dumps) if len(dumps) > 1 else []
    return InputError(name, None, message, with_command(name, listed, "last", LAST))


def pair_commands(names: Sequence[str]) -> str:
    """Return lines with the command for each of several pairs of files, and their names above it."""
    lines = []
    for number, pair in enumerate(names[:LISTED_PAIRS], 1):
        lines += [f"  {printable(pair)}:", f"    {rerun('--dump', str(number))}"]
    more = len(names) - LISTED_PAIRS
    return "\n".join([*lines, f"  and {count(more, 'more pair')}"] if more > 0 else lines)


def dump_table(dumps: Sequence[Numbered]) -> list[str]:
    """Return lines with the number, line, pass and op of each dump. The first and the last if there are many.

    The heading is above them.
    """
    from eio_audit.mlir.input.shown_op import shown_op

    left_out = max(len(dumps) - LISTED_DUMPS + 1, 2) if len(dumps) > LISTED_DUMPS else 0
    last = len(dumps) - LAST_DUMPS if left_out else len(dumps)
    shown = [*dumps[: last - left_out], *dumps[last:]]
    rows = [(f"{n}", f"{d.line}", d.place.moment, shown_op(d).label) for n, d in shown]
    lines = table([("N", "line", "pass", "function"), *rows], right=2)
    if left_out:
        lines.insert(1 + last - left_out, f"  ... {left_out:,} more")
    return lines


def table(rows: Iterable[Sequence[str]], right: int) -> list[str]:
    """Return rows as indented lines. The first ``right`` columns are aligned to the right.

    Columns without content below their heading are left out.

    >>> table([("N", "line", "pass"), ("1", "37", "cse"), ("12", "4", "")], right=2)
    ['   N  line  pass', '   1    37  cse', '  12     4']
    """
    columns = list(zip(*rows, strict=True))
    kept = [(k, column) for k, column in enumerate(columns) if any(column[1:])]
    padded = []
    for k, column in kept:
        cells = [printable(cell) for cell in column]
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if k < right else cell.ljust(width) for cell in cells])
    return [("  " + "  ".join(cells)).rstrip() for cells in zip(*padded, strict=True)]


def with_command(name: str, lines: Sequence[str], number: str, effect: str) -> str:
    """Return lines, and below them the command that the user typed with ``--dump`` and this number.

    Without the command if the input ``name`` cannot be read again.
    """
    from eio_audit.report.wording.commands import Step, is_kept, next_lines

    steps = [Step(rerun("--dump", number), effect)] if is_kept(name) else []
    return "\n".join([*lines, *next_lines(steps)])
