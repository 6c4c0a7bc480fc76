"""``eio-audit rule``: what a rule finds, and what a word means."""

from __future__ import annotations

import sys

import click

from eio_audit.cli.options import exit_codes, grouped_command


def _complete_name(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from eio_audit.report.manual import entries

    names = [name for entry in entries() for name in entry.names]
    return [name for name in names if name.casefold().startswith(incomplete.casefold())]


@grouped_command(
    "rule",
    short_help="Explain a rule, or a word of the reports.",
    epilog=exit_codes({0: "done", 2: "wrong usage, or no such rule or word"}),
)
@click.argument("name", nargs=-1, shell_complete=_complete_name)
def rule_command(name: tuple[str, ...]) -> None:
    """Explain what a rule finds, why it matters and how to fix it, or what a word of the reports means.

    NAME is the code or name of a rule, or a word of the glossary. Without NAME, list all rules and words.

    \b
    Examples:
      eio-audit rule EIO001
      eio-audit rule knock-on
      eio-audit rule
    """
    from eio_audit.report.manual import close_names, entries, look_up, print_entries, print_list
    from eio_audit.report.text.console import Console

    word = " ".join(name)
    found = look_up(word)
    if name and not found:
        close = " or ".join(f"'{other}'" for other in close_names(word))
        hint = f"did you mean {close}?" if close else "'eio-audit rule' lists all"
        raise click.UsageError(f"there is no rule or word '{word}': {hint}")
    console = Console(sys.stdout)
    if found:
        print_entries(found, console)
    else:
        print_list(entries(), console)
