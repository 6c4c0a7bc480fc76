"""``eio-audit diff`` as an external diff command of git: its arguments and exit code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from eio_audit.cli.option_groups import GroupedCommand
from eio_audit.mlir.source import InputError

_MODE = re.compile(r"[0-7]{6}|\.")

CALLED_BY_GIT = "GIT_DIFF_PATH_COUNTER"
"""The variable that git sets for the command of ``diff.<driver>.command`` and ``GIT_EXTERNAL_DIFF``."""


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Two states of a file: their contents (``/dev/null`` for none) and their names in the repository.

    Attributes:
        header: what git prints first for a file whose name or mode changed; empty for other files.
    """

    old: str
    new: str
    old_name: str
    new_name: str
    header: str


def git_files(arguments: Sequence[str]) -> tuple[GitFiles, int] | None:
    """Return the files in the last arguments, and the number of these. None if git did not add them.

    Git adds ``path old-file old-hex old-mode new-file new-hex new-mode``. For a renamed file, the new path
    and a text follow.
    """
    for count in (7, 9):
        added = arguments[-count:]
        if len(added) == count and _MODE.fullmatch(added[3]) and _MODE.fullmatch(added[6]):
            old_name, new_name = added[0], added[7] if count == 9 else added[0]
            header = _header(old_name, new_name, added[3], added[6], added[8] if count == 9 else "")
            return GitFiles(added[1], added[4], old_name, new_name, header), count
    return None


def _header(old_name: str, new_name: str, old_mode: str, new_mode: str, renaming: str) -> str:
    modes = ""
    if old_mode != new_mode and "." not in (old_mode, new_mode):
        modes = f"old mode {old_mode}\nnew mode {new_mode}\n"
    changed = modes + renaming
    return f"diff --git a/{old_name} b/{new_name}\n{changed.rstrip()}" if changed else ""


class GitDiffCommand(GroupedCommand):
    """A command with two files as arguments, which git can also run.

    Run by git, the exit code is 0 unless ``--exit-code`` is given, because git stops at another code. A file
    that is not readable IR is shown line by line.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the files from the arguments that git gives."""
        found = git_files(args) if CALLED_BY_GIT in os.environ else None
        if found is not None:
            files, count = found
            ctx.obj = files
            args = [*args[:-count], "--", files.old, files.new]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with the exit code that git expects."""
        if CALLED_BY_GIT in os.environ and ctx.params["after"] is None:
            click.echo(f"unmerged: {ctx.params['before']}")
            return None
        if not isinstance(ctx.obj, GitFiles):
            return super().invoke(ctx)
        if ctx.obj.header and ctx.params["format_"] == "text" and not ctx.params["quiet"]:
            click.echo(ctx.obj.header)
        try:
            return super().invoke(ctx)
        except InputError as error:
            click.echo(str(error), err=True)
            _print_lines(ctx.obj)
            code = 1
        except click.exceptions.Exit as end:
            code = end.exit_code
        ctx.exit(code if ctx.params["exit_code"] else 0)


def _print_lines(files: GitFiles) -> None:
    from eio_audit.report.text.console import Console
    from eio_audit.report.text.unified_diff import print_unified_diff, unified_diff

    old, new = (Path(path).read_bytes() for path in (files.old, files.new))
    print_unified_diff(unified_diff(old, new, files.new_name), Console(sys.stdout))
