"""An op's own text in a form that two dumps can compare: no value names, aliases, locations or layout.

Generic assembly shows where attributes and types are. Custom assembly does not: only the types can be
recognized, by their spelling. ``OpText`` keeps the two forms apart, so that a changed printing form is never
taken for a changed op.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Inexact, InvalidOperation
from functools import cached_property

from eio_audit.mlir.aliases import AliasTexts, shortened
from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import ALIAS_NAME, STRING, closing_end, generic_attributes, outermost_brackets

LONGEST_NUMBER = 4000
"""The most digits of a number. Python refuses to parse an int of more than 4,300."""

LONGEST_EXPONENT = 20
"""The largest exponent for which a number is written without one."""

_EXACT = Context(prec=LONGEST_NUMBER, traps=[Inexact, InvalidOperation])

_TOKEN = re.compile(
    rb"(?P<string>" + STRING + rb")|(?P<comment>//[^\n]*+)|(?P<location>\bloc\s*+\()"
    rb"|(?P<value>%[\w$.-]++(?:#\d++)?)|(?P<block>\^[\w$.-]++)|(?P<alias>" + ALIAS_NAME + rb"(?!<))"
    rb"|(?P<space>\s++)|(?<![\w$.])(?P<float>[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?)"
)
_VALUE = re.compile(rb"%[\w$.-]++(?:#\d++)?")
_TYPE = re.compile(
    STRING + rb"|(?<![\w$.@#%!])(?P<type>![A-Za-z_][\w$.]*+(?P<dialect_open><)?"
    rb"|(?:tensor|vector|memref|complex|tuple)(?P<open><)|(?:[su]?i[0-9]++|b?f[0-9]\w*+|tf32|index|none)(?![\w$.<]))"
)
_LITERAL = re.compile(
    rb"(?P<symbol>@(?:[\w$.-]++|" + STRING + rb"))|(?P<string>" + STRING + rb")"
    rb'|(?<![\w$.@#%!"])(?P<number>-?(?:0x[0-9A-Fa-f]++|[0-9]++(?:\.[0-9]*+(?:[eE][+-]?[0-9]++)?)?))'
)
_BLANKS = re.compile(rb"(?P<string>" + STRING + rb")|\s++")
_LONE_RESULT = re.compile(rb"-> \(((?:<[^<>\"]*>|[^(),<>\"]++)++)\)")
"""``-> (type)``. For a function this is the same as ``-> type``."""
_BEFORE_ATTRIBUTES = (b"=", b"[", b",", b"<", b"{")
_REPLACEMENTS = {"value": b"%", "block": b"^", "space": b" ", "comment": b""}


@dataclass(frozen=True)
class OpText:
    """The text of one op without its regions and its location.

    Attributes:
        text: the op without the names of its results. Values are ``%``, successors ``^``, white space is one
            blank, and aliases are expanded.
        is_generic: whether the op is in generic form.
        is_plain: whether the op has no regions and defines no symbol. The custom form of such an op names no
            type, symbol or number that the generic form lacks.
    """

    text: bytes
    is_generic: bool
    is_plain: bool

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Attributes and properties by name. In custom form, all text except types, under the name ``""``."""
        return dict(self._parsed[0]) if self.is_generic else {"": _text(self._without_types[0])}

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types of operands and results. In custom form, the types in the text, in order."""
        return tuple(map(_text, _types_of(self._parsed[1])[1] if self.is_generic else self._without_types[1]))

    @cached_property
    def signature(self) -> str:
        """The op's type, ``(...) -> ...``. In custom form, the types in the text."""
        return _text(self._parsed[1]) if self.is_generic else ", ".join(self.types)

    def differs_from(self, other: OpText) -> tuple[str, ...]:
        """Return which of ``attributes`` and ``types`` are proven to differ.

        Between a generic and a custom text, this is only what the custom text has and the generic text lacks:
        a type, a symbol or a number.
        """
        if self.text == other.text:
            return ()
        if self.is_generic == other.is_generic:
            kinds = {
                "attributes": self.attributes != other.attributes,
                "types": self.signature != other.signature,
            }
        elif self.is_plain and other.is_plain:
            generic, custom = (self, other) if self.is_generic else (other, self)
            named = {literal for literal in custom.literals if not isinstance(literal, bytes)}
            kinds = {
                "attributes": not named <= generic.literals | {_symbol(text) for text in generic.literals},
                "types": not set(custom.types) <= set(generic._all_types),
            }
        else:
            kinds = {}
        return tuple(kind for kind, differs in kinds.items() if differs)

    @cached_property
    def literals(self) -> frozenset[object]:
        """The literals that distinguish constants in either form: numbers, symbols and, as bytes, strings."""
        rest = b" ".join(value.encode() for value in self.attributes.values())
        return _literals(_types_of(rest)[0])

    @cached_property
    def _all_types(self) -> list[str]:
        return list(map(_text, _types_of(self.text)[1]))

    @cached_property
    def _without_types(self) -> tuple[bytes, list[bytes]]:
        return _types_of(self.text)

    @cached_property
    def _parsed(self) -> tuple[list[tuple[str, str]], bytes]:
        *_, (start, _, last) = [(0, 0, b""), *outermost_brackets(self.text)]
        entries = [(_text(name), _text(value)) for name, value in generic_attributes(self.text)]
        return entries, self.text[start + 1 :].strip() if last == b":" else b""


class OpTexts:
    """The comparable texts of one dump's ops. Ops that differ only in value names share one."""

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._aliases = AliasTexts(ir.definition, _finished)
        self._known: dict[tuple[int, bytes], OpText] = {}

    def of(self, op: int) -> OpText:
        """Return the comparable text of one op."""
        ir = self._ir
        bare = _bare(ir, op)
        if op in ir.regions_of or not _has_percents_in_values_only(bare):
            return self._made(op, bare)
        key = ir.op_name[op], _VALUE.sub(b"%", bare)
        if key not in self._known:
            self._known[key] = self._made(op, bare)
        return self._known[key]

    def _made(self, op: int, bare: bytes) -> OpText:
        ir = self._ir
        flags = ir.op_table.flags(ir.name(op))
        is_plain = op not in ir.regions_of and not flags & {"function", "symbol"}
        text = self.comparable(bare)
        if "function" in flags and not ir.op_is_generic[op]:
            text = _LONE_RESULT.sub(rb"-> \1", text)
        return OpText(text, bool(ir.op_is_generic[op]), is_plain)

    def comparable(self, text: bytes, *, keeps_names: bool = False) -> bytes:
        """Return a part of a text without locations, aliases, layout, and names of values and blocks."""
        if b"loc" in text:
            text = _without_locations(text)
        return _TOKEN.sub(self._but_for_names if keeps_names else self._replacement, text).strip()

    def _but_for_names(self, match: re.Match[bytes]) -> bytes:
        return match[0] if match.lastgroup in ("value", "block") else self._replacement(match)

    def _replacement(self, match: re.Match[bytes]) -> bytes:
        kind = match.lastgroup or ""
        if kind == "alias" and (span := self._ir.aliases.get(match[0])) is not None:
            is_location = self._ir.source.data[max(0, span.start - 4) : span.start] == b"loc("
            text = self._aliases.of(match[0])
            return b"loc(%b)" % text if is_location else text
        return _plain_float(match[0]) if kind == "float" else _REPLACEMENTS.get(kind, match[0])


def _plain_float(number: bytes) -> bytes:
    """Return ``1.0`` for ``1.000000e+00``: one text for each decimal number."""
    try:
        value = _EXACT.create_decimal(number.decode()).normalize(_EXACT)
    except ArithmeticError:  # too many digits, or too large an exponent
        return number
    text = f"{value:f}" if -LONGEST_EXPONENT < value.adjusted() < LONGEST_EXPONENT else str(value)
    return (text if "." in text or "E" in text else f"{text}.0").encode()


def _finished(alias: bytes, value: bytes) -> bytes:
    return shortened(alias, _BLANKS.sub(lambda match: match["string"] or b" ", value.strip()))


def _bare(ir: IR, op: int) -> bytes:
    text = ir.bare_text(op)
    return text.partition(b"=")[2] if text.startswith(b"%") else text


def _has_percents_in_values_only(text: bytes) -> bool:
    """Whether every ``%`` begins the name of a value. False if a quick check does not show it."""
    return b"\\" not in text and b"//" not in text and b"%" not in b"".join(text.split(b'"')[1::2])


def _without_locations(text: bytes) -> bytes:
    """Return the text without ``loc(...)`` after arguments in custom assembly. Location attributes stay."""
    pieces, done, offset = [], 0, 0
    while match := _TOKEN.search(text, offset):
        offset = match.end()
        if match.lastgroup != "location" or text[: match.start()].rstrip()[-1:] in _BEFORE_ATTRIBUTES:
            continue
        pieces.append(text[done : match.start()].rstrip())
        done = offset = closing_end(text, offset - 1)
    pieces.append(text[done:])
    return b"".join(pieces)


def _types_of(text: bytes) -> tuple[bytes, list[bytes]]:
    """Return a text without the types in it, and these types in order."""
    pieces, types, done, offset = [], [], 0, 0
    while match := _TYPE.search(text, offset):
        offset = match.end()
        if match["type"] is None:
            continue
        if match["open"] or match["dialect_open"]:
            offset = closing_end(text, match.end() - 1)
        pieces.append(text[done : match.start()])
        types.append(text[match.start() : offset])
        done = offset
    pieces.append(text[done:])
    return b"!".join(pieces), types


def _literals(text: bytes) -> frozenset[object]:
    found: set[object] = set()
    for match in _LITERAL.finditer(text):
        if match["number"] is not None:
            found.add(_number(match["number"]))
        elif match["symbol"] is not None:
            found.add(_symbol(match["symbol"]))
        else:
            found.add(match["string"])
    return frozenset(found)


def _number(text: bytes) -> float | int | str:
    """Return the number, so that ``1.0`` equals ``1.000000e+00``. A very long or hex number stays text."""
    if b"x" in text or len(text) > LONGEST_NUMBER:
        return _text(text)
    return float(text) if b"." in text else int(text)


def _symbol(literal: object) -> str | None:
    """Return the symbol of a literal, also of a string that defines one. None for a number."""
    if isinstance(literal, str):
        return literal
    return "@" + _text(literal.strip(b'@"')) if isinstance(literal, bytes) else None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
