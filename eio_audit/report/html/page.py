"""A self-contained page: its frame, its style and its script, nothing that is fetched from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from string import Template

from eio_audit.mlir.printable import STEERING, printable, printable_lines
from eio_audit.report.pictures.dataflow_svg import DATAFLOW_CSS
from eio_audit.report.pictures.structure_svg import STRUCTURE_CSS

_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page(title: str, version: str, sections: Iterable[str]) -> str:
    """The whole page.

    Args:
        title: what it is about, as plain text.
        version: of the program.
        sections: HTML.
    """
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template(_part("page.html")).substitute(
        title=escaped(title),
        version=escaped(version),
        script_hash=f"sha256-{digest}",
        style=_part("page.css") + DATAFLOW_CSS + STRUCTURE_CSS,
        body="\n".join(sections),
        script=script,
    )


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def escaped(text: str) -> str:
    """Text as it stands in an element or in a quoted attribute."""
    return html.escape(printable_lines(text))


def island(name: str, data: Mapping[str, object]) -> str:
    """Data for the scripts: JSON that can hold no tag."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE_IN_SCRIPT)
    text = STEERING.sub(lambda match: "\\" + printable(match[0]), text)  # to the script it is written out
    return f'<script type="application/json" id="{name}">{text}</script>'
