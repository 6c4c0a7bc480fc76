"""Reads a page as a browser would build it, as far as the tests look."""

from __future__ import annotations

import base64
import json
import zlib
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br"}


class Page(HTMLParser):
    """The elements of a page, checked for nesting.

    Attributes:
        elements: (tag, attributes) in order of appearance.
        islands: the data for scripts, by id.
        scripts: the texts of the scripts that run.
        packed: the data that scripts unpack, by id.
        words: all text that is shown.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.islands: dict[str, Any] = {}
        self.scripts: list[str] = []
        self.packed: dict[str, Any] = {}
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        attributes = self.elements[-1][1] if self.elements else {}
        if inside == "script" and attributes.get("type") == "application/json":
            self.islands[attributes["id"] or ""] = json.loads(data)
        elif inside == "script" and attributes.get("type") == "text/plain":
            self.packed[attributes["id"] or ""] = json.loads(zlib.decompress(base64.b64decode(data)))
        elif inside == "script":
            self.scripts.append(data)
        elif inside != "style":
            self.words += data

    def attributes(self, name: str) -> list[str]:
        """The values of an attribute, wherever it occurs."""
        return [value for _, attributes in self.elements if (value := attributes.get(name)) is not None]

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def column(table: dict[str, Any], key: str) -> list[Any]:
    """The cells of a column of a table's data."""
    [found] = [column for column in table["columns"] if column["key"] == key]
    return [found["strings"][value] for value in found["values"]] if "strings" in found else found["values"]
