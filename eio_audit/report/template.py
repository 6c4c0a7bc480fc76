"""Pages and pictures from the Jinja2 templates in ``html/templates``.

All text from dumps is escaped, including control characters. The data for scripts are most of a large page.
A template only has a mark for each, between two NUL characters, which no other text has: they are escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from eio_audit.mlir.printable import STEERING, printable, printable_lines
from eio_audit.report.wording import bisect, conclusion, diff, numbers, order, trace

if TYPE_CHECKING:
    from jinja2 import Environment

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_TAGGED = re.compile("[<>&]")
_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


BUFFERED = 1000
"""How many pieces of a template become one."""

_waiting: dict[int, Iterable[str]] = {}
"""By the number in its mark, the pieces of what a template leaves out. Each mark is filled once."""
_numbers = count()


def render(template: str, **context: object) -> str:
    """Return the rendered template. It can call the functions in the modules of ``wording``."""
    return "".join(render_pieces(template, **context))


def render_pieces(template: str, **context: object) -> Iterator[str]:
    """Yield the rendered template in pieces. Each is made when its turn comes."""
    stream = _environment().get_template(template).stream(context)
    stream.enable_buffering(BUFFERED)
    return (piece for text in stream for piece in _filled(text))


def _filled(text: str) -> Iterator[str]:
    """Yield a text with whole marks piece by piece, with what waits for the marks in their place."""
    for number, part in enumerate(text.split("\0")):
        if number % 2:
            yield from _waiting.pop(int(part))
        else:
            yield part


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
    environment.filters |= {
        "as_is": _as_is,
        "commas": "{:,}".format,
        "data": _data,
        "explained": _explained,
    }
    return environment


def _harmless(value: Any) -> Any:
    """Return the value as a template shows it: None is empty, control characters are escaped."""
    if value is None:
        return ""
    return printable_lines(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _explained(text: str) -> object:
    """Return the text with explanations of its glossary words."""
    macros: Any = _environment().get_template("parts.html").module
    return macros.explained(text)


def _as_is(pieces: Iterable[str]) -> str:
    """Return the mark, a ``safe`` one, of a text that needs no escapes, such as one in base64."""
    number = next(_numbers)
    _waiting[number] = pieces
    return f"\0{number}\0"


def _data(make: Callable[[], Mapping[str, object]]) -> str:
    """Return the mark of data for scripts: of JSON without tags and control characters."""
    return _as_is(_data_pieces(make))


def _data_pieces(make: Callable[[], Mapping[str, object]]) -> Iterator[str]:
    yield from map(_in_script, json_pieces(make()))


def _in_script(text: str) -> str:
    """Return JSON without tags and control characters."""
    text = text.translate(_UNSAFE_IN_SCRIPT) if _TAGGED.search(text) else text
    return text if text.isprintable() else re.sub(STEERING, lambda match: "\\" + printable(match[0]), text)


def json_pieces(members: Mapping[str, object], encode: Callable[[object], str] = _json) -> Iterator[str]:
    """Yield an object in JSON, member by member. An iterator is an array of objects, or the parts of one."""
    start = "{"
    for key, value in members.items():
        yield f"{start}{encode(key)}:"
        start = ","
        if isinstance(value, Iterator):
            yield from _array_pieces(value, encode)
        else:
            yield encode(value)
    yield "}" if members else "{}"


PART = 1000
"""How many entries of a long array become JSON at once."""


def array_parts(entries: Iterable[object]) -> Iterator[list[object]]:
    """Yield a long array part by part."""
    rest = iter(entries)
    while part := [*islice(rest, PART)]:
        yield part


def _array_pieces(
    parts: Iterator[Mapping[str, object] | Sequence[object]], encode: Callable[[object], str]
) -> Iterator[str]:
    start = "["
    for part in parts:
        yield start
        if isinstance(part, Mapping):
            yield from json_pieces(part, encode)
        else:
            yield encode(part)[1:-1]
        start = ","
    yield "[]" if start == "[" else "]"
