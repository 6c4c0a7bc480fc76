"""Constants of many numbers."""

from __future__ import annotations

import re

from eio_audit.mlir.pattern import pattern

_DENSE = pattern(rb"dense(?:_resource)?<.*>\s*:\s*(?P<type>(?:tensor|vector|memref)<.*>)", re.DOTALL)
_FLOATS = pattern(rb"[<x](?:b?f\d|tf32)")
_FIRST = pattern(rb"dense<[\[\s]*([^\[\]\s,<>\"]+)")


def splat_of(value: bytes) -> bytes | None:
    """Return a constant of the same type with one number only; None for what is no such constant.

    >>> splat_of(b"dense<[1, 2]> : tensor<2xi32>")
    b'dense<1> : tensor<2xi32>'
    """
    match = _DENSE.fullmatch(value)
    if match is None:
        return None
    first = _FIRST.match(value)
    zero = b"0.0" if _FLOATS.search(match["type"]) else b"0"
    return b"dense<%s> : %s" % (zero if first is None else first[1], match["type"])
