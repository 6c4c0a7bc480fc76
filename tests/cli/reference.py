"""Makes the pages of docs/ that the program itself contains: ``python3 -m tests.cli.reference``.

docs/cli.md is made from the commands' help, docs/rules.md and docs/glossary.md are what ``eio-audit help`` prints from.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from tests.internals import COMMANDS, PAGES, GroupedCommand, cli

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "cli.md"
MADE_BY = "python3 -m tests.cli.reference"
INTRODUCTION = f"""# Command line

The `--help` of each command; `{MADE_BY}` makes this page from it. See also the
[options that change what is counted](options.md), [configuration files](configuration.md), [JSON output](json.md) and the
[Python API](python.md). The files in the examples stand for yours.
"""
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
    return INTRODUCTION + "".join(f"\n{line}" for context in contexts for line in section(context))


def section(context: click.Context) -> Iterator[str]:
    """The lines of one command."""
    command = context.command
    yield f"## {context.command_path}\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    for paragraph in paragraphs(command.help):
        yield (block(paragraph) if paragraph.startswith(AS_IT_IS) else f"{escaped(paragraph)}\n")
    if isinstance(command, click.Group):
        yield "| command | what it does |\n|---|---|"
        for name in command.list_commands(context):
            listed = command.get_command(context, name)
            assert listed is not None
            if listed.hidden:
                continue
            yield f"| [{name}](#eio-audit-{name}) | {listed.get_short_help_str(limit=200)} |"
        yield ""
    for title, options in grouped_options(command, context).items():
        yield f"| {title.lower()} | meaning |\n|---|---|"
        for option in options:
            if record := option.get_help_record(context):
                names, meaning = record
                yield f"| `{names.replace('|', chr(92) + '|')}` | {escaped(meaning)} |"
        yield ""
    for paragraph in paragraphs(command.epilog):
        yield block(paragraph)


def grouped_options(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """The options by the title of their group."""
    if isinstance(command, GroupedCommand):
        return command.grouped_options(context)
    return {"Options": [option for option in command.get_params(context) if isinstance(option, click.Option)]}


def paragraphs(text: str | None) -> list[str]:
    return inspect.cleandoc(text or "").split("\n\n")


def block(paragraph: str) -> str:
    """A paragraph that the help prints unchanged: a heading with a table of terms, or with lines for a shell."""
    title, *lines = paragraph.removeprefix(AS_IT_IS).rstrip().split("\n")
    if not TERM.fullmatch(lines[0]) or title == "Examples:":
        return f"{title}\n\n```sh\n{inspect.cleandoc(chr(10).join(lines))}\n```\n"
    rows: list[str] = []
    for line in lines:
        if match := TERM.fullmatch(line):
            rows.append(f"| `{match['term']}` | {escaped(match['meaning'])}")
        else:
            rows[-1] += " " + escaped(line.strip())
    return f"| {title.lower().removesuffix(':')} | meaning |\n|---|---|\n" + "".join(
        f"{row} |\n" for row in rows
    )


def escaped(text: str) -> str:
    """Prose for Markdown, with options set as code."""
    return OPTION.sub(r"`\g<0>`", re.sub(r"[\\|*<>\[\]]", r"\\\g<0>", " ".join(text.split())))


def pages() -> dict[Path, str]:
    """What each page holds."""
    return {PAGE: reference(), **{DOCS / page.name: page.read_text() for page in sorted(PAGES.glob("*.md"))}}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
