"""``eio-audit fix``: the corrected IR or a diff of it, and the compiler that reads the IR first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.audit.options import AuditOptions, Relabel
from eio_audit.cli import inputs
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.gate import ALLOW_UNINDEXED
from eio_audit.cli.jobs import ENOUGH_BYTES, Jobs, jobs_options
from eio_audit.cli.main import COULD_NOT_RUN, VERIFICATION_FAILED
from eio_audit.cli.options import (
    DUMP_PATH,
    PATH,
    UNUSABLE_OR_UNINDEXED,
    GroupedCommand,
    audit_options,
    dump_options,
    exit_codes,
    grouped_command,
    program_of,
)
from eio_audit.cli.output import is_regular_file, reader_may_stop, write_atomically, write_bytes
from eio_audit.mlir.source import InputError
from eio_audit.report.text.progress import advancing, progress

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.audit.fix.fix import Fix
    from eio_audit.audit.fix.verification import Compiler
    from eio_audit.mlir.input.dumps import Dump


Write = Callable[[str, "Fix"], None]  # writes the fix of a file, given its path

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")


def without_links(files: Sequence[str]) -> list[str]:
    """Return the files without symbolic links to others of them, since each file is rewritten once."""
    names: dict[str, str] = {}
    for file in files:
        names.setdefault(os.path.realpath(file), file)
    return list(names.values())


def write_in_place(path: str, result: Fix, *, quiet: bool) -> None:
    """Replace the file if it changes. Warn of other hard links unless ``quiet``.

    Raises:
        InputError: the file is compressed, is not a regular file or cannot be written.
        VerificationError: it changed since it was read.
    """
    file = Path(path)
    if file.exists() and not is_regular_file(file):
        raise InputError(path, None, "cannot change in place: not a regular file")
    if result.source.is_compressed:
        raise InputError(path, None, "cannot change a compressed file in place: use --output")
    if result.changed:
        has_other_names = file.exists() and file.stat().st_nlink > 1
        write_atomically(path, result.pieces, source=result.source.file)
        if has_other_names and not quiet:
            from eio_audit.report.text.console import Console

            warning = f"{result.source.name}: warning: other hard links keep the old content"
            Console(sys.stderr).print(warning)


def print_diff(path: str, result: Fix) -> None:
    """Print a unified diff to standard output, in colour on a terminal, else exact to the byte."""
    from eio_audit.report.text.console import Console
    from eio_audit.report.text.unified_diff import print_unified_diff, unified_diff

    diff = unified_diff(result.source.file.data[:], result.text, result.source.name)
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
        print_unified_diff(diff, Console(sys.stdout))
    else:
        write_bytes(None, diff)


def write_to(output: str | None, paths: Sequence[str], files: Sequence[str]) -> Write:
    """Return a writer of one file to ``output`` (None: standard output), or of several into that folder.

    ``files`` are the files that the ``paths`` on the command line name or contain.

    Raises:
        UsageError: there are several files and no folder for them, or two of them would have one name.
    """
    if output is not None and output != "-" and (len(files) > 1 or Path(output).is_dir()):
        targets = _targets_in(output, paths, files)
        return lambda path, result: _write_in_folder(output, targets[path], result)
    if len(files) > 1:
        raise click.UsageError(f"{len(files):,} files require --in-place, --check, --diff or --output FOLDER")
    return lambda path, result: write_bytes(output, result.pieces, result.source.file)


def _targets_in(output: str, paths: Sequence[str], files: Sequence[str]) -> dict[str, str]:
    """Return the path of each file in the folder ``output``: relative to its own folder, or its name."""
    if Path(output).exists() and not Path(output).is_dir():
        raise click.UsageError(f"{len(files):,} files require a folder as --output, but '{output}' is a file")
    folders = [path for path in paths if Path(path).is_dir()]
    origins: dict[Path, str] = {}
    for file in files:
        if file == "-":
            raise click.UsageError("cannot write standard input to a folder, because it has no file name")
        above = next((folder for folder in folders if Path(folder) in Path(file).parents), Path(file).parent)
        target = Path(output) / Path(file).relative_to(above)
        if target.suffix in PACKED_SUFFIXES:
            target = target.with_suffix("")
        if target in origins:
            raise click.UsageError(f"'{origins[target]}' and '{file}' would both be written to '{target}'")
        origins[target] = file
    return {file: str(target) for target, file in origins.items()}


def _write_in_folder(folder: str, target: str, result: Fix) -> None:
    """Write a file of the folder and nothing outside of it: symbolic links in it lead elsewhere."""
    for above in Path(target).parents:
        if above == Path(folder):
            break
        if above.is_symlink():
            raise InputError(target, None, f"cannot write: '{above}' is a symbolic link")
    try:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(target, None, f"cannot write: {error.strerror or error}") from error
    write_atomically(target, result.pieces, replaces_link=True, source=result.source.file)


def compiler_of(command: str | None, timeout: float | None) -> Compiler | None:
    """Return the compiler, which for one text has the time that a file has (``timeout``).

    Raises:
        UsageError: there is no such program.
    """
    if command is None:
        return None
    from eio_audit.audit.fix.verification import Compiler

    words = program_of(command, "--verify-with")
    return Compiler(words) if timeout is None else Compiler(words, timeout)


def workers_of(
    parallel: Jobs, total_bytes: int | None, file_count: int, compiler: Compiler | None
) -> AbstractContextManager[Workers | None]:
    """Return who fixes the files.

    A compiler takes time for small files too. It may read both the result and the input of a file.
    """
    if compiler is not None:
        if parallel.timeout is not None:
            parallel = parallel._replace(timeout=3 * parallel.timeout)
        if total_bytes is not None and file_count > 1:
            total_bytes = max(total_bytes, ENOUGH_BYTES)
    return parallel.workers(total_bytes)


L1_SCHEDULE = (
    "the moved ops are beside layouts in L1, and tt-mlir takes their order as its memory schedule "
    "(ttnn-memory-management, ttnn-force-final-deallocs): run fix before the optimizer, or only for code "
    "generation"
)


class _FixCommand(GroupedCommand):
    """A command whose ``--relabel`` takes a value only as ``--relabel=flat``: the next word is a path."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        options = [f"--relabel={Relabel.NESTED}" if arg == "--relabel" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*options, *args[end:]])


@grouped_command(
    "fix",
    cls=_FixCommand,
    short_help="Write the IR in its original order.",
    epilog=exit_codes(
        {
            1: "with --check: a file would change",
            3: "a result failed its verification, or a file changed: it was not written",
        },
        "done, whether anything changed or not",
        f"{UNUSABLE_OR_UNINDEXED}; all other files are fixed",
    ),
    keys=("allow-unindexed", "jobs", "timeout", "verbose"),
)
@click.argument("paths", nargs=-1, required=True, type=DUMP_PATH, metavar="PATH...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="OUT",
    help="Write to OUT instead of standard output. For several files, OUT is a folder.",
)
@click.option("-i", "--in-place", is_flag=True, help="Rewrite the files that change.")
@click.option("--check", is_flag=True, help="Write no IR; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write no IR; print the changes as a unified diff.")
@click.option(
    "--relabel",
    type=click.Choice([form.value for form in Relabel]),
    metavar="[=flat]",
    help="First correct the op indices that contradict dataflow, so that no inversion remains. "
    "--relabel=flat drops the old locations; otherwise the new ones contain them.",
)
@click.option(
    "--verify-with",
    metavar="COMMAND",
    help="A compiler that reads each dump that changes on its standard input, such as 'mlir-opt -'. Unless "
    "it accepts them all, the file is not written, and the exit code is 3.",
)
@dump_options
@audit_options
@ALLOW_UNINDEXED
@jobs_options()
@click.option("-q", "--quiet", is_flag=True, help="Print only the IR or the diff, and errors.")
@click.option("-v", "--verbose", is_flag=True)  # also names the files that do not change
@click.pass_context
def fix_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    choice: DumpChoice,
    options: AuditOptions,
    allow_unindexed: bool,
    parallel: Jobs,
    output: str | None,
    in_place: bool,
    check: bool,
    diff: bool,
    relabel: str | None,
    verify_with: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write the IR in its original order, as far as dependences allow; - is standard input.

    In a log, fix corrects every dump. With --pass or --dump, it writes only that dump, or with --in-place
    changes only that dump. The result is read again and verified before anything is written.

    Several files or a folder require --in-place, --check, --diff or --output. A file that cannot be read does
    not stop the others.

    Standard output receives only IR, or with --diff only the diff; messages go to standard error. If the
    input cannot be fixed, standard output stays empty: "set -o pipefail" makes a shell pipeline fail then.

    \b
    Examples:
      compiler ... | eio-audit fix - | next-tool
      eio-audit fix after.mlir -o fixed.mlir
      eio-audit fix passes.log --pass ttir-erase-inverse-ops --dump last
      eio-audit fix --relabel after.mlir -o whole.mlir
      eio-audit fix --verify-with "ttmlir-opt -" after.mlir -o fixed.mlir
      eio-audit fix --check --diff dumps/
      eio-audit fix dumps/ --in-place
    """
    from eio_audit.audit.corpus.check_dumps import fix_files
    from eio_audit.audit.fix.fix import DumpFix, Fix
    from eio_audit.mlir.input.folders import find_files

    if in_place + (output is not None) + (check or diff) > 1:
        raise click.UsageError("--in-place, --output, and --check or --diff cannot be used together")
    if in_place and "-" in paths:
        raise click.UsageError("--in-place cannot be used with '-', because standard input is not a file")
    if relabel is not None and options.order_from is not None:
        raise click.UsageError("--relabel cannot be used with --order-from, which ignores indices")
    found, errors, skipped = inputs.find_all(paths, find_files)
    choices = _choices(found, choice)
    files = list(choices)
    if in_place:
        files = without_links(files)
        write: Write = partial(write_in_place, quiet=quiet)
    elif diff:
        write = reader_may_stop()(print_diff) if check else print_diff
    else:
        write = (lambda *_: None) if check else write_to(output, paths, files)
    if not quiet:
        inputs.note_skipped(skipped)
    names_all = verbose or len(files) == 1
    named = {file for path, file in found if Path(path) not in Path(file).parents or choice.is_made}
    found_in_folders = frozenset(files).difference(named) if in_place else frozenset()
    fixes = _Fixes(
        write, is_dry=check or diff, quiet=quiet, names_all=names_all, found_in_folders=found_in_folders
    )
    for error in errors:
        fixes.fail(error, COULD_NOT_RUN)
    compiler = compiler_of(verify_with, parallel.timeout)
    dump_fix = DumpFix(options, relabel, not quiet, compiler)
    only_dumps = any(one.is_made for one in choices.values()) and not in_place and not diff
    total_bytes = inputs.total_size(files)
    has_indices = allow_unindexed
    unindexed: list[tuple[str, Fix]] = []
    bar = progress(total_bytes, "reading", len(files), then="ordering and verifying")
    with bar as advance, workers_of(parallel, total_bytes, len(files), compiler) as workers:

        def read_file(path: str) -> Iterator[Dump]:
            dumps = choices[path].of(inputs.read_dumps(path, "fix"), is_only=len(files) == 1)
            return advancing(dumps, advance, inputs.size(path))

        results = fix_files(files, read_file, dump_fix, workers, advance.waits_for, only_dumps=only_dumps)
        for path, result in results:
            advance.file_done()
            if isinstance(result, Fix) and not has_indices:
                has_indices = result.before.has_indices or not any(d.is_unindexed for d in result.dumps)
                if not has_indices:  # an error, unless another file has some
                    unindexed.append((path, result))
                    continue
            with advance.aside():
                while unindexed and has_indices:
                    fixes.finish(*unindexed.pop(0))
                fixes.finish(path, result)
    if not has_indices and unindexed:
        audits = [dump for _, result in unindexed for dump in result.dumps]
        error = inputs.no_order(len(audits), audits, *(path for path, _ in unindexed))
        fixes.fail(error, COULD_NOT_RUN, len(unindexed))
    fixes.print_tally()
    ctx.exit(fixes.exit_code or int(check and fixes.changed > 0))


def _choices(found: Sequence[tuple[str, str]], choice: DumpChoice) -> dict[str, DumpChoice]:
    """Return the choice of dumps of each file, which is rewritten once."""
    choices: dict[str, DumpChoice] = {}
    for path, file in found:
        if choices.setdefault(file, choice.at(path)) != choice.at(path):
            raise click.UsageError(
                f"'{choices[file].word or file}' and '{choice.at(path).word or file}' "
                "are in one file: fix one dump of it at a time"
            )
    return choices


def _is_log(result: Fix) -> bool:
    return sum(dump.place.marker is not None for dump in result.dumps) > 1


@dataclass(slots=True)
class _Fixes:
    """Writes the results and counts the files. ``names_all`` also reports files that do not change."""

    write: Write
    is_dry: bool
    quiet: bool
    names_all: bool
    found_in_folders: frozenset[str]  # the files to replace that nobody named: a log among them is noted
    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    exit_code: int = 0
    warned_of_l1: bool = False

    def finish(self, path: str, result: Fix | Exception) -> None:
        """Write the result of one file, or show and count its failure."""
        from eio_audit.audit.fix.verification import VerificationError
        from eio_audit.mlir.source import source_name

        try:
            if isinstance(result, Exception):
                raise result
            self._write(path, result)
        except InputError as error:
            self.fail(error, COULD_NOT_RUN)
        except VerificationError as error:
            message = f"nothing was written: {error.message}"
            refusal = InputError(source_name(path), None, message, error.details)
            self.fail(refusal, VERIFICATION_FAILED)

    def _write(self, path: str, result: Fix) -> None:
        from eio_audit.audit.check.figures import unmatched_patterns

        self.write(path, result)
        if path in self.found_in_folders and result.changed and _is_log(result) and not self.quiet:
            why = "every dump of this log is corrected, so it no longer shows what each pass did"
            inputs.note(f"{result.source.name}: {why}")
        self.changed += result.changed
        self.unchanged += not result.changed
        if self.quiet:
            return
        inputs.warn_of_unmatched(unmatched_patterns(result.dumps))
        inputs.note_undefined_names(result.dumps)
        if result.moved_in_l1 and not self.warned_of_l1:
            self.warned_of_l1 = True
            click.echo(f"warning: {result.source.name}: {L1_SCHEDULE}", err=True)
        if result.changed or self.names_all:
            from eio_audit.report.text.console import Console
            from eio_audit.report.text.fix import print_fix

            print_fix(result, result.source.name, Console(sys.stderr), is_dry=self.is_dry)

    def fail(self, error: InputError, exit_code: int, file_count: int = 1) -> None:
        inputs.show_errors([error])
        self.failed += file_count
        self.exit_code = max(self.exit_code, exit_code)

    def print_tally(self) -> None:
        if self.quiet or self.changed + self.unchanged + self.failed < 2:
            return
        from eio_audit.report.text.console import Console
        from eio_audit.report.text.fix import print_fixes

        print_fixes(self.changed, self.unchanged, self.failed, Console(sys.stderr), is_dry=self.is_dry)
