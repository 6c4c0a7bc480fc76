"""``eio-audit fix``: the corrected IR, and nothing else on standard output but a diff that is asked for."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import click

from eio_audit import (
    AuditOptions,
    Fix,
    InputError,
    Relabel,
    Source,
    VerificationError,
    find_files,
    fix,
    source_name,
)
from eio_audit.cli.fix_outputs import Write, print_diff, write_in_place, write_nothing, write_to
from eio_audit.cli.main import COULD_NOT_RUN, VERIFICATION_FAILED
from eio_audit.cli.options import (
    COULD_NOT_RUN_HELP,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    note_skipped,
    pass_option,
    read_dumps,
    select,
    warn_of_unmatched,
)
from eio_audit.cli.output import show_error
from eio_audit.report.text.progress import advancing, progress

FIX_EXIT_CODES = f"""\b
Exit codes:
  0  done, whether anything changed or not
  1  with --check: a file would change
{COULD_NOT_RUN_HELP}; what else could be fixed is
  3  a result failed its own verification: that file was not written
"""


class _FixCommand(click.Command):
    """A command whose ``--relabel`` may have a value, but takes none that stands apart from it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes ``--relabel=flat`` for the flag of that name."""
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*(_flag(ctx, arg) for arg in args[:end]), *args[end:]])


def _flag(ctx: click.Context, arg: str) -> str:
    """``--relabel-flat`` for ``--relabel=flat``; any other argument as it is."""
    option, _, form = arg.partition("=")
    if option != "--relabel" or arg == option:
        return arg
    if form not in list(Relabel):
        forms = ", ".join(repr(str(form)) for form in Relabel)
        raise click.BadParameter(f"{form!r} is not one of {forms}.", ctx, param_hint="'--relabel'")
    return f"--relabel-{form}"


@click.command(
    "fix", cls=_FixCommand, short_help="Write the IR in its original order.", epilog=FIX_EXIT_CODES
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="OUT",
    help="Write to OUT instead of standard output; of several files, into the folder OUT.",
)
@click.option(
    "-i", "--in-place", is_flag=True, help="Change the files themselves, if there is anything to change."
)
@click.option("--check", is_flag=True, help="Write no IR; exit 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write no IR; print what would change as a unified diff.")
@click.option(
    "--renumber", is_flag=True, help="Name values as MLIR's printer would: %0, %1, ... in the new order."
)
@click.option(
    "--relabel",
    flag_value=Relabel.NESTED.value,
    help="First put the op indices right that contradict dataflow; then no inversion is left. "
    "--relabel=flat writes the new locations without the old ones in them.",
)
@click.option("--relabel-flat", "relabel", flag_value=Relabel.FLAT.value, hidden=True)
@click.option("--relabel-nested", "relabel", flag_value=Relabel.NESTED.value, hidden=True)
@pass_option
@dump_option
@audit_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but IR, the diff and errors.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Of several files, name those too that do not change; of each block that does, say what it holds in "
    "memory before and after.",
)
@click.pass_context
def fix_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    output: str | None,
    in_place: bool,
    check: bool,
    diff: bool,
    renumber: bool,
    relabel: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write the IR in its original order, as far as dependences allow; - is standard input.

    Every dump of a log is corrected where it stands. With --pass or --dump only that dump is written, or with
    --in-place only that dump changed. The result is read again and verified before anything is written.

    Several files or a folder need one of --in-place, --check, --diff and --output. One that cannot be read
    does not stop the others.

    Standard output gets IR and nothing else, with --diff the diff and nothing else; what there is to say goes
    to standard error. Where the input cannot be fixed it gets nothing: in a shell, "set -o pipefail" makes a
    pipeline fail then.

    \b
    Examples:
      compiler ... | eio-audit fix - | next-tool
      eio-audit fix after.mlir -o fixed.mlir
      eio-audit fix passes.log --pass ttir-erase-inverse-ops --dump last
      eio-audit fix --relabel after.mlir -o whole.mlir
      eio-audit fix --check --diff dumps/
      eio-audit fix dumps/ --in-place
    """
    if in_place + (output is not None) + (check or diff) > 1:
        raise click.UsageError("--in-place, --output and --check or --diff do not go together")
    if in_place and "-" in paths:
        raise click.UsageError("--in-place changes the files it reads: it does not go with '-'")
    if relabel is not None and options.order_from is not None:
        raise click.UsageError("--relabel changes the indices in locations: it does not go with --order-from")
    skipped: list[str] = []
    files, errors = _files(paths, skipped)
    write = _write_chosen(paths, files, output, in_place=in_place, check=check, diff=diff, quiet=quiet)
    if not quiet:
        note_skipped(skipped)
    names_all = verbose or len(files) == 1
    run = _Run(write, is_dry=check or diff, quiet=quiet, names_all=names_all, verbose=verbose)
    for error in errors:
        run.fail(error, COULD_NOT_RUN)
    chooses = pass_name is not None or dump_number is not None
    unindexed = []
    for path in files:
        with run.going_on(path):
            dumps = select(read_dumps(path), pass_name, dump_number)
            if not dumps:
                raise InputError(source_name(path), None, "nothing to fix: the input holds no IR")
            source = dumps[0].source
            with progress(len(source.data), "fixing") as advance:
                result = fix(
                    advancing(dumps, advance, len(source.data)),
                    options,
                    only_dumps=chooses and not in_place and not diff,
                    renumber=renumber,
                    relabel=relabel,
                    measures_memory=verbose and not quiet,
                )
            if result.before.has_indices:
                run.finish(path, source, result)
            else:
                unindexed.append((path, source, result))
    if unindexed and not run.finished:
        names = ", ".join(source_name(path) for path, _, _ in unindexed)
        run.fail(InputError(names, None, NOTHING_INDEXED), COULD_NOT_RUN, len(unindexed))
    else:
        for path, source, result in unindexed:
            with run.going_on(path):
                run.finish(path, source, result)
    run.print_tally()
    ctx.exit(run.exit_code or int(check and run.changed > 0))


def _write_chosen(
    paths: Sequence[str],
    files: Sequence[str],
    output: str | None,
    *,
    in_place: bool,
    check: bool,
    diff: bool,
    quiet: bool,
) -> Write:
    """How the options say to write, for ``--check --diff`` a diff."""
    if in_place:
        return partial(write_in_place, quiet=quiet)
    if diff:
        return print_diff
    return write_nothing if check else write_to(output, paths, files)


def _files(paths: Sequence[str], skipped: list[str]) -> tuple[list[str], list[InputError]]:
    """The files of all paths, each once, and why others have none."""
    files: list[str] = []
    errors = []
    for path in paths:
        try:
            files += find_files(path, skipped.append)
        except InputError as error:
            errors.append(error)
    return list(dict.fromkeys(files)), errors


@dataclass(slots=True)
class _Run:
    """What is done with each file, and what has been done so far.

    Attributes:
        write: where the results go.
        is_dry: no IR is written.
        quiet: nothing is said but errors.
        names_all: something is said of the files that do not change, too.
        verbose: more is said of those that change.
        changed, unchanged, failed: how many files.
        exit_code: of the worst failure.
    """

    write: Write
    is_dry: bool
    quiet: bool
    names_all: bool
    verbose: bool
    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    exit_code: int = 0

    @property
    def finished(self) -> int:
        """How many files did not fail."""
        return self.changed + self.unchanged

    def finish(self, path: str, source: Source, result: Fix) -> None:
        """Writes what became of a file, and says so."""
        self.write(path, source, result)
        is_changed = result.changed or result.renumbered
        self.changed += is_changed
        self.unchanged += not is_changed
        if self.quiet:
            return
        warn_of_unmatched(result.dumps)
        if is_changed or self.names_all:
            from eio_audit.report.text.check import print_fix
            from eio_audit.report.text.console import make_console

            console = make_console(sys.stderr)
            print_fix(result, source.name, console, is_dry=self.is_dry, verbose=self.verbose)

    @contextlib.contextmanager
    def going_on(self, path: str) -> Iterator[None]:
        """Shows and counts what goes wrong with one file, so that the others are fixed."""
        try:
            yield
        except InputError as error:
            self.fail(error, COULD_NOT_RUN)
        except VerificationError as error:
            self.fail(
                InputError(source_name(path), None, f"nothing was written: {error}"), VERIFICATION_FAILED
            )

    def fail(self, error: InputError, exit_code: int, file_count: int = 1) -> None:
        """Shows and counts a failure."""
        show_error(error)
        self.failed += file_count
        self.exit_code = max(self.exit_code, exit_code)

    def print_tally(self) -> None:
        """Says of several files how many have become what."""
        if self.quiet or self.finished + self.failed < 2:
            return
        from eio_audit.report.text.check import print_fixes
        from eio_audit.report.text.console import make_console

        print_fixes(self.changed, self.unchanged, self.failed, make_console(sys.stderr), is_dry=self.is_dry)
