"""``eio-audit history``: one op through all passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from eio_audit.cli import inputs
from eio_audit.cli.options import PATH, exit_codes, grouped_command, index_options
from eio_audit.cli.reports import Reports, report_options, verbose_option
from eio_audit.mlir.source import InputError, read_all, source_name
from eio_audit.report.text.progress import progress

if TYPE_CHECKING:
    from eio_audit.audit.options import AuditOptions
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.mlir.input.folders import DumpFile


@grouped_command(
    "history",
    short_help="Follow one op through all passes of a log.",
    epilog=exit_codes({}),
    keys=("index-pattern", "follow", "assume-pure"),
)
@click.argument("log", type=PATH)
@click.argument("op")
@index_options
@report_options("History", verbose_option())
@click.pass_context
def history_command(ctx: click.Context, log: str, op: str, options: AuditOptions, reports: Reports) -> None:
    """Follow one op through all passes of a log or a folder of dumps: one row for each pass that changed it.

    OP is %name, '#index' (quoted), a line of the log (4711, 4711:5 or passes.log:4711), a line of the model
    (model.py:51) or a full name. If several functions have the name, add one: '%5 of @main'. OP is
    looked up in the first dump that has it. Ops need no indices.

    \b
    Examples:
      eio-audit history passes.log %56
      eio-audit history passes.log '%5 of @main'
      eio-audit history passes.log 4711
      eio-audit history passes-tree/ model.py:51
    """
    from eio_audit.audit.log.history import history
    from eio_audit.mlir.input.folders import find_dump_files

    files = find_dump_files(log)
    total = inputs.total_size([file.path for file in files])
    with progress(total, "following") as advance:
        dumps = _Dumps(log, files, advance)
        result = history(list(dumps) if total is None else dumps, op, options)
    result = replace(result, errors=(*dumps.errors, *result.errors))
    inputs.show_errors(result.errors)
    reports.write(result)
    ctx.exit(2 if result.errors else 0)


@dataclass
class _Dumps(Iterable["Dump"]):
    """The dumps of files, read one at a time on each iteration."""

    path: str
    files: list[DumpFile]
    advance: Callable[[int], None]
    errors: list[InputError] = field(default_factory=list)

    def __iter__(self) -> Iterator[Dump]:
        from eio_audit.mlir.input.dumps import stream_file

        self.errors = []
        is_empty, is_only = True, len(self.files) == 1

        def read(file: DumpFile) -> Iterator[Dump]:
            return inputs.noted(stream_file(file, self.advance, inputs.max_size(), is_only=is_only))

        for dump in read_all(self.files, read, self.errors):
            is_empty = False
            yield dump
        if is_empty:
            raise self.errors[0] if self.errors else InputError(source_name(self.path), None, inputs.NO_IR)
