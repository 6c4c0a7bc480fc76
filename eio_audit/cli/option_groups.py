"""Commands whose help lists the options in groups, in the order in which they are used."""

from __future__ import annotations

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
