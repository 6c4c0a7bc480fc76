"""Print a program: what was not edited as it was, all else in generic assembly.

Functions are the exception: their header and return change with nearly every step, so ``func.func`` and
``func.return`` are printed as MLIR prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from eio_audit.mlir.editing.program import Attributes, Block, Op, Program, Value
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.tokens import ALIAS_USE, closing_end, list_parts, nesting

_LLVM = b"!llvm.func<"
_LLVM_TYPE = pattern(rb"(?:ptr|struct|array|func|target|x86_amx|token|metadata|label|ppc_fp128)\b")
_BARE_KEY = pattern(rb"[A-Za-z_][\w$.]*")
_OF_HEADER = frozenset({b"sym_name", b"function_type", b"sym_visibility", b"arg_attrs", b"res_attrs"})


def program_text(program: Program) -> bytes:
    """Return the text of a program, with the aliases that it uses."""
    parts = [b"".join(line + b"\n" for line in _lines(part, 0)) for part in program.parts]
    body = b"// -----\n".join(parts)
    known = dict(program.aliases)
    used = _aliases_used(body, known)
    table = b"".join(b"%s = %s\n" % (name, text.strip()) for name, text in program.aliases if name in used)
    resources = program.resources + b"\n" if b"dense_resource<" in body + table else b""
    text = table + body + resources
    return text if program.line_end == b"\n" else text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _aliases_used(text: bytes, known: Mapping[bytes, bytes]) -> set[bytes]:
    used, pending = set[bytes](), [text]
    while pending:
        found = {match[0] for match in ALIAS_USE.finditer(pending.pop())} & known.keys() - used
        used |= found
        pending += map(known.__getitem__, found)
    return used


def _lines(op: Op, depth: int) -> Iterator[bytes]:
    """Yield the lines of an op. The lines of a template are not split."""
    if op.is_implied and op.template is not None:  # a module that the text does not show
        yield from _region_lines(op.regions[0], depth - 1, shows_label=False)
        return
    margin = b"  " * depth
    location = b"" if op.location is None else b" loc(%s)" % op.location
    if op.is_custom and op.name == "func.func":
        yield margin + _function_header(op) + (b" {" if op.regions[0] else location)
        if op.regions[0]:
            yield from _region_lines(op.regions[0], depth, shows_label=False)
            yield margin + b"}" + location
    elif op.is_custom and op.name == "func.return":
        yield margin + b"return" + _typed(op.operands) + location
    else:
        pieces = _template_pieces(op, depth) if op.template is not None else _generic_pieces(op, depth)
        yield margin + _results(op.results) + b"".join(pieces) + location


def _template_pieces(op: Op, depth: int) -> Iterator[bytes]:
    assert op.template is not None
    for piece in op.template:
        if isinstance(piece, bytes):
            yield piece
            continue
        kind, number, place = piece
        if kind == "region":
            lines = [*_region_lines(op.regions[number], depth, shows_label=not op.is_custom)]
            yield b"".join(b"\n" + line for line in lines) + (b"\n" + b"  " * depth if lines else b"")
        else:
            value = op.operands[number] if kind == "operand" else op.regions[number][0].arguments[place]
            yield b"%" + value.name


def _generic_pieces(op: Op, depth: int) -> Iterator[bytes]:
    yield b'"%s"(%s)' % (op.name.encode(), _names(op.operands))
    if op.successors:
        yield b"[%s]" % b", ".join(block.name for block in op.successors)
    if op.properties:
        yield b" <{%s}>" % _dictionary(op.properties)
    if op.regions:
        regions = []
        for region in op.regions:
            lines = [*_region_lines(region, depth, shows_label=True)]
            regions.append(b"{%s\n%s}" % (b"".join(b"\n" + line for line in lines), b"  " * depth))
        yield b" (%s)" % b", ".join(regions)
    if op.attributes:
        yield b" {%s}" % _dictionary(op.attributes)
    yield b" : (%s) -> %s" % (_types(op.operands), _result_types(op.results))


def _region_lines(region: list[Block], depth: int, *, shows_label: bool) -> Iterator[bytes]:
    """Yield the lines of a region. The text around it may show the arguments of its first block."""
    for number, block in enumerate(region):
        if number or block.is_labelled or (shows_label and (block.arguments or not block.ops)):
            arguments = b", ".join(b"%%%s: %s" % (one.name, one.type) for one in block.arguments)
            yield b"  " * depth + block.name + (b"(%s):" % arguments if arguments else b":")
        for op in block.ops:
            if shows_label or not op.is_implied or op.operands or number or op.results:
                yield from _lines(op, depth + 1)


def _function_header(op: Op) -> bytes:
    visibility = op.properties.get(b"sym_visibility", b"").strip(b'"')
    inputs, results = signature(op)
    if op.regions[0]:
        arguments = b", ".join(
            b"%%%s: %s" % (one.name, one.type) + (b" " + one.attributes if one.attributes else b"")
            for one in op.regions[0][0].arguments
        )
    else:
        arguments = b", ".join(inputs)
    of_results = list_of_attributes(op.properties.get(b"res_attrs"), len(results))
    typed = [b" ".join(filter(None, pair)) for pair in zip(results, of_results, strict=True)]
    is_alone = len(results) == 1 and not of_results[0] and b"->" not in results[0]
    arrow = b"" if not typed else b" -> " + (typed[0] if is_alone else b"(%s)" % b", ".join(typed))
    others = {key: value for key, value in op.properties.items() if key not in _OF_HEADER} | op.attributes
    return b"func.func %s%s(%s)%s%s" % (
        visibility + b" " if visibility else b"",
        op.symbol or b"",
        arguments,
        arrow,
        b" attributes {%s}" % _dictionary(others) if others else b"",
    )


def signature(op: Op) -> tuple[list[bytes], list[bytes]]:
    """Return the types that a function gets and returns; none of a type of another form."""
    text = op.properties[b"function_type"]
    if text.startswith(_LLVM):
        inner = text[len(_LLVM) : -1]
        opening = next(token.start() for token, depth in nesting(inner) if (token[0], depth) == (b"(", 1))
        result = _llvm_type(inner[:opening].strip())
        arguments = [_llvm_type(part) for part in list_parts(inner, opening + 1)]
        return arguments, [] if result == b"void" else [result]
    if not text.startswith(b"("):
        return [], []
    rest = text[text.index(b"->", closing_end(text, 0)) + 2 :].strip()
    return [*list_parts(text, 1)], [*list_parts(rest, 1)] if rest.startswith(b"(") else [rest]


def _llvm_type(text: bytes) -> bytes:
    """Return a type in a type of LLVM as it is written elsewhere: ``!llvm.ptr`` for ``ptr``."""
    return b"!llvm." + text if _LLVM_TYPE.match(text) else text


def list_of_attributes(text: bytes | None, count: int) -> list[bytes]:
    """Return the dictionaries of ``arg_attrs`` or ``res_attrs``, each empty if it has no attribute."""
    found = [] if text is None else [b"" if part == b"{}" else part for part in list_parts(text, 1)]
    return found if len(found) == count else [b""] * count


def _results(results: list[Value]) -> bytes:
    """Return ``%0:2, %1 = ``."""
    names = []
    for base, group in groupby(results, lambda value: value.name.partition(b"#")[0]):
        count = len(list(group))
        names.append(b"%" + base + (b":%d" % count if count > 1 else b""))
    return b"%s = " % b", ".join(names) if names else b""


def _typed(values: list[Value]) -> bytes:
    return b" %s : %s" % (_names(values), _types(values)) if values else b""


def _names(values: Iterable[Value]) -> bytes:
    return b", ".join(b"%" + value.name for value in values)


def _types(values: Iterable[Value]) -> bytes:
    return b", ".join(value.type for value in values)


def _result_types(values: list[Value]) -> bytes:
    is_alone = len(values) == 1 and b"->" not in values[0].type
    return values[0].type if is_alone else b"(%s)" % _types(values)


def _dictionary(entries: Attributes) -> bytes:
    return b", ".join(
        (name if _BARE_KEY.fullmatch(name) else b'"%s"' % name) + (b" = " + value if value else b"")
        for name, value in entries.items()
    )
