"""Plain locations: a name or a place in a file, and the names around it. Their text tells all about them."""

from __future__ import annotations

import re

from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import OR_FAIL

PLAIN = re.compile(rb'((?:"[^"\\\n]*+"\(' + OR_FAIL + rb')*+)"[^"\\\n]*+"(?::[0-9]++:[0-9]++)?(\)*+)')
"""A plain location, if as many brackets close as open. Two such texts are equal if the locations are."""
_ALIAS_INSIDE = re.compile(rb"(#[\w$-]++)\)++\Z")

MOST_NAMES = 8
"""The most names around each other in a plain location."""


def plain_text(ir: IR, text: bytes) -> bytes | None:
    """Return the text of a location of a dump without aliases, if it is plain; None for any other."""
    for _ in range(MOST_NAMES):
        alias = _ALIAS_INSIDE.match(text, text.rfind(b"(#") + 1)
        if alias is None:
            break
        text = text[: alias.start()] + (ir.definition(alias[1]) or b"?") + text[alias.end(1) :]
    match = PLAIN.fullmatch(text)
    is_plain = match is not None and match[1].count(b'"') == 2 * len(match[2]) < 2 * MOST_NAMES
    return text if is_plain else None


def names_and_place(plain: bytes) -> tuple[list[bytes], bytes]:
    """Return the names in a plain location, the outermost first, and the place in a file, or nothing.

    >>> names_and_place(b'"a"("b"("f.py":1:2))')
    ([b'a', b'b'], b'"f.py":1:2')
    """
    parts = plain.rstrip(b")").split(b'"')
    names = parts[1::2]
    return (names, b"") if not parts[-1] else (names[:-1], b'"%b"%b' % (names[-1], parts[-1]))


def extends_child(plain: bytes) -> bool:
    """Return whether the name of a plain location extends its child's name: ``"X_tm0"("X")``."""
    match names_and_place(plain):
        case [name, child, *_], _:
            return len(name) > len(child) and name.startswith(child)
    return False
