"""``eio-audit diff``: what a pass did. git can run it as an external diff command."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eio_audit.cli import inputs
from eio_audit.cli.dump_choice import DumpChoice, DumpPath
from eio_audit.cli.gate import MAX_INVERSIONS, ceiling_options, is_asked_for
from eio_audit.cli.jobs import Jobs, jobs_options
from eio_audit.cli.options import (
    DUMP_PATH,
    GroupedCommand,
    NoKey,
    audit_options,
    dump_options,
    exit_codes,
    grouped_command,
    whole,
)
from eio_audit.cli.reports import Reports, quiet_option, report_options, verbose_option
from eio_audit.mlir.source import InputError, Source, Span, bugs_are_errors, source_name

if TYPE_CHECKING:
    from eio_audit.audit.diff.check_lines import CheckComparison
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.options import AuditOptions
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.mlir.input.time_table import TimeComparison


_MODE = re.compile(r"[0-7]{6}|\.")

CALLED_BY_GIT = "GIT_DIFF_PATH_COUNTER"
"""The variable that git sets for the command of ``diff.<driver>.command`` and ``GIT_EXTERNAL_DIFF``."""


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Two states of a file: their contents (``/dev/null`` for none) and their names in the repository."""

    old: str
    new: str
    old_name: str
    new_name: str
    header: str  # what git prints first for a file whose name or mode changed; empty for other files


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

    Run by git, the exit code is 0 unless ``--same-as`` asks for it, because git stops at another code. A file
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
        ctx.exit(code if inputs.is_given("same_as") else 0)


def _print_lines(files: GitFiles) -> None:
    from eio_audit.report.text.console import Console
    from eio_audit.report.text.unified_diff import print_unified_diff, unified_diff

    old, new = (Path(path).read_bytes() for path in (files.old, files.new))
    print_unified_diff(unified_diff(old, new, files.new_name), Console(sys.stdout))


@grouped_command(
    "diff",
    cls=GitDiffCommand,
    short_help="Show what a pass did to the ops and to their order.",
    epilog=exit_codes(
        {1: "the dumps differ, or the gate fails"},
        "the dumps are the same, or the gate that is asked for does not fail",
    ),
    keys=("assume-pure", "max-inversions", "jobs", "timeout"),
)
@click.argument("before", type=DUMP_PATH)
@click.argument("after", type=DUMP_PATH, required=False)
@dump_options
@audit_options
@ceiling_options(MAX_INVERSIONS)
@click.option(
    "--same-as",
    type=click.Choice(["bytes", "names", "order"]),
    metavar="WHAT",
    default="order",
    show_default=True,
    help="What counts as the same: bytes, identical text; names, the same text up to names and locations; "
    "order, the same program in any legal order. git gets the exit code only with this option.",
)
@click.option(
    "--ignore",
    cls=NoKey,
    multiple=True,
    type=click.Choice(["types", "constants", "attributes"]),
    metavar="WHAT",
    help="Ignore the types, what the constants hold, or all attributes, for one program lowered for two "
    "shapes. May be repeated.",
)
@click.option(
    "-U",
    "--unified",
    "context",
    type=whole(0),
    help="Show all changes in textual order, with N unchanged ops around each.",
)
@click.option("--count", is_flag=True, help="Show how many ops of each name there are before and after.")
@jobs_options()
@report_options("Diff", quiet_option, verbose_option())
@click.pass_context
def diff_command(
    ctx: click.Context,
    before: DumpPath,
    after: DumpPath | None,
    choice: DumpChoice,
    options: AuditOptions,
    gate: Gate,
    same_as: str,
    ignore: tuple[str, ...],
    context: int | None,
    count: bool,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Compare two dumps: which ops were moved, modified, added or removed, and how their order changed.

    Either may be LOG:N, the N-th dump of a log. Given one log or folder, compare the dumps before and after
    the pass that --pass names. In a folder,
    ttir-before-PASS.mlir and ttir-after-PASS.mlir are such a pair. If there are several passes and none is
    chosen, list their dumps.

    Given two logs or folders, pair their dumps and show the first pair that differs. Compare the others too,
    in several processes, until one pair is not the same.

    Given two reports of -mlir-timing without dumps, compare the time of each pass.

    Given a test for FileCheck and what that printed when the test failed, or this alone, tell whether the
    CHECK lines match in another order.

    The exit code is 0 if the dumps are the same in the sense of --same-as, and 1 if they differ. With
    --fail-on, it is that of the gate, for the order of AFTER.

    \b
    Examples:
      eio-audit diff before.mlir after.mlir
      eio-audit diff passes.log
      eio-audit diff passes.log --pass ttir-erase-inverse-ops
      eio-audit diff passes.log --pass cse --dump @main
      eio-audit diff passes.log:3 passes.log:last
      eio-audit diff old.log:last new.log:last --count
      eio-audit diff dumps/
      eio-audit diff test.mlir failed-lit-output.txt
      eio-audit diff before.mlir after.mlir --format markdown > comment.md
      git config diff.mlir.command "eio-audit diff"
    """
    from eio_audit.audit.check.figures import unmatched_patterns
    from eio_audit.audit.corpus.two_runs import compare_runs
    from eio_audit.audit.diff.diff import diff
    from eio_audit.audit.diff.sameness import Sameness
    from eio_audit.audit.explain.order_picture import WorstBlocks
    from eio_audit.cli.dump_before import around_pass
    from eio_audit.mlir.input.folders import find_dump_files
    from eio_audit.mlir.input.time_table import compared_times, time_table
    from eio_audit.report.text.progress import status

    is_chosen = choice.is_made or any(path is not None and path.dump for path in (before, after))
    if not is_chosen and (checks := _failed_checks(before, after, options)):
        reports.require("CheckComparison", "a test of FileCheck is compared")
        reports.write(checks)
        ctx.exit(0 if checks.is_in_order else 1)
    are_runs = after is not None and not is_chosen and inputs.is_run(before) and inputs.is_run(after)
    if not is_chosen and after is not None and (times := _compared_times(before, after)):
        reports.require("TimeComparison", "two reports of times are compared")
        reports.write(times)
        ctx.exit(0)
    if context is not None and "text" not in reports.formats and not reports.quiet:
        raise click.UsageError("--unified requires --format text")
    if after is not None and are_runs and count:
        words = shlex.join(["eio-audit", "diff", f"{before}:last", f"{after}:last", "--count"])
        raise click.UsageError(f"--count compares two dumps, such as the last of both logs: {words}")
    if after is not None and are_runs:
        reports.require(
            "RunComparison", "two logs are compared", "choose one dump of each with --pass or --dump"
        )
        files = [file.path for run in (before, after) for file in find_dump_files(run)]
        with parallel.workers(inputs.total_size(files)) as workers:
            first, second = inputs.dumps_of_run(before), inputs.dumps_of_run(after)
            runs = compare_runs(first, second, options, Sameness(same_as), workers, ignore)
        runs.require_pairs(f"{before}, {after}")
        if all(Path(path).is_file() for path in (before, after)):
            tables = [time_table(Source.read(path, inputs.max_size())) for path in (before, after)]
            runs = runs._replace(times=compared_times(*tables))
        reports.write(runs, context=context)
        ctx.exit(0 if runs.is_same_as_asked else 1)
    if after is None:
        old, new = around_pass(before, choice.at(before), options.op_table)
    else:
        old, new = _one_of_each(before, after, choice)
    if isinstance(ctx.obj, GitFiles):
        old, new = _renamed(old, ctx.obj.old_name), _renamed(new, ctx.obj.new_name)
    worst_blocks = WorstBlocks()
    visit = worst_blocks.visit if "html" in reports.formats else None
    with status("comparing the dumps"), bugs_are_errors(new.source.name, new.line):
        result = diff(old, new, options, visit, ignore)
    if not reports.quiet:
        inputs.warn_of_unmatched(unmatched_patterns([result.before, result.after]))
    only_table = "ops" if count else None
    reports.write(result, pictures=cache(worst_blocks.pictures), context=context, only_table=only_table)
    if not (gate.never_fails or is_asked_for(gate)):
        ctx.exit(0 if result.sameness.is_at_least(Sameness(same_as)) else 1)
    if is_asked_for(gate) and result.after.is_unindexed:
        raise inputs.no_order(1, [result.after], result.after.source)
    ctx.exit(1 if gate.failed_rules(result.after.summary) else 0)


def _compared_times(before: str, after: str) -> TimeComparison | None:
    """Compare two files that have a report of times and no IR; None for any others."""
    from eio_audit.mlir.input.markers import begins_ir
    from eio_audit.mlir.input.time_table import TimeComparison, time_table

    if not (Path(before).is_file() and Path(after).is_file()):
        return None
    tables = []
    for path in (before, after):
        source = Source.read(path, inputs.max_size())
        if begins_ir(source.data, Span(0, len(source.data))):
            return None
        tables.append(time_table(source))
    found = TimeComparison(*tables)
    return found if found.times else None


def _failed_checks(before: str, after: str | None, options: AuditOptions) -> CheckComparison | None:
    """Compare what FileCheck looked for with what it found: in its output, and in the test unless given.

    None of any other input, and of a test without such lines.
    """
    from eio_audit.mlir.input.filecheck import check_lines, failed_checks, is_of_filecheck

    output = after or before
    if output == "-":
        inputs.keep_stdin()
    elif not is_of_filecheck(output):
        return None
    found = failed_checks(Source.read(output, inputs.max_size()))
    if output == "-":
        sys.stdin.seek(0)
    if not found or not (after is None or Path(before).is_file()):
        return None
    file = before if after else found[0].check_file
    if not after and not Path(file).is_file():
        message = f"there is no file {file!r}, which FileCheck names: give the test, as in diff TEST {output}"
        raise InputError(source_name(output), None, message)
    failed = next((one for one in found if Path(one.check_file).name == Path(file).name), found[0])
    lines = check_lines(Source.read(file, inputs.max_size()), failed.prefixes)
    if not lines and not after:
        raise InputError(source_name(file), None, f"no line begins with {' or '.join(failed.prefixes)}")
    if not lines:
        return None
    from eio_audit.audit.diff.check_lines import compare_checks

    return compare_checks(failed, lines, file, options)


def _one_of_each(before: DumpPath, after: DumpPath, choice: DumpChoice) -> tuple[Dump, Dump]:
    """Return one dump of each file. Beside a log, the choice does not concern a file with one dump."""
    from eio_audit.mlir.input.dumps import Dump

    no_ops = Dump(Source(os.devnull, b""), Span(0, 0), None, 1)
    both = [(path, [] if path == os.devnull else inputs.read_dumps(path)) for path in (before, after)]
    is_beside_log = any(len(dumps) > 1 for _, dumps in both)
    chosen = []
    for path, dumps in both:
        own = (DumpChoice() if is_beside_log and len(dumps) == 1 else choice).at(path)
        chosen.append(no_ops if path == os.devnull else own.only_one(dumps, source_name(path)))
    old, new = chosen
    return old, new


def _renamed(dump: Dump, name: str) -> Dump:
    return dump if dump.source.name == os.devnull else replace(dump, source=Source(name, dump.source.data))
