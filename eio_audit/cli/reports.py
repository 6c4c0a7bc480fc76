"""The reports of all commands: the function that makes each format, and where a report goes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from eio_audit import Verdict, __version__
from eio_audit.cli.options import PATH, Command, together
from eio_audit.cli.output import encoded, write_bytes, write_text

if TYPE_CHECKING:
    from eio_audit import OrderPicture

RENDERERS = {
    "Verdict": {
        "text": "text.check:print_check",
        "concise": "ci.concise:to_concise",
        "json": "json:check_to_json",
        "jsonl": "json:to_jsonl",
        "markdown": "markdown.check:to_markdown",
        "github": "ci.github:to_github",
        "sarif": "ci.sarif:to_sarif",
        "junit": "ci.junit:to_junit",
        "gitlab": "ci.gitlab:to_gitlab",
        "html": "html.pages:check_to_html",
    },
    "Diff": {
        "text": "text.diff:print_diff",
        "json": "json:diff_to_json",
        "markdown": "markdown.diff:diff_to_markdown",
        "html": "html.pages:diff_to_html",
    },
    "Trace": {
        "text": "text.trace:print_trace",
        "json": "json:trace_to_json",
        "html": "html.pages:trace_to_html",
    },
    "RunComparison": {"text": "text.two_runs:print_two_runs", "json": "json:two_runs_to_json"},
    "Structure": {
        "text": "text.structure:print_structure",
        "json": "json:structure_to_json",
        "html": "html.pages:structure_to_html",
    },
    "Explanation": {"text": "text.explain:print_explanation", "json": "json:explanation_to_json"},
    "Dataflow": {
        "dot": "graph:dataflow_to_dot",
        "graphml": "graph:dataflow_to_graphml",
        "json": "graph:dataflow_to_json",
        "svg": "pictures.dataflow_svg:dataflow_to_svg",
    },
}
"""For each kind of result and each of its formats the function in the room report: ``module:name``."""

FORMATS = tuple(RENDERERS["Verdict"])
"""The formats of ``check``."""


def renderer(kind: str, format_: str) -> Callable[..., Any]:
    """The function that makes a format of a kind of result; its module is imported now."""
    module, _, name = RENDERERS[kind][format_].partition(":")
    function: Callable[..., Any] = getattr(import_module(f"eio_audit.report.{module}"), name)
    return function


def rendered(result: object, format_: str, **options: Any) -> Any:
    """A result in a format other than text, which depends on what it is printed on.

    Of the ``options``, ``verbose`` and ``pictures``, a function gets those that it has parameters for, and
    ``version``, the program's.
    """
    render = renderer(type(result).__name__, format_)
    options["version"] = __version__
    wanted = inspect.signature(render).parameters
    subject = result.check if isinstance(result, Verdict) and "check" in wanted else result
    return render(subject, **{name: value for name, value in options.items() if name in wanted})


class Reports(NamedTuple):
    """The reports of a command: ``targets`` has the format and the file of each, None for standard output."""

    targets: Sequence[tuple[str, str | None]]
    quiet: bool
    verbose: bool

    @property
    def formats(self) -> set[str]:
        """The formats of all reports."""
        return {format_ for format_, _ in self.targets}

    @property
    def measures_memory(self) -> bool:
        """Whether a report shows the memory that a block needs."""
        return self.verbose or bool(self.formats & {"json", "html"})

    def write(self, result: object, pictures: Sequence[OrderPicture] = ()) -> None:
        """Writes a result in all of them."""
        for format_, path in self.targets:
            if format_ == "text":
                write_text(partial(self._print, result), path)
                continue
            report = rendered(result, format_, verbose=self.verbose, pictures=pictures)
            write_bytes(path, report if isinstance(report, bytes) else encoded(report))

    def _print(self, result: object, file: IO[str]) -> None:
        from eio_audit.report.text.console import Console

        console = Console(file)
        subject = result.check if isinstance(result, Verdict) else result
        renderer(type(result).__name__, "text")(subject, console, verbose=self.verbose)
        if isinstance(result, Verdict) and (result.gate.says_more or result.known is not None):
            from eio_audit.report.text.verdict_lines import print_verdict

            print_verdict(result, console, verbose=self.verbose)


def format_option(kind: str) -> Callable[[Command], Command]:
    """``--format`` with the formats of a kind of result; the first is the default."""
    formats = list(RENDERERS[kind])
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, and write a report only to a FILE. The exit code tells the result.",
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Name every op instead of the worst.")


def _one_report(format_: str, output: str | None, quiet: bool = False, verbose: bool = False) -> Reports:
    targets = [] if quiet and output is None else [(format_, output)]
    return Reports(targets, quiet, verbose)


def report_options(kind: str, *options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """The options of a command that writes one report of a kind of result; the command gets ``reports``."""
    output_option = click.option(
        "-o",
        "--output",
        type=PATH,
        metavar="FILE",
        help="Write the report to FILE instead of standard output.",
    )
    return together("reports", _one_report, format_option(kind), output_option, *options)


def _format_and_file(text: str) -> tuple[str | None, str]:
    """``FILE`` or ``FORMAT:FILE``; a file whose name begins like that is ``./FORMAT:...``."""
    name, colon, file = text.partition(":")
    if name not in FORMATS or not colon:
        return None, text
    if not file:
        raise click.BadParameter(f"{text!r} names no file")
    return name, file


def _several_reports(
    format_: str, outputs: Sequence[tuple[str | None, str]], quiet: bool, verbose: bool
) -> Reports:
    """The report on standard output, or the file instead of it, then the others."""
    instead = [path for name, path in outputs if name is None]
    if len(instead) > 1:
        raise click.UsageError(f"say which format each file has: --output {format_}:{instead[1]}")
    if len({path for _, path in outputs}) < len(outputs):
        raise click.UsageError("two reports cannot go to one file")
    main = _one_report(format_, instead[0] if instead else None, quiet)
    others = [(name, path) for name, path in outputs if name is not None]
    return Reports([*main.targets, *others], quiet, verbose)


gate_report_options = together(
    "reports",
    _several_reports,
    format_option("Verdict"),
    click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        type=_format_and_file,
        shell_complete=click.Path().shell_complete,
        metavar="[FORMAT:]FILE",
        help="Write the report to FILE instead of standard output. With FORMAT: write one more report, in "
        "that format, to FILE. May be repeated.",
    ),
    quiet_option,
    verbose_option,
)
