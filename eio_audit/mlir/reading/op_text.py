"""An op's own text in a form that two dumps can compare: no value names, aliases, locations or layout.

Generic assembly shows where attributes and types are. Custom assembly does not: only the types can be
recognized, by their spelling. ``OpText`` keeps the two forms apart, so that a changed printing form is never
taken for a changed op.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Inexact, InvalidOperation
from functools import cached_property, lru_cache, partial
from typing import TypeAlias

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import argument_locations
from eio_audit.mlir.source import Span, decoded, splice
from eio_audit.mlir.tokens import (
    ALIAS_NAME,
    ALIAS_USE,
    COMMENT,
    LONGEST_EXPANSION,
    STRING,
    SYMBOL,
    VALUE,
    AliasTexts,
    closing_end,
    dialect_bodies,
    generic_attributes,
    outermost_brackets,
    symbol_of,
)
from eio_audit.mlir.traits import listed_dialects

LONGEST_NUMBER = 4000
"""The most digits of a number. Python refuses to parse an int of more than 4,300."""
LONGEST_EXPONENT = 20  # the largest exponent for which a number is written without one
MOST_LOOKED_AT = 1 << 13  # of how many texts it is kept from dump to dump what they name
_EXACT = Context(prec=LONGEST_NUMBER, traps=[Inexact, InvalidOperation])
_TOKEN = pattern(
    rb"(?P<string>" + STRING + rb")|(?P<space>(?! [^\s/])(?:" + COMMENT + rb"|\s++)++)"
    rb"|(?P<value>" + VALUE + rb"(?:#\d++)?)|(?P<block>\^[\w$.-]++)|(?P<alias>" + ALIAS_NAME + rb"(?!<))"
    rb"|(?<![\w$.@])(?P<float>[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?)(?![\w$.])"
)
"""What may be written in several ways. A lone space is as it should be."""
_IN_BODY = pattern(rb"(?P<string>" + STRING + rb")|(?P<alias>" + ALIAS_NAME + rb"(?!<))|(?P<space>\s++)")
_BLANK_STRING_OR_NAME = pattern(rb'[\s"#!]')
_DIALECT = pattern(STRING + rb"|//|[#!](?P<dialect>[A-Za-z_]\w*+)[.<]")
_PERCENT_IN_BODY = pattern(rb'[#!][\w$.-]++<(?![^<>()\[\]{}%"\n]*+(?<!-)>)[^\n]*%')
"""A ``%`` that may be in the ``<...>`` of a dialect attribute or type: behind one that holds brackets."""
_VALUE = pattern(VALUE + rb"(?:#\d++)?")
_TYPE = pattern(
    STRING + rb"|(?<![\w$.@#%!])(?P<type>![A-Za-z_][\w$.]*+(?P<dialect_open><)?"
    rb"|(?:tensor|vector|memref|complex|tuple)(?P<open><)|(?:[su]?i[0-9]++|b?f[0-9]\w*+|tf32|index|none)(?![\w$.<]))"
)
_LITERAL = pattern(
    rb"(?P<symbol>" + SYMBOL + rb")|(?P<string>" + STRING + rb")"
    rb'|(?<![\w$.@#%!"])(?P<number>-?(?:0x[0-9A-Fa-f]++|[0-9]++(?:\.[0-9]*+(?:[eE][+-]?[0-9]++)?)?))'
)
_LONE_RESULT = pattern(rb" ?-> \(((?:<[^<>\"]*>|[^(),<>{}\"]++)++)\)")
"""``-> (type)``. For a function this is the same as ``-> type``."""
_Key: TypeAlias = tuple[str, bool, bytes]
"""An op's name, whether it has regions, its own text; without the names of values if these are only uses."""


@dataclass(frozen=True)
class OpText:
    """The text of one op without its regions and its location."""

    # The op without the names of its results and the locations of its arguments. Values are `%`,
    # successors `^`, white space is one blank, and aliases are expanded. In the `<...>` of a dialect
    # attribute or type only aliases are, and the blanks of listed dialects.
    text: bytes
    is_generic: bool  # whether the op is in generic form
    # Whether the op has no regions and defines no symbol. The custom form of such an op names no type,
    # symbol or number that the generic form lacks.
    is_plain: bool

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Attributes and properties by name. In custom form, all text except types, under the name ``""``."""
        return dict(self._parsed[0]) if self.is_generic else {"": decoded(self.without_types)}

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types of operands and results. In custom form, the types in the text, in order."""
        return tuple(map(decoded, _types_of(self._parsed[1])[1] if self.is_generic else self._split[1]))

    @cached_property
    def signature(self) -> str:
        """The op's type, ``(...) -> ...``. In custom form, the types in the text."""
        return decoded(self._parsed[1]) if self.is_generic else ", ".join(self.types)

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

    def literals_beside(self, other: OpText) -> tuple[str, str]:
        """Return the numbers, symbols and strings of each that the other one, in another form, lacks."""
        own = [{_symbol(one) or one for one in text.literals} for text in (self, other)]
        apart = own[0] - own[1], own[1] - own[0]
        kinds = {type(one) for one in apart[0 if other.is_generic else 1]}
        shown = (sorted(str(one) for one in found if type(one) in kinds) for found in apart)
        before, after = (", ".join(found) for found in shown)
        return before, after

    def types_beside(self, other: OpText) -> tuple[str, str]:
        """Return the types of each that the other one, in another form, lacks."""
        own = [text._all_types if text.is_generic else text.types for text in (self, other)]
        before, after = (", ".join(one for one in own[k] if one not in own[1 - k]) for k in (0, 1))
        return before, after

    @property
    def without_types(self) -> bytes:
        """The text with ``!`` for each type."""
        return self._split[0]

    @cached_property
    def _all_types(self) -> list[str]:
        return list(map(decoded, self._split[1]))

    @cached_property
    def _split(self) -> tuple[bytes, list[bytes]]:
        return _types_of(self.text)

    @cached_property
    def _parsed(self) -> tuple[list[tuple[str, str]], bytes]:
        *_, (start, _, last) = [(0, 0, b""), *outermost_brackets(self.text)]
        entries = [(decoded(name), decoded(value)) for name, value in generic_attributes(self.text)]
        return entries, self.text[start + 1 :].strip() if last == b":" else b""


KnownTexts: TypeAlias = dict[tuple[_Key, tuple[bytes, ...]], OpText]
"""Comparable texts by what they are made of, which is also what the aliases in them stand for."""


class OpTexts:
    """The comparable texts of one dump's ops.

    Args:
        ir: the dump.
        known: texts of other dumps that were read with the same table. Ops that differ only in value names
            share one, and so do equal headers of ops with regions.
    """

    def __init__(self, ir: IR, known: KnownTexts | None = None) -> None:
        self._ir = ir
        self._aliases = AliasTexts(partial(_definition, ir), _finished)
        self._known: KnownTexts = {} if known is None else known

    def of(self, op: int) -> OpText:
        """Return the comparable text of one op."""
        return self._made(op, self._bare(op))

    def of_all(self) -> list[OpText]:
        """Return the comparable text of each op."""
        ir, texts = self._ir, []
        here: dict[_Key, OpText] = {}
        for ops in ir.chunks():
            own = self._own_texts(ops)
            for op, bare, text in zip(ops, own, _without_value_names(own), strict=True):
                name = ir.names[ir.op_name[op]]
                key = name, op in ir.regions_of, text
                if (found := here.get(key)) is None:
                    if _shows_only_operands(text):
                        found = here[key] = self._shared(op, key)
                    elif b"^" not in bare:  # other dumps have the same text more often than not
                        found = self._shared(op, (name, op in ir.regions_of, bare))
                    else:
                        found = self.of(op)
                texts.append(found)
        return texts

    def _shared(self, op: int, key: _Key) -> OpText:
        aliases = filter(self._ir.aliases.__contains__, _names_of_aliases(key[2]))
        meaning = key, tuple(part for alias in aliases for part in (alias, self._aliases.of(alias)))
        if meaning not in self._known:
            self._known[meaning] = self.of(op)
        return self._known[meaning]

    def _own_texts(self, ops: range) -> list[bytes]:
        ir, chunk = self._ir, slice(ops.start, ops.stop)
        data, starts, nested_end = ir.source.data, ir.op_start[chunk], ir.subtree_end[chunk]
        return [
            data[start:end]
            if location == NO_OFFSET and nested == op + 1 and op not in ir.regions_of
            else data[start : data.rfind(b"loc", start, location)]
            if nested == op + 1 and op not in ir.regions_of
            else self._bare(op)
            for op, start, end, location, nested in zip(
                ops, starts, ir.op_end[chunk], ir.location_start[chunk], nested_end, strict=True
            )
        ]

    def _made(self, op: int, bare: bytes) -> OpText:
        ir = self._ir
        flags = ir.op_table.flags(ir.name(op))
        is_plain = op not in ir.regions_of and not flags & {"function", "symbol"}
        region = ir.block_region[ir.op_block[op]]
        text = self.comparable(
            bare,
            label=lambda name: b"^" if (region, name) in self.blocks else name,
            keeps_numbers=self.is_free_text(op),
        )
        if "function" in flags and not ir.op_is_generic[op]:
            text = _with_lone_result(text)
        return OpText(text, bool(ir.op_is_generic[op]), is_plain)

    def _bare(self, op: int) -> bytes:
        """Return an op's own text without result names, its location, and those of its arguments."""
        ir = self._ir
        text = ir.bare_text(op)
        if b"loc" in text and op in ir.regions_of:
            *before, last = ir.own_spans(op)
            spans = [*before, Span(last.start, ir.bare_end(op))]
            data = ir.source.data
            text = b"".join(
                splice(data, span, [(location, b"") for location in self.argument_locations(op, span)])
                for span in spans
            )
        return text[ir.name_start(op) - ir.op_start[op] :]

    def argument_locations(self, op: int, span: Span) -> list[Span]:
        """Return where the locations of arguments are in a part of an op's own text."""
        return [] if self._has_own_locations(op) else argument_locations(self._ir, span)

    @cached_property
    def blocks(self) -> dict[tuple[int, bytes], int]:
        """The blocks of the dump by region and name."""
        ir = self._ir
        return {
            (ir.block_region[block], ir.block_name(block).encode()): block for block in range(ir.block_count)
        }

    @cached_property
    def _shows_locations(self) -> bool:
        """Whether the printer printed locations. Then all ops at top level and all unlisted ones have one.

        The custom form of a listed op, such as ``linalg.reduce``, may hide those of ops in its regions.
        """
        ir = self._ir
        has_none = [op for op, start in enumerate(ir.location_start) if start == NO_OFFSET]
        return not any(ir.parent_op(ir.op_block[op]) < 0 or self.is_free_text(op) for op in has_none)

    def own_location(self, op: int) -> bytes | None:
        """Return the location of an op if it may belong to the op's own syntax: ``my.op at loc("x")``."""
        if not self._has_own_locations(op) or (text := self._ir.location_text(op)) is None:
            return None
        return self._ir.alias_texts.expanded(text)

    def _has_own_locations(self, op: int) -> bool:
        """Whether each ``loc(...)`` of an op may belong to its own syntax.

        That is so in the custom form of an unlisted op, unless the dump shows locations.
        """
        return self.is_free_text(op) and not self._shows_locations

    def successors(self, op: int) -> list[int]:
        """Return the blocks that an op's own text names, in textual order."""
        region = self._ir.block_region[self._ir.op_block[op]]
        names = [
            match["block"]
            for text, _ in dialect_bodies(self._bare(op))
            for match in _TOKEN.finditer(text)
            if match["block"]
        ]
        return [self.blocks[region, name] for name in names if (region, name) in self.blocks]

    def header(self, block: int) -> bytes:
        """Return the comparable text of a block's label with its arguments. Empty without a label."""
        span = self._ir.header_span(block)
        locations = [(location, b"") for location in argument_locations(self._ir, span)]
        return self.comparable(splice(self._ir.source.data, span, locations), label=lambda _: b"^")

    def is_free_text(self, op: int) -> bool:
        """Whether nothing is known of the text of an op: the custom form of an unlisted op."""
        ir = self._ir
        return not ir.op_is_generic[op] and ir.name(op) not in ir.op_table.rows

    def comparable(
        self,
        text: bytes,
        *,
        label: Callable[[bytes], bytes],
        keeps_values: bool = False,
        keeps_numbers: bool = False,
    ) -> bytes:
        """Return a part of a text without aliases, comments and layout, and with other names.

        Args:
            text: the part, without locations.
            label: gives the text for the name of a block.
            keeps_values: keep the names of values, which are ``%`` otherwise.
            keeps_numbers: keep the spelling of decimal numbers.
        """
        return _comparable(text, label, self._aliases.of, keeps_values, keeps_numbers)


def _definition(ir: IR, alias: bytes) -> bytes | None:
    """Return the value of an alias, for a location with ``loc(...)`` around it."""
    text, span = ir.definition(alias), ir.aliases.get(alias)
    if text is None or span is None:
        return None
    return b"loc(%b)" % text if ir.source.data[span.start - 1 : span.start] == b"(" else text


def _finished(_: bytes, value: bytes) -> bytes:
    """Return the text for an alias with this value. If it is too long, a digest of it."""
    text = _comparable(value, _unchanged, _unchanged, keeps_values=True, keeps_numbers=False)
    if len(text) <= LONGEST_EXPANSION:
        return text
    from hashlib import blake2b

    return b"#long_" + blake2b(text, digest_size=16).hexdigest().encode()


def _comparable(
    text: bytes,
    label: Callable[[bytes], bytes],
    expanded: Callable[[bytes], bytes],
    keeps_values: bool,
    keeps_numbers: bool,
) -> bytes:
    """Do what ``OpTexts.comparable`` does, with the text of an alias from ``expanded``."""

    def replaced(match: re.Match[bytes]) -> bytes:
        kind, token = match.lastgroup or "", match[0]
        if kind == "block":
            return label(token)
        if kind == "value":
            return token if keeps_values else b"%"
        if kind == "float" and not keeps_numbers:
            return _plain_float(token)
        if kind == "space":
            return b" "
        return expanded(token) if kind == "alias" else token

    pieces = [_TOKEN.sub(replaced, before) + _body(body, expanded) for before, body in dialect_bodies(text)]
    return b"".join(pieces).strip()


def _without_value_names(texts: Sequence[bytes]) -> list[bytes]:
    joined = _VALUE.sub(b"%", b"\0".join(texts)).split(b"\0")
    return joined if len(joined) == len(texts) else [_VALUE.sub(b"%", text) for text in texts]


def _body(text: bytes, expanded: Callable[[bytes], bytes]) -> bytes:
    """Return ``#name<...>`` with aliases expanded. Blanks count, unless all dialects in it are listed."""
    if _BLANK_STRING_OR_NAME.search(text, 1) is None:
        return text
    words = [match["dialect"] for match in _DIALECT.finditer(text) if match[0][:1] != b'"']
    is_listed = all(word is not None and word.decode() in listed_dialects() for word in words)

    def replaced(match: re.Match[bytes]) -> bytes:
        if match.lastgroup == "alias":
            return expanded(match[0])
        return b" " if match.lastgroup == "space" and is_listed else match[0]

    return _IN_BODY.sub(replaced, text)


def _unchanged(text: bytes) -> bytes:
    return text


def _plain_float(number: bytes) -> bytes:
    """Return ``1.0`` for ``1.000000e+00``: one text for each decimal number."""
    try:
        value = _EXACT.create_decimal(number.decode()).normalize(_EXACT)
    except ArithmeticError:  # too many digits, or too large an exponent
        return number
    text = f"{value:f}" if -LONGEST_EXPONENT < value.adjusted() < LONGEST_EXPONENT else str(value)
    return (text if "." in text or "E" in text else f"{text}.0").encode()


@lru_cache(maxsize=MOST_LOOKED_AT)
def _shows_only_operands(text: bytes) -> bool:
    """Whether every ``%`` begins an operand and no block is named, as far as a quick check shows."""
    return (
        b"\\" not in text
        and b"//" not in text
        and b"^" not in text
        and b"%" not in b"".join(text.split(b'"')[1::2])
        and _PERCENT_IN_BODY.search(text) is None
    )


@lru_cache(maxsize=MOST_LOOKED_AT)
def _names_of_aliases(text: bytes) -> list[bytes]:
    """Return what may be names of aliases in a text."""
    return ALIAS_USE.findall(text)


def _with_lone_result(text: bytes) -> bytes:
    """Return a function's text with ``-> type`` for ``-> (type)`` after its arguments."""
    end = next((end for _, end, opening in outermost_brackets(text) if opening == b"("), len(text))
    result = _LONE_RESULT.match(text, end)
    return text if result is None else b"%b -> %b%b" % (text[:end], result[1], text[result.end() :])


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
        return decoded(text)
    return float(text) if b"." in text else int(text)


def _symbol(literal: object) -> str | None:
    """Return the symbol of a literal, also of a string that defines one. None for a number."""
    if isinstance(literal, str):
        return literal
    return symbol_of(literal) if isinstance(literal, bytes) else None
