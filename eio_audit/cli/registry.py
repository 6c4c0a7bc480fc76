"""The group of commands. Each command is imported on first use."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from eio_audit import __version__
from eio_audit.cli.options import GATE_EXIT_CODES, SHORT_HELP

COMMANDS = (
    *("bisect", "check", "diff", "explain", "fix", "graph", "help", "history"),
    *("normalize", "reduce", "repeat", "show", "stamp", "trace"),
)


class _Commands(click.Group):
    """A group whose commands are in modules of their names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. ``-h``, or nothing, asks for one screen of help."""
        ctx.meta[SHORT_HELP] = args[:1] in ([], ["-h"])
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options and the commands, in the short help only the commands."""
        if not ctx.meta.get(SHORT_HELP):
            super().format_options(ctx, formatter)
            return
        self.format_commands(ctx, formatter)
        formatter.write_text("More: eio-audit --help, eio-audit COMMAND -h")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write exit codes, variables and files, unless the help is short."""
        if not ctx.meta.get(SHORT_HELP):
            super().format_epilog(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"eio_audit.cli.commands.{cmd_name}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "version":
            click.echo(f"eio-audit {__version__}")
            ctx.exit()
        name = args[0]
        is_option = name.startswith("-") and name != "-"
        if name not in COMMANDS and not is_option and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{name}'. {_meant(name)}")
        return super().resolve_command(ctx, args)


def _meant(name: str) -> str:
    if name == "-" or Path(name).exists():
        return f"Did you mean 'check {name}'?"
    import difflib

    from eio_audit.report.manual import look_up

    close = difflib.get_close_matches(name, COMMANDS, n=1)
    if not close and look_up(name):
        close = [f"help {name}"]
    return f"Did you mean '{close[0]}'?" if close else f"The commands are {', '.join(COMMANDS)}."


HELP = """\b
Examples:
  eio-audit trace passes.log                  # what did each pass do?
  eio-audit diff before.mlir after.mlir       # what did this pass do?
  eio-audit check after.mlir                  # which ops are out of order?
  eio-audit bisect -- mlir-opt --cse in.mlir  # who put them out of order?
"""

EPILOG = f"""{GATE_EXIT_CODES}\
  3  a result failed its own verification: nothing was written

\b
Environment:
  NO_COLOR     if not empty, disables colours; so does CLICOLOR=0
  FORCE_COLOR  if not empty, enables colours without a terminal, too; so does
               CLICOLOR_FORCE=1
  COLUMNS      overrides the width of the terminal
  PAGER        shows reports that are longer than the terminal; without it
               less does, and nothing if it is empty or cat

\b
Files:
  eio-audit.toml  options of a project, in the current folder or above it
  pyproject.toml  the same, in the table [tool.eio-audit]

\b
Shell completion of commands, options, files and the passes of a log:
  eval "$(_EIO_AUDIT_COMPLETE=bash_source eio-audit)"   # in ~/.bashrc
  eval "$(_EIO_AUDIT_COMPLETE=zsh_source eio-audit)"    # in ~/.zshrc
  _EIO_AUDIT_COMPLETE=fish_source eio-audit | source    # in config.fish
"""


@click.group(
    cls=_Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG
)
@click.version_option(__version__, prog_name="eio-audit", message="%(prog)s %(version)s")
def cli() -> None:
    """The program."""
