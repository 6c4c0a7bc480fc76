"""Commands whose help lists their options in groups, and the options that several commands share."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from eio_audit.audit.locations.index_pattern import DEFAULT_INDEX_PATTERN, IndexPattern
from eio_audit.audit.options import AuditOptions, Configuration, Follow
from eio_audit.cli.config_file import WHAT_COUNTS, Config, error_at_key, read_config
from eio_audit.cli.dump_choice import FIRST, DumpChoice, DumpPath, WantedDump
from eio_audit.cli.inputs import pass_names
from eio_audit.mlir.source import InputError

Command = TypeVar("Command", bound=Callable[..., Any])
Value = TypeVar("Value")

GROUPS = {
    "Input": ("pass_name", "dump", "number", "function", "changed_op", "grep", "block", "around", "radius"),
    "What counts as out of order": ("index_pattern", "pattern", "follow", "assume_pure", "order_from"),
    "Gate": (
        *("fail_on", "max_inversions", "allow_unindexed", "select", "ignore"),
        *("baseline", "update_baseline", "same_as"),
    ),
    "Output": ("format_", "outputs", "output", "quiet", "verbose", "context", "statistics"),
    "Many files or runs": ("processes", "timeout", "runs", "keep"),
    "General": ("config",),
}
"""By title, the parameters of a group. The others are what a command itself does; they come first."""

NEEDED = (
    *("pass_name", "dump", "order_from", "fail_on", "baseline", "relabel", "in_place", "changed_op"),
    *("attempt", "test", "same_as", "around", "runs", "format_", "outputs", "output", "verbose"),
)
"""The options that ``-h`` lists: those that most people need."""

SHORT_HELP = "eio-audit: short help"  # in the context: whether ``-h`` asks for help

_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names}

ONLY_KEYS = "max-size", "max-runs", "pager", "source-root"  # no command has an option for these


class Key(click.Option):
    """An option that only the configuration sets, as with ``--config KEY=VALUE``."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leave the command line without it."""


class NoKey(click.Option):
    """An option that the configuration does not set: the key of its name means something else."""


class GroupedCommand(click.Command):
    """A command whose help lists the options in groups. Of its options, ``keys`` are only keys."""

    def __init__(self, *args: Any, keys: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for option in self.params:
            if isinstance(option, click.Option) and key_of(option) in (*keys, *ONLY_KEYS):
                option.__class__ = Key
                option.hidden = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. An error ends with the command that was perhaps meant."""
        given = list(args)
        ctx.meta[SHORT_HELP] = "-h" in given and "--help" not in given
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            is_path = error.param is not None and error.param.name in ("path", "paths")
            if ctx.resilient_parsing or not is_path or sys.stdin.isatty():
                raise
            hint = f"To read standard input:\n  {self._typed([*given, '-'])}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error
        except click.NoSuchOption as error:
            if key := self._as_key(error.option_name):
                raise click.ClickException(
                    f"{error.option_name} is a key of the configuration: {key}"
                ) from error
            place = self._command_in(given)
            if place is None:
                raise
            meant = self._typed([*given[:place], "--", *given[place:]])
            hint = f"A command with options of its own comes after '--':\n  {meant}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error

    def _as_key(self, name: str) -> str | None:
        """Return how to set a key that is no option of the command; None if it has no such key."""
        for key in self.params:
            if isinstance(key, Key) and name in key.opts:
                return f"--config {key_of(key)}={'true' if key.is_flag else key.metavar or 'VALUE'}"
        return None

    def _typed(self, words: Sequence[str]) -> str:
        return shlex.join(["eio-audit", self.name or "", *words])

    def _command_in(self, words: Sequence[str]) -> int | None:
        """Return the place of the command that this one runs, if it runs one and ``--`` is missing."""
        if "--" in words or not any(one.name == "command" for one in self.params):
            return None
        options = {name: one for one in self.params if isinstance(one, click.Option) for name in one.opts}
        place = 0
        while place < len(words) and words[place].startswith("-"):
            option = options.get(words[place])
            has_value = option is not None and not (option.is_flag or option.count)
            place += 2 if has_value else 1
        return place if place < len(words) else None

    def grouped_options(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """Return the options that help shows, by the title of their group, in order."""
        groups: dict[str, list[click.Option]] = {title: [] for title in ("Options", *GROUPS)}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and not option.hidden:
                is_help = "--help" in option.opts
                groups["General" if is_help else _GROUP_OF.get(option.name or "", "Options")].append(option)
        return {title: options for title, options in groups.items() if options}

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all of the help, or for ``-h`` one screen: first sentences, and the options most needed."""
        if not ctx.meta.get(SHORT_HELP) or not any(one.name in NEEDED for one in self.params):
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        about, _, examples = inspect.cleandoc(self.help or "").partition("Examples:\n")
        formatter.write_paragraph()
        formatter.write_text(_first_sentence(about.replace("\n", " ")))
        records = [option.get_help_record(ctx) for option in self.get_params(ctx) if option.name in NEEDED]
        with formatter.section("Options"):
            formatter.write_dl(
                [
                    (re.sub(_FIRST, r" \1|...", names), _first_sentence(text))
                    for names, text in filter(None, records)
                ]
            )
        with formatter.section("Examples"):
            for line in examples.split("\n\n")[0].splitlines()[:3]:
                formatter.write(f"{line}\n")
        formatter.write_paragraph()
        formatter.write_text(f"All options: {ctx.command_path} --help")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each group."""
        for title, options in self.grouped_options(ctx).items():
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)


_IN_PARENTHESES, _SENTENCE_END = r" \([^)]*\)", r"(?<=[.:;]) |, only "
_FIRST = r" \[?([^ |]+)\|[^ ]*"  # the first of several values of an option: ``N`` of ``N|first``


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, without what is in parentheses and what else may be chosen."""
    plain = re.sub(_IN_PARENTHESES, "", text.split("  [", maxsplit=1)[0])
    return re.split(_SENTENCE_END, plain, maxsplit=1)[0].rstrip(".:;")


grouped_command = functools.partial(click.command, cls=GroupedCommand)


def empty_path(parameter: str) -> click.ClickException:
    """Return the error for a path that a variable of the shell left empty, not the current folder."""
    return click.ClickException(f"{parameter} is empty: expected a path")


class FilledPath(click.Path):
    """A path that is not empty."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check that there is one."""
        if value == "":
            raise empty_path(param.get_error_hint(ctx) if param and ctx else "the path")
        return super().convert(value, param, ctx)


PATH = FilledPath(readable=False, allow_dash=True)  # a file or a folder; it is checked when it is read


class _DumpPath(FilledPath):
    """A path that may end in what chooses a dump: ``LOG:3``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> DumpPath:
        """Return the path of the log, and the dump."""
        return DumpPath.parse(super().convert(value, param, ctx))


DUMP_PATH = _DumpPath(readable=False, allow_dash=True)
UNUSABLE = "could not run: wrong usage, or unreadable or malformed input"
UNUSABLE_OR_UNINDEXED = """could not run: wrong usage, unreadable or malformed input, or no op
     carries an index"""


def exit_codes(others: Mapping[int, str], done: str = "done", unusable: str = UNUSABLE) -> str:
    """Return the epilog of a command's help: its exit codes."""
    codes = sorted({0: done, 2: unusable, **others}.items())
    return "\n".join(["\b", "Exit codes:", *(f"  {code}  {text}" for code, text in codes), ""])


EXIT_CODES = exit_codes({}, unusable=UNUSABLE_OR_UNINDEXED)  # of a command that needs the order
REWRITE_EXIT_CODES = exit_codes({3: "the result failed its own verification: nothing was written"})
GATE_EXIT_CODES = exit_codes({1: "findings that fail"}, "done, and nothing fails", UNUSABLE_OR_UNINDEXED)

_SIZE = re.compile(r"(?P<number>[0-9]{1,15}) ?(?P<unit>[kmgt]?)b?", re.IGNORECASE)


def together(
    name: str, make: Callable[..., object], *options: Callable[[Any], Any]
) -> Callable[[Command], Command]:
    """Return a decorator that adds options. The command gets one argument ``name`` for all of them.

    ``make`` returns its value. Its parameters are the names of the options. An option that a command lacks
    has its default.
    """
    values = list(inspect.signature(make).parameters)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_made(*args: Any, **others: Any) -> Any:
            made = make(**{value: others.pop(value) for value in values if value in others})
            return command(*args, **others, **{name: made})

        for option in reversed(options):
            with_made = option(with_made)
        return cast(Command, with_made)

    return decorate


def key_of(option: click.Parameter) -> str:
    """Return the name of an option in a configuration file: ``index-pattern``."""
    return max(option.opts, key=len).lstrip("-")


def parsed_by(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Return the type of an option whose text ``parse`` reads. Its ValueError is a wrong usage."""

    def value_of(text: str) -> Value:
        try:
            return parse(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return value_of


def regex(text: str) -> re.Pattern[str]:
    """Return the regular expression that is the value of an option."""
    try:
        return re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from error


def program_of(text: str, option: str) -> tuple[str, ...]:
    """Split the value of an option, a command, as a shell does, and check that there is such a program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise click.UsageError(f"{option}: {text!r} has {str(error).lower()}") from error
    import shutil

    if needs_shell(text):
        raise click.UsageError(f"{option}: no shell runs it: use sh -c {shlex.quote(text)}")
    if not words or shutil.which(words[0]) is None:
        raise click.UsageError(f"{option}: cannot find the program '{words[0] if words else text}'")
    return words


_WHOLE = r"[+-]?[0-9]{1,18}"


def whole(least: int) -> Callable[[str | int], int]:
    """Return the type of an option that is a whole number, ``N`` in help, and not less than another."""

    def n(text: str | int) -> int:
        if not re.fullmatch(_WHOLE, str(text)):
            raise click.BadParameter(f"{str(text)!r} is not a whole number")
        if int(text) < least:
            raise click.BadParameter(f"{text} is less than {least}")
        return int(text)

    return n


_SHELL_WORDS = {"!", "|", "||", "&", "&&", ";", "<", ">", ">>"}


def needs_shell(text: str) -> bool:
    """Whether a word outside quotes is one that only a shell understands."""
    words = shlex.shlex(text, posix=False)
    words.whitespace_split = True
    try:
        return not _SHELL_WORDS.isdisjoint(words)
    except ValueError:  # a quote that is not one: it\'s
        return False


def one_of(names: Sequence[str]) -> str:
    """Return ``text, json or html``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _size(text: str) -> int:
    """Parse a number of bytes. A unit is a power of 1,000."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size such as 500MB or 4GB")
    thousands = " kmgt".index(match["unit"].lower() or " ")
    return int(match["number"]) * int(1000**thousands)


def _by_key(command: click.Command) -> dict[str, click.Parameter]:
    """Return the parameters of a command that a configuration may set, by key."""
    return {key_of(option): option for option in command.params if not isinstance(option, NoKey)}


def _apply_config(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> Config:
    """Read the configuration first, because it sets the defaults of other options."""
    if ctx.resilient_parsing:
        return Config()
    try:
        config = read_config(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    options = _by_key(ctx.command)
    ctx.default_map = {
        options[key].name: _checked(ctx, config, options[key], value)
        for key, value in config.values.items()
        if key in options
    }
    return config


def _checked(ctx: click.Context, config: Config, option: click.Parameter, value: Any) -> Any:
    """Return a configuration value in the option's type. Paths in a file are relative to its folder."""
    key = key_of(option)
    source = config.sources[key]
    if isinstance(value, list) and not option.multiple:
        raise error_at_key(source, [key], f"{key}: expected a single value")
    is_path = isinstance(option.type, click.Path)
    items = value if isinstance(value, list) else [value]
    if (option.multiple or is_path) and not all(isinstance(item, str) for item in items):
        raise error_at_key(source, [key], f"{key}: expected text in quotes")
    texts = items if option.multiple else str(value)
    try:
        option.type_cast_value(ctx, texts)
    except click.ClickException as error:
        raise error_at_key(source, [key], f"{key}: {error.message.rstrip('.')}") from error
    if is_path and config.path is not None and not config.is_typed(key):
        path = config.path.parent / value
        if not any(path.resolve().is_relative_to(folder) for folder in config.folders()):
            raise error_at_key(source, [key], f"{key}: {value!r} {_LEADS_AWAY}")
        return os.path.relpath(path)
    return texts


_LEADS_AWAY = (
    "leads out of the folder of this file, which may come from somebody else: only the command line names "
    "such a path"
)


config_option = click.option(
    "--config",
    multiple=True,
    type=PATH,
    metavar="FILE|KEY=VALUE|none",
    is_eager=True,
    callback=_apply_config,
    help="Read options from FILE, or from none, instead of the nearest eio-audit.toml, or pyproject.toml "
    "with [tool.eio-audit], in this folder or above it. KEY=VALUE sets one key, as in max-size=4GB or "
    "pager=false; 'eio-audit help config' lists them. May be repeated.",
)
"""``--config``. Its values become the defaults of the other options."""

max_size_key = click.option("--max-size", type=_size, metavar="SIZE", default="1GB")
ir_output_option = click.option(
    "-o", "--output", type=PATH, metavar="OUT", help="Write to OUT instead of standard output."
)
assume_pure_option = click.option(
    "--assume-pure",
    multiple=True,
    metavar="GLOB",
    help="Assume that ops whose full name matches GLOB (my.*) have no memory effects. May be repeated.",
)


def _audit_options(
    config: Config,
    max_size: int,  # for read_dumps
    assume_pure: tuple[str, ...],
    pattern: IndexPattern | None = None,
    follow: tuple[str, ...] = (Follow.FREES,),
    order_from: str | None = None,
) -> AuditOptions:
    original = None
    if order_from is not None:
        from eio_audit.audit.diff.diff import OriginalOrder
        from eio_audit.cli.dump_before import original_dump
        from eio_audit.mlir.traits import OpTable

        dump = original_dump(order_from)
        name = f"{dump.source.name}:1" if order_from == FIRST else order_from
        original = OriginalOrder(dump, OpTable(config.ops), name)
    configuration = _configuration(click.get_current_context(), config)
    return AuditOptions(pattern or IndexPattern(), follow, assume_pure, original, config.ops, configuration)


def _configuration(ctx: click.Context, config: Config) -> Configuration | None:
    """Return the file of the configuration with the keys by which it changes a verdict of this command."""

    def is_changed(key: str) -> bool:
        if config.is_typed(key):
            return False
        if key == "ops":
            return any(not config.is_typed(name) for name in config.op_entries)
        option = options.get(key)
        if option is None or ctx.get_parameter_source(option.name or "") is not ParameterSource.DEFAULT_MAP:
            return False
        value = ctx.lookup_default(option.name or "")
        return bool(value) and str(value) not in {str(option.default), str(False)}

    if config.path is None:
        return None
    options = _by_key(ctx.command)
    keys = tuple(key for key in WHAT_COUNTS if is_changed(key))
    return Configuration(os.path.relpath(config.path), keys) if keys else None


_COMMON = config_option, max_size_key
_ORDER = (
    click.option(
        "--index-pattern",
        "pattern",
        type=parsed_by(IndexPattern),
        metavar="REGEX",
        default=DEFAULT_INDEX_PATTERN,
        help="Regular expression that finds the op index in a location's name, with a group named 'index'.",
    ),
    click.option(
        "--follow",
        multiple=True,
        type=click.Choice([follow.value for follow in Follow]),
        metavar="KIND",
        default=[Follow.FREES.value],
        show_default=True,
        help="Ignore the indices of these ops and keep each with its consumer. derived: ops that a pass made "
        "from other ops; constants: pure ops without operands; splits: ops that take a fused "
        "result apart; ahead: ops of functions that run once, ahead; frees: ops that only free memory, kept "
        "with their last use; none: count frees as any op. May be repeated. Frees follow unless none "
        "is given.",
    ),
    assume_pure_option,
)
_ORDER_FROM = click.option(
    "--order-from",
    type=PATH,
    metavar="BEFORE|LOG:N|first",
    help="Take the original order from a dump instead of indices: BEFORE is a file with one dump, LOG:N "
    "a dump of a log, 'first' the first dump of the input. Ops are matched as in diff.",
)
dependence_options = together("options", _audit_options, *_COMMON, assume_pure_option)
index_options = together("options", _audit_options, *_COMMON, *_ORDER)
audit_options = together("options", _audit_options, *_COMMON, *_ORDER, _ORDER_FROM)


def complete_pass(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the passes of the logs on a command line that begin so."""
    from eio_audit.mlir.input.dumps import read

    words = list(ctx.args)  # click cannot assign these yet, because --pass lacks its value
    for value in ctx.params.values():
        words += value if isinstance(value, tuple) else [value]
    passes: list[str] = []
    for word in words:
        if isinstance(word, str) and Path(word).is_file():
            with contextlib.suppress(InputError):
                passes += pass_names(read(word))
    return [name for name in dict.fromkeys(passes) if name.startswith(incomplete)]


def _dump_choice(pass_name: str | None = None, dump: WantedDump | None = None) -> DumpChoice:
    values = click.get_current_context().params.values()
    words = [word for value in values for word in (value if isinstance(value, tuple) else [value])]
    paths = [word for word in words if isinstance(word, DumpPath)]
    if dump is not None and paths and all(path.dump is not None for path in paths):
        raise click.UsageError(f"--dump cannot be used with '{paths[0].word}', which chooses a dump")
    return DumpChoice(pass_name, dump)


dump_options = together(
    "choice",
    _dump_choice,
    click.option(
        "--pass",
        "pass_name",
        metavar="NAME",
        shell_complete=complete_pass,
        help="Use only the dumps of this pass in a log.",
    ),
    click.option(
        "--dump",
        type=parsed_by(WantedDump.parse),
        metavar="N|first|last|@NAME|:LINE",
        help="Use only this dump of each file: the N-th, those that show only function @NAME, or the one on "
        "a line of the file. With --pass, N counts the dumps after that pass. LOG:N is the same for one of "
        "several files, as in diff LOG:3 LOG:first.",
    ),
)
