"""Options that several commands share, and what they choose."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from eio_audit import (
    DEFAULT_INDEX_PATTERN,
    AuditOptions,
    Dump,
    DumpAudit,
    DumpFile,
    Follow,
    IndexPattern,
    InputError,
    OpTable,
    read,
    source_name,
    unmatched_patterns,
)
from eio_audit.cli.config_file import Config, find_config, read_config

F = TypeVar("F", bound=Callable[..., Any])

NO_IR = "the input holds no IR"
NOTHING_INDEXED = (
    "no op carries an op index in its location, so there is no original order to compare with; "
    "print the IR with --mlir-print-debuginfo and let the front end number its ops (XLA_HLO_DEBUG=1 for "
    "tt-xla), or say with --index-pattern where the index stands"
)


PATH = click.Path(readable=False, allow_dash=True)
"""A file or a folder; shells complete its name, and whether it can be read is seen when it is."""


LISTED_NAMES = 20
"""How many passes a message lists at most."""

SKIPPED_NAMES = 3
"""How many files that are not read are named."""

COULD_NOT_RUN_HELP = """\
  2  could not run: usage, input that cannot be read or is malformed, or
     no op carries an index"""

EXIT_CODES = f"""\b
Exit codes:
  0  done
{COULD_NOT_RUN_HELP}
"""
"""The end of the help of a command that asks for the order and does not judge it."""

REWRITE_EXIT_CODES = """\b
Exit codes:
  0  done
  2  could not run: usage, or input that cannot be read or is malformed
  3  the result failed its own verification: nothing was written
"""
"""The end of the help of a command that rewrites IR whose order it does not ask for."""

GATE_EXIT_CODES = f"""\b
Exit codes:
  0  done, and nothing found that fails
  1  findings
{COULD_NOT_RUN_HELP}
"""
"""The end of the help of a command that is a gate."""


class IndexPatternType(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
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


class DumpNumberType(click.ParamType):  # type: ignore[type-arg]
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


class SizeType(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes: ``4GB``, ``500 MB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes; a unit is a power of 1,000."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} is not a size such as 500MB or 4GB", param, ctx)
        thousands = " kmgt".index(match["unit"].lower() or " ")
        return int(match["number"]) * int(1000**thousands)


_SIZE = re.compile(r"(?P<number>[0-9]{1,15}) ?(?P<unit>[kmgt]?)b?", re.IGNORECASE)
_MAX_SIZE = "eio-audit: max-size"


def _keep_max_size(ctx: click.Context, _: click.Parameter, size: int) -> int:
    ctx.meta[_MAX_SIZE] = size
    return size


max_size_option = click.option(
    "--max-size",
    type=SizeType(),
    metavar="SIZE",
    default="4GB",
    show_default=True,
    callback=_keep_max_size,
    help="What a compressed file may unpack to; more is an error.",
)


def max_size() -> int:
    """What ``--max-size`` says to the command that runs."""
    size: int = click.get_current_context().meta[_MAX_SIZE]
    return size


def read_dumps(path: str) -> list[Dump]:
    """The dumps of a file of no more than ``--max-size``.

    Raises:
        InputError: it cannot be read, or is larger.
    """
    return read(path, max_size())


index_pattern_option = click.option(
    "--index-pattern",
    "pattern",
    type=IndexPatternType(),
    default=DEFAULT_INDEX_PATTERN,
    help="Finds the op index in a location's name: a regular expression with a group named 'index'.",
)
follow_option = click.option(
    "--follow",
    multiple=True,
    type=click.Choice([follow.value for follow in Follow]),
    help="These ops follow their consumer, whatever index they carry; the order of the others counts. "
    "derived: made by a pass from other ops; constants: pure, without operands; frees: ops that only free, "
    "they follow the last use of what they free. May be repeated.",
)
assume_pure_option = click.option(
    "--assume-pure",
    multiple=True,
    metavar="GLOB",
    help="Ops whose full name matches (my.*) have no memory effects. May be repeated.",
)


def key_of(option: click.Parameter) -> str:
    """What an option is called in a configuration file: ``index-pattern``."""
    return max(option.opts, key=len).lstrip("-")


def config_options(command: F) -> F:
    """``--config`` and ``--isolated``; what the file says becomes the defaults of the other options."""
    config = click.option(
        "--config",
        type=PATH,
        metavar="FILE",
        is_eager=True,
        callback=_apply_config,
        help="Configuration file; without it the nearest eio-audit.toml, or pyproject.toml with "
        "[tool.eio-audit], from the current folder upwards.",
    )
    isolated = click.option(
        "--isolated",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_ignore_config,
        help="Read no configuration file.",
    )
    return config(isolated(command))


_ISOLATED = "eio-audit: isolated"
_NOT_BOTH = "--isolated reads no configuration: it does not go with --config"


def _ignore_config(ctx: click.Context, _: click.Parameter, isolated: bool) -> None:
    ctx.meta[_ISOLATED] = isolated
    if isolated and "config" in ctx.params:
        raise click.UsageError(_NOT_BOTH)


def _apply_config(ctx: click.Context, _: click.Parameter, path: str | None) -> Config:
    """Reads the configuration before the other options are looked at, for they default to it."""
    isolated = ctx.meta.get(_ISOLATED, False)
    if isolated and path is not None:
        raise click.UsageError(_NOT_BOTH)
    if isolated or ctx.resilient_parsing:
        return Config()
    config = find_config() if path is None else read_config(Path(path))
    options = {key_of(option): option for option in ctx.command.params}
    ctx.default_map = {
        options[key].name: _checked(ctx, config, options[key], value)
        for key, value in config.values.items()
        if key in options
    }
    return config


def _checked(ctx: click.Context, config: Config, option: click.Parameter, value: Any) -> Any:
    """A value of the configuration as the option takes it; a file is looked for beside the configuration.

    Raises:
        InputError: the option does not take it.
    """
    key = key_of(option)
    if option.multiple != isinstance(value, list):
        expected = f'a list, as in {key} = ["..."]' if option.multiple else "a single value"
        raise InputError(str(config.path), None, f"{key}: expected {expected}")
    texts = [str(item) for item in value] if option.multiple else str(value)
    try:
        option.type_cast_value(ctx, texts)
    except click.BadParameter as error:
        raise InputError(str(config.path), None, f"{key}: {error.message.rstrip('.')}") from error
    if isinstance(option.type, click.Path) and config.path is not None:
        return os.path.relpath(config.path.parent / value)
    return texts


def audit_options(command: F) -> F:
    """The options that change the figures of an audit; the command gets them as one ``options``."""

    @config_options
    @max_size_option
    @index_pattern_option
    @follow_option
    @assume_pure_option
    @click.option(
        "--order-from",
        type=PATH,
        metavar="BEFORE",
        help="The original order is that of this dump; ops are matched as in diff. No indices are needed.",
    )
    @functools.wraps(command)
    def with_options(
        *args: Any,
        config: Config,
        max_size: int,
        pattern: IndexPattern,
        follow: tuple[str, ...],
        assume_pure: tuple[str, ...],
        order_from: str | None,
        **others: Any,
    ) -> Any:
        original = None
        if order_from is not None:
            from eio_audit import OriginalOrder

            original = OriginalOrder(only_dump(order_from), OpTable(config.ops))
        options = AuditOptions(pattern, follow, assume_pure, original, config.ops)
        return command(*args, options=options, **others)

    return cast(F, with_options)


def _complete_pass(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The passes of the files that stand on the command line so far."""
    words = list(ctx.args)  # what could not be told apart yet, because --pass lacks its value
    for value in ctx.params.values():
        words += value if isinstance(value, tuple) else [value]
    passes: list[str] = []
    for word in words:
        if isinstance(word, str) and Path(word).is_file():
            with contextlib.suppress(InputError):
                passes += _passes(read(word))
    return [name for name in dict.fromkeys(passes) if name.startswith(incomplete)]


pass_option = click.option(
    "--pass",
    "pass_name",
    metavar="NAME",
    shell_complete=_complete_pass,
    help="Only the dumps of this pass, of a log.",
)
dump_option = click.option(
    "--dump",
    "dump_number",
    type=DumpNumberType(),
    metavar="N|first|last",
    help="Only this dump of each file (or of what --pass leaves).",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(["avoidable", "any", "never"]),
    default="avoidable",
    show_default=True,
    help="Exit 1 on: an inversion that a fix removes, any inversion, nothing.",
)
output_option = click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Write the report to FILE instead of standard output."
)
quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print nothing but errors, and no report but to a FILE; see the exit code.",
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Name every op instead of the worst.")


def report_output(output: str | None, *, quiet: bool) -> str | None:
    """Where a report goes: with ``--quiet`` not to standard output."""
    return os.devnull if quiet and output is None else output


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


def select(
    dumps: Sequence[Dump], pass_name: str | None, dump_number: int | None, path: str | None = None
) -> list[Dump]:
    """The dumps of one file, or of the folder ``path``, that ``--pass`` and ``--dump`` choose.

    Raises:
        InputError: there is no dump of that pass, or not so many.
    """
    chosen = list(dumps)
    name = dumps[0].source.name if path is None and dumps else path or ""
    if pass_name is not None and dumps:
        chosen = [d for d in dumps if d.marker and pass_name in (d.marker.pass_name, d.marker.class_name)]
        if not chosen:
            raise InputError(name, None, _no_such_pass(dumps, pass_name))
    if dump_number is not None and chosen:
        if dump_number >= len(chosen):
            there = "is only one dump" if len(chosen) == 1 else f"are only {len(chosen)} dumps"
            raise InputError(name, None, f"there {there} to choose from")
        chosen = [chosen[dump_number]]
    return chosen


def only_dump(path: str, pass_name: str | None = None, dump_number: int | None = None) -> Dump:
    """The one dump of a file, or of those chosen from it.

    Raises:
        InputError: there is none, or more than one.
    """
    dumps = select(read_dumps(path), pass_name, dump_number)
    name = source_name(path)
    if not dumps:
        raise InputError(name, None, NO_IR)
    if len(dumps) > 1:
        raise InputError(name, None, f"{len(dumps)} dumps to choose from: say which with --pass and --dump")
    return dumps[0]


def _passes(dumps: Iterable[Dump]) -> list[str]:
    """The passes of a log, in order of appearance."""
    return list(dict.fromkeys(dump.marker.pass_name for dump in dumps if dump.marker))


def _no_such_pass(dumps: Sequence[Dump], name: str) -> str:
    passes = _passes(dumps)
    if not passes:
        return f"no dump of pass '{name}': there is no 'IR Dump' line in this file"
    import difflib

    classes = [dump.marker.class_name for dump in dumps if dump.marker]
    parts = [other for other in passes if name.casefold() in other.casefold()]
    close = difflib.get_close_matches(name, [*passes, *classes], n=1) or parts[:1]
    hint = f"did you mean '{close[0]}'?" if close else f"there are {listed(passes)}"
    return f"no dump of pass '{name}'; {hint}"


def listed(names: Sequence[str], most: int = LISTED_NAMES) -> str:
    """The names in one line, and how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def note_skipped(files: Sequence[str]) -> None:
    """Says on standard error which files of folders are not read, because they hold no IR."""
    if files:
        were = "file without IR was" if len(files) == 1 else "files without IR were"
        click.echo(f"note: {len(files):,} {were} skipped: {listed(files, SKIPPED_NAMES)}", err=True)


def note_apart(files: Sequence[DumpFile]) -> None:
    """Says on standard error which files beside pairs of states are told of alone, and how to name them."""
    names = [Path(file.path).name for file in files if file.is_apart]
    if names:
        are = "1 file is" if len(names) == 1 else f"{len(names):,} files are"
        are += f" no state of a program that has a before and an after: {listed(names, SKIPPED_NAMES)}"
        from eio_audit import HOW_TO_NAME_STATES

        click.echo(f"note: {are}; {HOW_TO_NAME_STATES}", err=True)


def warn_of_unmatched(dumps: Sequence[DumpAudit]) -> None:
    """Says on standard error which globs of ``--assume-pure`` match no op: they may be misspelt."""
    warn_of_patterns(unmatched_patterns(dumps))


def warn_of_patterns(unmatched: Iterable[str]) -> None:
    """Says on standard error that these globs of ``--assume-pure`` match no op.

    Those of a configuration file are for all dumps of a project, which need not all hold such ops.
    """
    if click.get_current_context().get_parameter_source("assume_pure") is not ParameterSource.COMMANDLINE:
        return
    for pattern in unmatched:
        click.echo(f"warning: --assume-pure {pattern!r} matches no op of the input", err=True)
