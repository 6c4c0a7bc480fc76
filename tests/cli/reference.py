"""Makes the pages of docs/ that the program itself contains: ``python3 -m tests.cli.reference``.

docs/cli.md is made from the commands' help, docs/rules.md and docs/glossary.md are what ``eio-audit help`` prints from,
and the schema that ``eio-audit help json`` prints is made from the fields of the results.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import click

from tests.cli.json_schema import schema, text_of
from tests.internals import COMMANDS, cli

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "cli.md"
PAGES = DOCS.parent / "eio_audit" / "report" / "pages"
MADE_BY = "python3 -m tests.cli.reference"
INTRODUCTION = f"""# Command line

Which options does a command have? This page is the `--help` of each command; `{MADE_BY}` makes it. Exit code 0 means done, and 2 that the command could not run. [Options and configuration](options.md) tells what the options on order count, and
[JSON output](json.md) what `--format json` writes.
"""
COMMON = 4
"""An option that so many commands have, in the same words, is described once, below all commands."""
EVERYWHERE = ("0", "2")
"""The exit codes that mean the same in every command."""
Record = tuple[str, str]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?:=[a-z]+)?")
TERM = re.compile(r"  (?P<term>\S+)  +(?P<meaning>.*)")
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
    return f"- `{names}`: {escaped(meaning)}"


def section(context: click.Context, common: list[Record]) -> Iterator[str]:
    """The lines of one command. It only names the options that many commands have."""
    command = context.command
    yield f"## {context.command_path}\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    for paragraph in paragraphs(command.help):
        yield (block(paragraph) if paragraph.startswith(AS_IT_IS) else f"{escaped(paragraph)}\n")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            listed = command.get_command(context, name)
            assert listed is not None
            if listed.hidden:
                continue
            yield f"- [{name}](#eio-audit-{name}): {listed.get_short_help_str(limit=200)}"
        yield ""
    for title, options in grouped_options(command, context).items():
        shown = [record for option in options if (record := option.get_help_record(context))]
        if own := [record for record in shown if record not in common]:
            yield f"{title}:\n"
            yield from map(row, own)
            yield ""
    if also := [
        f"`--{by_name(record).split()[0]}`"
        for record in records(context)
        if record in common and by_name(record) != "help"
    ]:
        yield f"And, as [below](#options-of-many-commands), {', '.join(also)}.\n"
    for paragraph in paragraphs(command.epilog):
        yield block(paragraph, told=() if isinstance(command, click.Group) else EVERYWHERE)


def grouped_options(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """The options by the title of their group."""
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    return command.grouped_options(context) if hasattr(command, "grouped_options") else {"Options": options}


def paragraphs(text: str | None) -> list[str]:
    return inspect.cleandoc(text or "").split("\n\n")


def block(paragraph: str, *, told: Collection[str] = ()) -> str:
    """A paragraph that the help prints unchanged: a heading with a list of terms, or with lines for a shell.

    Terms that are told elsewhere are left out.
    """
    title, *lines = paragraph.removeprefix(AS_IT_IS).rstrip().split("\n")
    if not TERM.fullmatch(lines[0]) or title == "Examples:":
        return f"{title}\n\n```sh\n{inspect.cleandoc(chr(10).join(lines))}\n```\n"
    rows: list[str] = []
    for line in lines:
        if match := TERM.fullmatch(line):
            rows.append(f"- `{match['term']}`: {escaped(match['meaning'])}")
        else:
            rows[-1] += " " + escaped(line.strip())
    shown = [row for row in rows if row.split("`")[1] not in told]
    return "\n".join([f"{title}\n", *shown, ""]) if shown else ""


def escaped(text: str) -> str:
    """Prose for Markdown, with options set as code."""
    return OPTION.sub(r"`\g<0>`", re.sub(r"[\\*<>\[\]]", r"\\\g<0>", " ".join(text.split())))


def pages() -> dict[Path, str]:
    """What each page holds."""
    copies = {DOCS / page.name: page.read_text() for page in sorted(PAGES.glob("*.md"))}
    return {PAGE: reference(), PAGES / "schema.json": text_of(schema()), **copies}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
