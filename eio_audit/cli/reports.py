"""The reports of a gate: one format each, to standard output and to files, as many as are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from eio_audit import Verdict, __version__
from eio_audit.cli.output import encoded, write_bytes, write_text

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from eio_audit import OrderPicture, WorstBlocks

FORMATS = ("text", "concise", "json", "jsonl", "markdown", "github", "sarif", "junit", "gitlab", "html")

Report = tuple[str, str | None]
"""A format and the file it goes to; None for standard output."""


class OutputType(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """``FILE``, or ``FORMAT:FILE``; a file whose name begins like that is ``./FORMAT:...``."""

    name = "[format:]file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str | None, str]:
        """The format, if one is named, and the file."""
        if isinstance(value, tuple):
            return value
        name, _, file = value.partition(":")
        if name not in FORMATS or not value.startswith(f"{name}:"):
            return None, value
        if not file:
            self.fail(f"{value!r} names no file", param, ctx)
        return name, file

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leaves the names of files to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


outputs_option = click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=OutputType(),
    metavar="[FORMAT:]FILE",
    help="Write the report to FILE instead of standard output; with FORMAT: in that format, besides "
    "what goes to standard output. May be repeated.",
)


def chosen_reports(
    format_: str, outputs: Sequence[tuple[str | None, str]], *, quiet: bool = False
) -> list[Report]:
    """What to write, standard output or its replacement first; ``quiet``: not to standard output."""
    instead = [path for name, path in outputs if name is None]
    paths = [path for _, path in outputs]
    if len(instead) > 1:
        raise click.UsageError(f"say which format each file has: --output {format_}:{instead[1]}")
    if len(set(paths)) < len(paths):
        raise click.UsageError("two reports cannot go to one file")
    main: list[Report] = [(format_, path) for path in instead]
    if not main and not quiet:
        main = [(format_, None)]
    return [*main, *((name, path) for name, path in outputs if name is not None)]


def list_findings(reports: Sequence[Report]) -> bool:
    """Whether any of the reports shows findings one by one; text tells of the order of blocks."""
    return any(format_ not in ("text", "html") for format_, _ in reports)


def picture_album(reports: Sequence[Report]) -> WorstBlocks | None:
    """What collects the blocks that a report shows op by op, if any does."""
    if all(format_ != "html" for format_, _ in reports):
        return None
    from eio_audit import WorstBlocks

    return WorstBlocks()


def write_report(
    verdict: Verdict, pictures: Sequence[OrderPicture], report: Report, *, verbose: bool
) -> None:
    """Writes one report."""
    format_, path = report
    if format_ == "html":
        from eio_audit.report.html import check_to_html

        write_bytes(encoded(check_to_html(verdict.check, pictures, __version__)), path)
        return
    if format_ != "text":
        write_bytes(encoded(rendered(verdict, format_, verbose=verbose)), path)
        return
    from eio_audit.report.text.check import print_check
    from eio_audit.report.text.console import make_console

    def print_to(file: Any) -> None:
        console = make_console(file)
        print_check(verdict.check, console, verbose=verbose)
        if verdict.gate.says_more or verdict.known is not None:
            from eio_audit.report.text.verdict_lines import print_verdict

            print_verdict(verdict, console, verbose=verbose)

    write_text(print_to, path)


def rendered(verdict: Verdict, format_: str, *, verbose: bool) -> str:
    """The text of a report in any format but text, which needs to know what it is printed on, and HTML."""
    match format_:
        case "concise":
            from eio_audit.report.ci.concise import to_concise

            return to_concise(verdict, verbose=verbose)
        case "json":
            from eio_audit.report.json import check_to_json

            return check_to_json(verdict)
        case "jsonl":
            from eio_audit.report.ci.jsonl import to_jsonl

            return to_jsonl(verdict)
        case "markdown":
            from eio_audit.report.markdown.check import to_markdown

            return to_markdown(verdict, verbose=verbose)
        case "github":
            from eio_audit.report.ci.github import to_github

            return to_github(verdict)
        case "sarif":
            from eio_audit.report.ci.sarif import to_sarif

            return to_sarif(verdict, __version__)
        case "junit":
            from eio_audit.report.ci.junit import to_junit

            return to_junit(verdict)
        case _:
            from eio_audit.report.ci.gitlab import to_gitlab

            return to_gitlab(verdict)
