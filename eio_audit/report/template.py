"""Pages and pictures from the Jinja2 templates in ``html/templates``.

All text from dumps is escaped, including control characters, in the data for scripts, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from eio_audit.mlir.source import STEERING, printable, printable_lines
from eio_audit.report.wording import bisect, conclusion, diff, numbers, order, trace

if TYPE_CHECKING:
    from jinja2 import Environment

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(template: str, **context: object) -> str:
    """Return the rendered template. It can call the functions in the modules of ``wording``."""
    return _environment().get_template(template).render(context)


@cache
def text_of(name: str) -> str:
    """Return the text of a style or script file."""
    return files("eio_audit.report.html").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("eio_audit.report.html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_harmless,
    )
    from eio_audit.report import manual

    wording = (bisect, conclusion, diff, numbers, order, manual, trace)
    environment.globals |= {module.__name__.rpartition(".")[2]: module for module in wording}
    environment.filters |= {"commas": "{:,}".format, "data": _data, "explained": _explained}
    return environment


def _harmless(value: Any) -> Any:
    """Return the value as a template shows it: None is empty, control characters are escaped."""
    if value is None:
        return ""
    return printable_lines(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _explained(text: str) -> object:
    macros: Any = _environment().get_template("parts.html").module
    return macros.explained(text)


def _data(members: Mapping[str, object]) -> str:
    text = _json(members).translate(_UNSAFE_IN_SCRIPT)
    return text if text.isprintable() else re.sub(STEERING, lambda match: "\\" + printable(match[0]), text)
