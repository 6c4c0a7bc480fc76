"""``eio-audit check``: the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import click

from eio_audit.cli import inputs
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.gate import GateChoice, gate_options
from eio_audit.cli.jobs import PROCESSES, Jobs, jobs_options
from eio_audit.cli.options import DUMP_PATH, GATE_EXIT_CODES, audit_options, dump_options, grouped_command
from eio_audit.cli.reports import Reports, quiet_option, report_options, verbose_option
from eio_audit.mlir.source import InputError
from eio_audit.report.text.progress import advancing, progress, status

if TYPE_CHECKING:
    from eio_audit.audit.check.check import Check
    from eio_audit.audit.corpus.check_dumps import DumpCheck
    from eio_audit.audit.explain.order_picture import WorstBlocks
    from eio_audit.audit.fix.fix import Replacement
    from eio_audit.audit.gate.gate import CheckedDump, Verdict
    from eio_audit.audit.options import AuditOptions
    from eio_audit.mlir.input.dumps import Dump


@grouped_command("check", short_help="Audit the order of every dump: the CI gate.", epilog=GATE_EXIT_CODES)
@click.argument("paths", nargs=-1, required=True, type=DUMP_PATH, metavar="PATH...")
@dump_options
@audit_options
@gate_options
@jobs_options(
    f"{PROCESSES} tcp://HOST:PORT is a Dask scheduler, whose workers read the files by the same absolute "
    "paths; this requires eio-audit[cluster].",
    "Give up on a file that takes longer, or on a dump of a large file. This is an error of that file; the "
    "others are still read.",
    or_address=True,
)
@report_options(
    "Verdict", quiet_option, verbose_option("Show all findings, and why the other inversions remain.")
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Print the number of findings by rule, pass and module instead of the findings.",
)
@click.pass_context
def check_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    choice: DumpChoice,
    options: AuditOptions,
    gate_choice: GateChoice,
    parallel: Jobs,
    reports: Reports,
    statistics: bool,
) -> None:
    """Audit the order of every dump in files, logs and folders; - is standard input.

    An inversion is a pair of ops in one block that is out of order: the op with the larger index comes first.
    Inversions are avoidable if an order with fewer of them keeps all dependences.

    \b
    Examples:
      eio-audit check after.mlir
      eio-audit check passes.log --pass ttir-erase-inverse-ops
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit check - --format json
      eio-audit check dumps/ --format github -o sarif:order.sarif
      eio-audit check dumps/ --baseline order-baseline.json
    """
    from eio_audit.audit.check.figures import unmatched_patterns
    from eio_audit.audit.corpus.check_dumps import DumpCheck
    from eio_audit.audit.corpus.models import models_of
    from eio_audit.audit.log.log_findings import LogFindings
    from eio_audit.mlir.input.folders import find_files

    if statistics and "text" not in reports.formats and not reports.quiet:
        raise click.UsageError("--statistics requires --format text")
    found, errors, skipped = inputs.find_all(paths, find_files)
    models = models_of(found)
    needs_findings = gate_choice.needs_findings or bool(reports.formats)
    rules = gate_choice.gate.rules if needs_findings else ()
    findings, worst_blocks = LogFindings(rules), None
    if "html" in reports.formats and (reports.has_page or len(set(models.values())) < 2):
        from eio_audit.audit.explain.order_picture import WorstBlocks

        worst_blocks = WorstBlocks()
    dump_check, described = DumpCheck(options, rules, reports.verbose), None
    if reports.formats == {"text"} and not (reports.verbose or statistics or gate_choice.baseline):
        from eio_audit.report.documents.check import SHOWN

        described = SHOWN
    take = findings.take if needs_findings else None
    chosen = [(file, choice.at(path)) for path, file in found]
    result = _check(chosen, dump_check, parallel, take, worst_blocks, described)
    result = replace(result, errors=(*errors, *result.errors), models=models)
    inputs.show_errors(result.errors)
    if not reports.quiet:
        inputs.note_skipped(skipped)
        inputs.warn_of_unmatched(unmatched_patterns(result.dumps))
        inputs.note_undefined_names(result.dumps)
    verdict = gate_choice.judge(result, findings.findings, quiet=reports.quiet)
    with nullcontext() if worst_blocks is None else status("drawing the blocks"):
        pictures = [] if worst_blocks is None else worst_blocks.pictures()
    reports.write(
        verdict,
        statistics=statistics,
        pictures=pictures,
        read_dumps=inputs.read_dumps,
        excerpts=inputs.excerpts,
        replacements=_replacements(verdict, options) if "sarif" in reports.formats else None,
    )
    if result.errors:
        ctx.exit(2)
    if result.judges_nothing and not (result.dumps and verdict.gate.allows_unindexed):
        raise inputs.no_order(len(result.dumps), result.dumps, *paths)
    ctx.exit(1 if verdict.failed else 0)


def _check(
    chosen: Sequence[tuple[str, DumpChoice]],
    dump_check: DumpCheck,
    parallel: Jobs,
    take: Callable[[Dump, CheckedDump], None] | None,
    worst_blocks: WorstBlocks | None,
    described: int | None,
) -> Check:
    """Check the chosen dumps of files. ``take`` and ``worst_blocks`` get each with its result, in order.

    Of the findings of a single dump, the worst are ``described``. Those of a log are told apart by their ops.
    """
    from eio_audit.audit.corpus.check_dumps import check_dumps
    from eio_audit.mlir.source import read_all

    errors: list[InputError] = []
    total_bytes, numbers = inputs.total_size([file for file, _ in chosen]), list[int]()
    bar = progress(total_bytes, "reading", len(chosen), then="ordering")
    with bar as advance, ExitStack() as started:

        def read_file(one: tuple[str, DumpChoice]) -> Iterator[Dump]:
            file, choice = one
            dumps = choice.of(inputs.read_dumps(file), is_only=len(chosen) == 1)
            numbers.append(len(dumps))
            return advancing(dumps, advance, inputs.size(file))

        def visit(dump: Dump, result: CheckedDump) -> None:
            if take is not None:
                take(dump, result)
            if worst_blocks is not None:
                worst_blocks.visit_audit(dump, result.audit)

        dumps = read_all(chosen, read_file, errors, advance.file_done)
        workers, first = None, list(islice(dumps, 1))
        if first:  # so that no process is started for nothing
            pieces = sum(numbers) if len(chosen) == 1 else None
            if pieces == 1:
                dump_check = replace(dump_check, described=described)
            workers = started.enter_context(parallel.workers(total_bytes, pieces))
        keep = None if worst_blocks is None else worst_blocks.keep
        result = check_dumps(chain(first, dumps), dump_check, visit, workers, advance.waits_for, keep)
    return replace(result, errors=(*errors, *result.errors))


def _replacements(verdict: Verdict, options: AuditOptions) -> dict[str, Replacement]:
    """Return what a fix changes in each file with an avoidable finding, if it can be read and fixed."""
    from eio_audit.audit.fix.fix import replacement_of
    from eio_audit.audit.fix.verification import VerificationError
    from eio_audit.audit.gate.rules import AVOIDABLE
    from eio_audit.report.wording.conclusion import is_kept

    found = {}
    for source in dict.fromkeys(one.source for one in verdict.findings if one.rule is AVOIDABLE):
        if is_kept(source):
            with suppress(InputError, VerificationError):
                if (replacement := replacement_of(inputs.read_dumps(source), options)) is not None:
                    found[source] = replacement
    return found
