"""Commands whose help lists the options in groups, and whose errors name a forgotten ``-`` or ``--``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from functools import partial

import click

GROUPS = {
    "Input": ("pass_name", "dump", "number", "function", "changed_op", "grep", "block", "around", "radius"),
    "What counts as out of order": ("index_pattern", "pattern", "follow", "assume_pure", "order_from"),
    "Gate": (
        *("fail_on", "max_avoidable", "max_inversions", "allow_unindexed"),
        *("select", "extend_select", "ignore"),
        *("baseline", "update_baseline", "source_root", "same_as", "exit_code"),
    ),
    "Output": (
        *("format_", "outputs", "output", "no_pager"),
        *("quiet", "verbose", "context", "statistics", "compare"),
    ),
    "Many files or runs": (
        *("processes", "timeout", "max_runs", "cluster", "send", "cache", "no_cache"),
        *("runs", "keep"),
    ),
    "General": ("config", "isolated", "max_size"),
}
"""By title, the parameters of a group. The others are what a command itself does; they come first."""

_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names}


class GroupedCommand(click.Command):
    """A command whose help lists the options in groups."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. An error ends with the command that was perhaps meant."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            is_path = error.param is not None and error.param.name in ("path", "paths")
            if ctx.resilient_parsing or not is_path or sys.stdin.isatty():
                raise
            hint = f"To read standard input:\n  {self._typed([*given, '-'])}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error
        except click.NoSuchOption as error:
            place = self._command_in(given)
            if place is None:
                raise
            meant = self._typed([*given[:place], "--", *given[place:]])
            hint = f"A command with options of its own comes after '--':\n  {meant}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error

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

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each group."""
        for title, options in self.grouped_options(ctx).items():
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)


grouped_command = partial(click.command, cls=GroupedCommand)
"""As ``click.command``, for a command whose help lists the options in groups."""
