"""The options that choose which passes ``trace`` shows, and what looks at each pass while a log is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from eio_audit.cli.options import Command, together

if TYPE_CHECKING:
    from eio_audit.audit.log.pass_choice import PassChoice


def _choice(
    pass_name: str | None, function: str | None, changed_op: str | None, grep: re.Pattern[str] | None
) -> PassChoice:
    from eio_audit.audit.log.pass_choice import PassChoice

    return PassChoice(pass_name, function, changed_op, grep)


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from error


def pass_options(command: Command) -> Command:
    """Add the options that choose passes. The command gets ``choice``."""
    return together(
        "choice",
        _choice,
        click.option(
            "--pass",
            "pass_name",
            metavar="NAME",
            help="Show only this pass. * stands for any characters.",
        ),
        click.option(
            "--function", metavar="NAME", help="Show only passes that ran on this function or changed it."
        ),
        click.option(
            "--changed-op",
            metavar="OP",
            help="Show only passes that added, removed, modified or moved such an op, as in linalg.matmul. "
            "* stands for any characters.",
        ),
        click.option(
            "--grep",
            "grep",
            type=_regex,
            metavar="REGEX",
            help="Show only passes for which REGEX is found in the line of a changed op, before or after.",
        ),
    )(command)
