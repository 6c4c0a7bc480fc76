"""``eio-audit history``: one op through all passes of a log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.cli import inputs
from eio_audit.cli.dump_choice import retyped
from eio_audit.cli.options import PATH, exit_codes, grouped_command, index_options
from eio_audit.cli.reports import Reports, report_options, verbose_option
from eio_audit.mlir.source import InputError, read_all, source_name
from eio_audit.report.text.progress import progress

if TYPE_CHECKING:
    from eio_audit.audit.log.history import History
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
    from eio_audit.audit.explain.op_choice import SeveralOpsError
    from eio_audit.audit.log.history import history
    from eio_audit.mlir.input.folders import find_dump_files
    from eio_audit.report.wording.conclusion import is_kept

    files = find_dump_files(log)
    total = inputs.total_size([file.path for file in files])
    with progress(total, "following") as advance:
        read = _Dumps(log, files, advance)
        dumps = list(read) if total is None else read
        try:
            result = history(dumps, op, options)
        except SeveralOpsError as error:
            if is_kept(error.source):
                error.excerpt = f"next:\n  {_retyped(log, op, error.source, error.line)}  # the first of them"
            raise
        result = result._replace(errors=(*read.errors, *result.errors))
        other = _other_op(log, dumps, op, result, options)
    inputs.show_errors(result.errors)
    reports.write(result)
    if other:
        inputs.note(other)
    ctx.exit(2 if result.errors else 0)


def _other_op(log: str, dumps: Iterable[Dump], op: str, result: History, options: AuditOptions) -> str:
    """Return which op has the name in the last dump with it, and how to follow that. Empty if none has it."""
    from eio_audit.audit.check.keyed_dump import read_dump
    from eio_audit.audit.explain.op_choice import OpReference, find_ops
    from eio_audit.report.wording.conclusion import is_kept

    wanted, followed = OpReference.parse(op), result.ops[0]
    lost = (e.place for e in followed.events if not e.state or e.state.op.result != followed.first.op.result)
    since = next(lost, None)
    if since is None or not op.startswith("%"):
        return ""
    later = dropwhile(lambda dump: dump.place != since, dumps)
    for last in deque(filter(wanted.may_be_in, later), maxlen=1):
        with suppress(InputError):  # no op is called so any more, or several are
            read = read_dump(last, options)
            label = read.label(find_ops(read, op)[0])
            source = last.source.name
            how = f"; to follow it: {_retyped(log, op, source, label.line)}" if is_kept(source) else ""
            return f"in the last dump with {op}, {op} is {label}{how}"
    return ""


def _retyped(log: str, op: str, source: str, line: int) -> str:
    """Return the command as it was typed, with a line for the op."""
    return retyped(op, f"{source}:{line}" if Path(log).is_dir() else str(line))


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
