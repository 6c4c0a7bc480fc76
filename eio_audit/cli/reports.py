"""The formats of all commands, and the options for formats and output files."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, cast

import click
from click.core import ParameterSource

from eio_audit import __version__
from eio_audit.cli.options import Command, empty_path, one_of, together
from eio_audit.cli.output import encoded, is_folder, reader_may_stop, write_bytes, write_folder, write_text
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from eio_audit.audit.explain.order_picture import OrderPicture
    from eio_audit.audit.fix.fix import Replacement
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.trace import TracedPass
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.report.html.data import StoredSteps
    from eio_audit.report.text.console import Console
    from eio_audit.report.text.document import Excerpts

RENDERERS = {
    "Verdict": {
        "text": "documents.check:check_document",
        "concise": "ci:to_concise",
        "json": "json:check_to_json",
        "markdown": "documents.check:check_document",
        "github": "ci:to_github",
        "sarif": "ci:to_sarif",
        "junit": "ci:to_junit",
        "gitlab": "ci:to_gitlab",
        "html": "html.pages:check_to_html",
    },
    "Diff": {
        "text": "documents.diff:diff_document",
        "json": "json:diff_to_json",
        "markdown": "documents.diff:diff_document",
        "html": "html.pages:diff_to_html",
    },
    "ModelTraces": {
        "text": "documents.trace:traces_document",
        "json": "json:traces_to_json",
        "markdown": "documents.trace:traces_document",
        "html": "html.passes:traces_to_html",
    },
    "TimeTable": {
        "text": "documents.trace:times_document",
        "json": "json:times_to_json",
        "markdown": "documents.trace:times_document",
    },
    "Bisection": {
        "text": "documents.bisect:bisection_document",
        "json": "json:bisection_to_json",
        "markdown": "documents.bisect:bisection_document",
        "html": "html.passes:bisection_to_html",
        "log": "documents.bisect:states_log",
    },
    "OpSteps": {"text": "documents.bisect:op_steps_document", "json": "json:op_steps_to_json"},
    "OneApplication": {"text": "documents.bisect:application_document", "json": "json:application_to_json"},
    "FirstFailingDump": {"text": "documents.bisect:first_failing_dump_document", "json": "json:to_json"},
    "FirstFailure": {"text": "documents.bisect:first_failure_document", "json": "json:to_json"},
    "Reduction": {"text": "documents.bisect:reduction_document", "json": "json:to_json"},
    "History": {"text": "documents.history:history_document", "json": "json:to_json"},
    "RunComparison": {"text": "documents.diff:runs_document", "json": "json:two_runs_to_json"},
    "TimeComparison": {
        "text": "documents.diff:two_times_document",
        "json": "json:two_times_to_json",
        "markdown": "documents.diff:two_times_document",
    },
    "CheckComparison": {"text": "documents.diff:checks_document", "json": "json:to_json"},
    "Explanation": {"text": "documents.explain:explanation_document", "json": "json:to_json"},
    "Dataflow": {
        "dot": "graph:dataflow_to_dot",
        "graphml": "graph:dataflow_to_graphml",
        "json": "graph:dataflow_to_json",
        "svg": "html.pages:dataflow_to_svg",
    },
}
"""By kind of result and format, the function in ``report``: ``module:name``. Those of text and Markdown
return a document."""

VERDICTS = {
    "Verdict": {"line": "wording.conclusion:verdict_line"},
    "Diff": {"line": "wording.diff:verdict"},
    "Bisection": {"line": "wording.bisect:answer"},
    "ModelTraces": {"line": "wording.trace:verdict_of"},
}
"""The functions that return the verdict, a line that is said of a report in a file."""

FOLDER_RENDERERS = {"Verdict": {"html": "html.pages:check_to_pages"}}
"""The functions that make the files of a folder: the name and the text of each."""


class Given(TypedDict, total=False):
    """What a command gives to the functions that render its result, beside the result."""

    verbose: bool  # name everything, not only the worst
    version: str  # of this program
    gate: Gate
    has_room: bool  # for the details, because long lists are folded
    statistics: bool  # count findings instead of naming them
    context: int | None  # show changes in textual order with so many unchanged ops around each
    rows: Sequence[TracedPass] | None  # the passes that are chosen; None for all
    only_table: str | None  # the name of the only table of a log to show
    has_rows: bool  # the terminal has the rows of the passes already
    steps: StoredSteps | None  # what each pass did to the ops
    excerpts: Excerpts  # gives the lines of findings
    pictures: Sequence[OrderPicture] | Callable[[], Sequence[OrderPicture]]  # of the worst blocks
    read_dumps: Callable[[str], Sequence[Dump]]  # gives the dumps of a file once more
    replacements: Mapping[str, Replacement] | None  # what a fix changes in files


def rendered(
    result: object,
    format_: str,
    console: Console | None = None,
    table: Mapping[str, Mapping[str, str]] = RENDERERS,
    **given: Unpack[Given],
) -> Any:
    """Render a result in a format. Text is printed to the console; the other formats are returned."""
    module, _, name = table[type(result).__name__][format_].partition(":")
    function = getattr(import_module(f"eio_audit.report.{module}"), name)
    given["version"] = __version__
    given["has_room"] = format_ == "markdown"
    if console is not None:
        given["verbose"] = console.verbose
    parameters = inspect.signature(function).parameters
    made = function(result, **{key: value for key, value in given.items() if key in parameters})
    if console is not None:
        from eio_audit.report.text.document import print_document

        return print_document(made, console, given.get("excerpts"))
    if format_ == "markdown":
        from eio_audit.report.markdown import to_markdown

        return to_markdown(made, module.removeprefix("documents."), verbose=given.get("verbose", False))
    return made


_OWN = ("html", "sarif", "json", "markdown", "svg", "dot", "graphml", "log")
SUFFIXES = {
    **{f".{name}": name for name in _OWN},
    **{".htm": "html", ".sarif.json": "sarif", ".md": "markdown", ".xml": "junit"},
}
"""The format of a file by the end of its name, where neither --format nor FORMAT:FILE gives one."""
PLAIN_SUFFIXES = ("", ".txt", ".text", ".log", ".out")  # of files in the default format


def format_by_suffix(path: str, formats: Sequence[str]) -> str | None:
    """Return the format that the end of a file's name tells, ``html`` for a folder. None if it tells none.

    Raises:
        UsageError: it tells a format that is not one of ``formats``.
    """
    if path.endswith(("/", os.sep)) and "html" in formats:
        return "html"
    name = path.rstrip("/" + os.sep).casefold()
    suffix = max((suffix for suffix in SUFFIXES if name.endswith(suffix)), key=len, default="")
    told = SUFFIXES.get(suffix, Path(name).suffix)
    if told in formats:
        return told
    if Path(name).suffix in PLAIN_SUFFIXES:
        return None
    message = (
        f"'{path}': this command cannot write {told}, only {', '.join(formats)}; "
        f"for another format in a file of that name: --output {formats[0]}:{path}"
    )
    raise click.UsageError(message)


class Reports(NamedTuple):
    """The reports of a command."""

    targets: Sequence[tuple[str, str | None]]  # formats and files, None for standard output
    quiet: bool
    verbose: bool
    is_paged: bool  # whether a terminal shows long text in the user's pager

    @property
    def formats(self) -> set[str]:
        """The formats of all reports."""
        return {format_ for format_, _ in self.targets}

    @property
    def has_page(self) -> bool:
        """Whether a report is a single page, not a folder of pages."""
        return any(format_ == "html" and not (path and is_folder(path)) for format_, path in self.targets)

    def require(self, kind: str, what: str, *hint: str) -> None:
        """Refuse formats that have no function for a kind of result. ``what`` is reported in others.

        Raises:
            UsageError: there is such a format. The hint says what else to do.
        """
        for format_ in sorted(self.formats - RENDERERS[kind].keys()):
            known = f"{what} as {one_of(list(RENDERERS[kind]))}, not as {format_}"
            raise click.UsageError("; ".join([known, *hint]))

    def write(self, result: object, **given: Unpack[Given]) -> None:
        """Write a result to all targets, with what its functions need besides."""
        given["verbose"] = self.verbose
        for format_, path in self.targets:
            with reader_may_stop() if path in {None, "-"} else nullcontext():
                _write(result, format_, path, given, is_paged=self.is_paged)
            if path not in {None, "-"} and not self.quiet:
                is_judged = type(result).__name__ in VERDICTS
                said = rendered(result, "line", table=VERDICTS, **given) if is_judged else format_
                click.echo(f"{path} is written: {said}", err=True)


def _write(result: object, format_: str, path: str | None, given: Given, *, is_paged: bool) -> None:
    if format_ == "text":
        from eio_audit.report.text.console import Console

        def print_to(file: IO[str]) -> None:
            rendered(result, "text", Console(file, verbose=given["verbose"]), **given)

        if is_paged and path is None and sys.stdout.isatty():
            from eio_audit.cli.output import print_paged

            print_paged(print_to)
        else:
            write_text(print_to, path)
    elif path is not None and is_folder(path) and format_ in FOLDER_RENDERERS.get(type(result).__name__, ()):
        pages = rendered(result, format_, table=FOLDER_RENDERERS, **given)
        write_folder(path, ((name, encoded(page)) for name, page in pages), "writing pages")
    else:
        from eio_audit.report.text.progress import status

        with status("writing the page") if format_ == "html" else nullcontext():  # it takes longest
            report = rendered(result, format_, **given)
        pieces = [report] if isinstance(report, (bytes, str)) else report
        write_bytes(path, (piece if isinstance(piece, bytes) else encoded(piece) for piece in pieces))


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, and write reports only to files. The exit code is the result.",
)


def verbose_option(what: str = "Name every op, not only the worst.") -> Callable[[Any], Any]:
    """Return ``--verbose``; ``what`` is its help."""
    return click.option("-v", "--verbose", is_flag=True, help=what)


def _format_and_file(text: str, formats: Sequence[str]) -> tuple[str | None, str]:
    """Parse ``FORMAT:FILE`` or ``FILE``. A file name with a colon needs ``./NAME`` or a drive letter."""
    if not text:
        raise empty_path("--output")
    name, colon, file = text.partition(":")
    if not colon or len(name) == 1 or "/" in name or "\\" in name:
        return None, text
    if name not in formats:
        import difflib

        close = difflib.get_close_matches(name, formats, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(formats)}."
        raise click.BadParameter(f"{name!r} is not a format; {hint} For a file of that name: './{text}'")
    if not file:
        raise click.BadParameter(f"expected a file after {text!r}")
    return name, file


def _several_reports(
    formats: Sequence[str],
    format_: str,
    outputs: Sequence[tuple[str | None, str]],
    pager: bool,
    quiet: bool = False,
    verbose: bool = False,
) -> Reports:
    """Return the report on standard output, or in files instead, then the other reports."""
    source = click.get_current_context().get_parameter_source("format_")
    is_chosen = source is ParameterSource.COMMANDLINE
    instead: list[tuple[str, str | None]] = []
    for path in (path for name, path in outputs if name is None):
        told = None if is_chosen else format_by_suffix(path, formats)
        if instead and told is None:
            raise click.UsageError(f"a second file needs a format, as in --output {format_}:{path}")
        instead.append((told or format_, path))
    if len({path for _, path in outputs}) < len(outputs):
        raise click.UsageError("cannot write two reports to one file")
    main = instead or ([] if quiet else [(format_, None)])
    others = [(name, path) for name, path in outputs if name is not None]
    return Reports([*main, *others], quiet, verbose, pager)


def format_option(kind: str, what: str = "", where: str = "") -> Callable[[Any], Any]:
    """Return ``--format`` for a kind of result. Its help says what is written as text or json, and where."""
    formats = list(RENDERERS[kind])
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        metavar="FORMAT",
        default=formats[0],
        show_default=True,
        help=f"Write{f'{what} as' if what else ''} {one_of(formats)}{where}.",
    )


def report_options(kind: str, *options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return the options of a command that reports a kind of result. The command gets ``reports``."""
    formats = list(RENDERERS[kind])
    output_option = click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        type=lambda text: _format_and_file(text, formats),
        shell_complete=click.Path().shell_complete,
        metavar="[FORMAT:]FILE",
        help="Write the report to FILE instead of standard output. Without --format, the end of its name "
        "tells the format, as in report.json. With FORMAT, write an additional report in that format. May be "
        "repeated. Write ./NAME for a name with a colon."
        + (" html:DIR/ writes a page for each model." if kind in FOLDER_RENDERERS else ""),
    )
    pager_key = click.option("--pager", type=bool, default=True)
    make = functools.partial(_several_reports, formats)
    decorate = together("reports", make, format_option(kind), output_option, pager_key, *options)
    return lambda command: decorate(_annotating_errors(command))


def _annotating_errors(command: Command) -> Command:
    """With ``--format github``, also print a fatal error as an annotation."""

    @functools.wraps(command)
    def annotating(*args: Any, reports: Reports, **others: Any) -> Any:
        try:
            return command(*args, reports=reports, **others)
        except InputError as error:
            if ("github", None) in reports.targets:
                from eio_audit.report.ci import error_annotation

                click.echo(error_annotation(error))
            raise

    return cast(Command, annotating)
