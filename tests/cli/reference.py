"""Makes the pages of docs/ that the program itself contains: ``python3 -m tests.cli.reference``.

docs/cli.md is made from the commands' help, docs/rules.md and docs/glossary.md are what ``eio-audit help`` prints from,
and the schema that ``eio-audit help json`` prints is made from the fields of the results. Numbers in the prose of all pages
come from the program, too (``FACTS``).
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import click

from tests.cli.json_schema import schema, text_of
from tests.internals import COMMANDS, cli
from tests.running.mutations import MUTATIONS

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "cli.md"
PAGES = DOCS.parent / "eio_audit" / "report" / "pages"
MADE_BY = "python3 -m tests.cli.reference"
INTRODUCTION = """# Command line

Which options does a command have? This page has the first sentence on each option; `eio-audit COMMAND --help` has all
of it, with examples. Exit code 0 means done, and 2 that the command could not run.
[Options and configuration](options.md) tells what the options on order count.
"""
COMMON = 4
"""An option that so many commands have, in the same words, is described once, below all commands."""
EVERYWHERE = ("0", "2")
"""The exit codes that mean the same in every command."""
Record = tuple[str, str]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?:=[a-z]+)?")
TERM = re.compile(r"  (?P<term>\S+)  +(?P<meaning>.*)")
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z-])")
AS_IT_IS = "\b\n"


def reference() -> str:
    """The page: the program, then each command."""
    contexts = [click.Context(cli, info_name="eio-audit", **cli.context_settings)]
    for name in COMMANDS:
        command = cli.get_command(contexts[0], name)
        assert command is not None
        contexts.append(click.Context(command, info_name=name, parent=contexts[0]))
    described = Counter(record for context in contexts for record in records(context))
    common = [record for record, count in described.items() if count >= COMMON]
    lines = [line for context in contexts for line in section(context, common)]
    lines += [
        "## Options of many commands\n",
        *map(row, sorted(common, key=by_name)),
    ]
    return INTRODUCTION + "".join(f"\n{line}" for line in lines) + "\n"


def records(context: click.Context) -> Iterator[Record]:
    """The names and the meaning of each option of a command."""
    for options in grouped_options(context.command, context).values():
        for option in options:
            if record := option.get_help_record(context):
                yield record


def by_name(record: Record) -> str:
    return record[0].rpartition("--")[2]


def row(record: Record) -> str:
    names, meaning = record
    said, _, default = meaning.partition("  [")
    first = SENTENCE_END.split(said)[0].rstrip(".")
    return wrapped(f"- `{names}`: {escaped(first + (f' ({default[:-1]})' if default else ''))}", "  ")


def wrapped(text: str, indent: str = "") -> str:
    """Prose in lines of at most 120 characters, the second and all others indented."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def section(context: click.Context, common: list[Record]) -> Iterator[str]:
    """The lines of one command. It only names the options that many commands have."""
    command = context.command
    yield f"## {context.command_path}\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    if not isinstance(command, click.Group):
        yield f"{wrapped(escaped(paragraphs(command.help)[0]))}\n"
    else:
        names = [name for name in command.list_commands(context) if not hidden(command, context, name)]
        yield wrapped(f"Commands: {', '.join(f'[{name}](#eio-audit-{name})' for name in names)}.") + "\n"
    shown = [*records(context)]
    if own := [record for record in shown if record not in common]:
        yield from map(row, own)
        yield ""
    if also := [
        f"`--{by_name(one).split()[0]}`" for one in shown if one in common and by_name(one) != "help"
    ]:
        yield wrapped(f"And, as [below](#options-of-many-commands), {', '.join(also)}.") + "\n"
    for paragraph in paragraphs(command.epilog):
        if isinstance(command, click.Group):
            yield block(paragraph)
        elif codes := exit_codes(paragraph):
            yield "\n".join([*codes, ""])


def hidden(group: click.Group, context: click.Context, name: str) -> bool:
    command = group.get_command(context, name)
    return command is None or command.hidden


def grouped_options(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """The options by the title of their group."""
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    return command.grouped_options(context) if hasattr(command, "grouped_options") else {"Options": options}


def paragraphs(text: str | None) -> list[str]:
    return inspect.cleandoc(text or "").split("\n\n")


def exit_codes(paragraph: str) -> list[str]:
    """The exit codes that the page does not tell for all commands, with their meaning."""
    text = " ".join(paragraph.removeprefix(AS_IT_IS).partition("\n")[2].split())
    codes = re.findall(r"(?:^| )(\d+) (.*?)(?= \d+ |$)", text)
    return [f"- exit code `{code}`: {meaning}" for code, meaning in codes if code not in EVERYWHERE]


def block(paragraph: str) -> str:
    """A paragraph that the help prints unchanged: a heading with a list of terms, or with lines for a shell."""
    title, *lines = paragraph.removeprefix(AS_IT_IS).rstrip().split("\n")
    if not TERM.fullmatch(lines[0]) or title == "Examples:":
        return f"{title}\n\n```sh\n{inspect.cleandoc(chr(10).join(lines))}\n```\n"
    rows: list[str] = []
    for line in lines:
        if match := TERM.fullmatch(line):
            rows.append(f"- `{match['term']}`: {escaped(match['meaning'])}")
        else:
            rows[-1] += " " + escaped(line.strip())
    return "\n".join([f"{title}\n", *rows, ""])


def escaped(text: str) -> str:
    """Prose for Markdown, with options set as code."""
    return OPTION.sub(r"`\g<0>`", re.sub(r"[\\*<>\[\]]", r"\\\g<0>", " ".join(text.split())))


def option_names() -> set[str]:
    """All options of all commands."""
    commands = [cli, *(cli.get_command(click.Context(cli), name) for name in COMMANDS)]
    return {name for command in commands if command for option in command.params for name in option.opts} | {
        "--help",
        "--version",
    }


def constant(module: str, name: str) -> str:
    """A number of the program."""
    return f"{getattr(import_module(f'eio_audit.{module}'), name):,.0f}"


def programs(folder: str) -> str:
    return str(len([*(DOCS.parent / "tests" / "data" / folder).glob("*.mlir")]))


def rows_of_the_op_table() -> str:
    table = json.loads((DOCS.parent / "eio_audit" / "mlir" / "op_traits.json").read_text("utf-8"))
    return f"{round(sum(map(len, table['ops'].values())), -2):,}"


FACTS: dict[str, Callable[[], str]] = {
    r"(?<=about )[\d,]+(?= (?:ops|rows))": rows_of_the_op_table,
    r"(?<=`tests/data/legal` has )\d+": lambda: programs("legal"),
    r"(?<=`tests/data/swaps` has )\d+": lambda: programs("swaps"),
    r"(?<=For each of the )\d+(?= rules)": lambda: str(len(MUTATIONS)),
    r"(?<=after N runs. The default is )[\d,]+": lambda: constant("audit.bisect.bisect", "MAX_RUNS"),
    r"(?<=`bisect` may run the compiler: )[\d,]+": lambda: constant("audit.bisect.bisect", "MAX_RUNS"),
    r"(?<=It is ended after )\d+": lambda: constant("audit.fix.verification", "DEFAULT_TIMEOUT"),
    r"(?<=`svg` \(at most )\d+": lambda: constant("cli.commands.graph", "DRAWN_OPS"),
    r"(?<=more than )[\d,]+(?= ops out of order)": lambda: constant("audit.log.followed_pairs", "MOST_OPS"),
    r"(?<=Of up to )\d+(?= changes)": lambda: constant("audit.diff.advice", "MOST_TRIED"),
    r"(?<=may use, at most )\d+": lambda: constant("audit.corpus.workers", "MOST_JOBS"),
    r"(?<=the worst )\d+(?=, on a terminal)": lambda: constant("report.text.document", "SHOWN"),
    r"(?<=, on a terminal )\d+": lambda: constant("report.text.document", "SHOWN_ON_TERMINAL"),
    r"(?<=the worst )\d+(?=, `--verbose` for all)": lambda: constant(
        "report.wording.order", "SHOWN_FINDINGS"
    ),
    r"(?<=the worst )\d+(?=, as many as GitHub)": lambda: constant("report.ci", "SHOWN_ANNOTATIONS"),
    r"(?<=with one dump \| the worst )[\d,]+": lambda: constant("report.ci", "MOST_RESULTS"),
    r"(?<=in a browser \| the worst )\d+": lambda: constant("report.html.order_section", "SHOWN_FINDINGS"),
}
"""By where it stands, a number of the documentation, which the program or its tests tell."""


def anywhere(pattern: str) -> str:
    """The pattern of a place that may go over the end of a line."""
    return pattern.replace(" ", r"\s")


def with_facts(text: str) -> str:
    """A page with the numbers of the program."""
    for pattern, value in FACTS.items():
        text = re.sub(anywhere(pattern), value(), text)
    return text


def pages() -> dict[Path, str]:
    """What each page holds."""
    own = {page: with_facts(page.read_text()) for page in [*DOCS.rglob("*.md"), *PAGES.glob("*.md")]}
    copies = {DOCS / page.name: text for page, text in own.items() if page.parent == PAGES}
    return {**own, PAGE: reference(), PAGES / "schema.json": text_of(schema()), **copies}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
