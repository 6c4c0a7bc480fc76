"""Rules and words of the manual as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from eio_audit.report.manual import Entry
from eio_audit.report.text.console import Console, Piece, plain
from eio_audit.report.text.table import Column, print_table

_CODE_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`|\*(?P<italic>[^*\s][^*]*)\*|\[[^\]]*\]\((?P<page>[^)]+)\)"
)
_STYLES = {"bold": "bold", "code": "cyan", "italic": "italic"}


def print_entries(entries: Sequence[Entry], console: Console) -> None:
    """Print the full text of rules or words."""
    for number, entry in enumerate(entries):
        if number:
            console.print()
        console.print((entry.names[0], "bold"), *(f", {name}" for name in entry.names[1:]))
        for part_number, part in enumerate(_CODE_BLOCK.split(entry.text)):
            if part_number % 2:
                console.print()
                for line in part.splitlines():
                    console.print_plain(line)
                continue
            for paragraph in filter(None, part.strip().split("\n\n")):
                console.print()
                console.print(*_pieces(" ".join(paragraph.split())))


def print_list(entries: Sequence[Entry], console: Console) -> None:
    """Print a line for each rule and word."""
    for section, members in groupby(entries, lambda entry: entry.section):
        console.print((section, "bold"))
        rows = [(", ".join(entry.names), "".join(map(plain, _pieces(entry.summary)))) for entry in members]
        names, summaries = zip(*rows, strict=True)
        print_table(console, [Column("", names), Column("", summaries)], indent=2)
        console.print()
    console.print("Run eio-audit rule NAME to read about one.")


def _pieces(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    offset = 0
    for match in _MARKUP.finditer(text):
        kind = str(match.lastgroup)
        shown = match[kind]
        pieces += [
            text[offset : match.start()],
            (shown, _STYLES[kind]) if kind in _STYLES else f"docs/{shown}",
        ]
        offset = match.end()
    return [*pieces, text[offset:]]
