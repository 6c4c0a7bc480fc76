"""Options that several commands share, and what they choose."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import click

from eio_audit import (
    DEFAULT_INDEX_PATTERN,
    AuditOptions,
    Dump,
    DumpAudit,
    Follow,
    IndexPattern,
    InputError,
    OriginalOrder,
    Summary,
    read,
    unmatched_patterns,
)

F = TypeVar("F", bound=Callable[..., Any])

NOTHING_INDEXED = (
    "no op carries an op index in its location, so there is no original order to compare with; "
    "print the IR with --mlir-print-debuginfo and let the front end number its ops (XLA_HLO_DEBUG=1 for "
    "tt-xla), or say with --index-pattern where the index stands"
)


class IndexPatternType(click.ParamType[IndexPattern]):
    """A regular expression with a group ``index``."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> IndexPattern:
        """Compiles the expression."""
        if isinstance(value, IndexPattern):
            return value
        try:
            return IndexPattern(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class DumpNumberType(click.ParamType[int]):
    """``first``, ``last`` or a number from 1."""

    name = "N|first|last"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A 0-based index into the chosen dumps, -1 for the last."""
        if isinstance(value, int):
            return value
        if value in ("first", "last"):
            return 0 if value == "first" else -1
        if value.isascii() and value.isdigit() and len(value) < 10 and int(value) > 0:
            return int(value) - 1
        self.fail(f"{value!r} is not a number from 1, 'first' or 'last'", param, ctx)


def audit_options(command: F) -> F:
    """The options that change the figures of an audit; the command gets them as one ``options``."""

    @click.option(
        "--index-pattern",
        "pattern",
        type=IndexPatternType(),
        default=DEFAULT_INDEX_PATTERN,
        help="Finds the op index in a location's name: a regular expression with a group named 'index'.",
    )
    @click.option(
        "--follow",
        multiple=True,
        type=click.Choice([follow.value for follow in Follow]),
        help="These ops follow their consumer, whatever index they carry; the order of the others counts. "
        "derived: made by a pass from other ops; constants: pure, without operands. May be repeated.",
    )
    @click.option(
        "--assume-pure",
        multiple=True,
        metavar="GLOB",
        help="Ops whose full name matches (my.*) have no memory effects. May be repeated.",
    )
    @click.option(
        "--order-from",
        metavar="BEFORE",
        help="The original order is that of this dump; ops are matched as in diff. No indices are needed.",
    )
    @functools.wraps(command)
    def with_options(
        *args: Any,
        pattern: IndexPattern,
        follow: tuple[str, ...],
        assume_pure: tuple[str, ...],
        order_from: str | None,
        **others: Any,
    ) -> Any:
        original = OriginalOrder(only_dump(order_from)) if order_from is not None else None
        options = AuditOptions(pattern, follow, assume_pure, original)
        return command(*args, options=options, **others)

    return cast(F, with_options)


pass_option = click.option(
    "--pass", "pass_name", metavar="NAME", help="Only the dumps of this pass, of a log."
)
dump_option = click.option(
    "--dump",
    "dump_number",
    type=DumpNumberType(),
    help="Only this dump of each file (or of what --pass leaves).",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(["avoidable", "any", "never"]),
    default="avoidable",
    show_default=True,
    help="Exit 1 on: an inversion that a fix removes, any inversion, nothing.",
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Name every op instead of the worst.")


def format_option(*formats: str) -> Callable[[F], F]:
    """``--format`` with the formats a command has; the first is the default."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


def select(dumps: Sequence[Dump], pass_name: str | None, dump_number: int | None) -> list[Dump]:
    """The dumps of one file that ``--pass`` and ``--dump`` choose.

    Raises:
        InputError: the file has no dump of that pass, or not so many.
    """
    chosen = list(dumps)
    if pass_name is not None and dumps:
        chosen = [d for d in dumps if d.marker and pass_name in (d.marker.pass_name, d.marker.class_name)]
        if not chosen:
            raise InputError(dumps[0].source.name, None, _no_such_pass(dumps, pass_name))
    if dump_number is not None and chosen:
        if dump_number >= len(chosen):
            raise InputError(dumps[0].source.name, None, f"there are only {len(chosen)} dumps to choose from")
        chosen = [chosen[dump_number]]
    return chosen


def only_dump(path: str, pass_name: str | None = None, dump_number: int | None = None) -> Dump:
    """The one dump of a file, or of those chosen from it.

    Raises:
        InputError: there is none, or more than one.
    """
    dumps = select(read(path), pass_name, dump_number)
    name = "<stdin>" if path == "-" else path
    if not dumps:
        raise InputError(name, None, "the input holds no IR")
    if len(dumps) > 1:
        raise InputError(name, None, f"{len(dumps)} dumps to choose from: say which with --pass and --dump")
    return dumps[0]


def _no_such_pass(dumps: Iterable[Dump], name: str) -> str:
    passes = dict.fromkeys(d.marker.pass_name for d in dumps if d.marker)
    if not passes:
        return f"no dump of pass '{name}': there is no 'IR Dump' line in this file"
    close = difflib.get_close_matches(name, passes, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(passes)}"
    return f"no dump of pass '{name}'; {hint}"


def warn_of_unmatched(dumps: Sequence[DumpAudit]) -> None:
    """Says on standard error which globs of ``--assume-pure`` match no op: they may be misspelt."""
    warn_of_patterns(unmatched_patterns(dumps))


def warn_of_patterns(unmatched: Iterable[str]) -> None:
    """Says on standard error that these globs of ``--assume-pure`` match no op."""
    for pattern in unmatched:
        click.echo(f"warning: --assume-pure {pattern!r} matches no op of the input", err=True)


def exit_code(summary: Summary, fail_on: str) -> int:
    """0 or 1, by the figures and what ``--fail-on`` counts as a finding."""
    findings = {"avoidable": summary.avoidable, "any": summary.inversions, "never": 0}[fail_on]
    return 1 if findings else 0
