"""The functions that code generation makes from a dump, and their calls, as Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from eio_audit.audit.codegen.code import CodegenOp, FunctionCode
from eio_audit.audit.codegen.codegen import Structure
from eio_audit.report.wording.structure import obstacles, source_of

_NOT_IN_A_NAME = re.compile(r"\W")


def structure_to_python(structure: Structure) -> str:
    """Return the functions in call order, then the functions that call them.

    Ops are calls, ``v2 = ttir.permute(arg2)``. The code has no types and attributes: it shows the structure
    but does not run.
    """
    dump, prediction = structure.dump, structure.predictions[structure.present]
    head = [f"What code generation makes from {dump.source}:{dump.line}, without types and attributes."]
    lines = [f"# {said}" for said in (*head, *obstacles(prediction))]
    sources = map(source_of, prediction.functions)
    for code in structure.code:
        comment = "" if code.name.startswith("@") else f"  # {next(sources)}"
        lines += ["", "", f"{_head(code)}{comment}", *(f"    {_statement(op)}" for op in code.body)]
        lines.append(f"    return {_values(code.returned)}".rstrip())
    return "\n".join(lines) + "\n"


def _head(code: FunctionCode) -> str:
    return f"def {_identifier(code.name)}({_values(code.arguments)}):"


def _statement(op: CodegenOp) -> str:
    results = f"{_values(op.results)} = " if op.results else ""
    return f"{results}{'.'.join(map(_identifier, op.name.split('.')))}({_values(op.operands)})"


def _values(names: Iterable[str]) -> str:
    return ", ".join(map(_identifier, names))


def _identifier(name: str) -> str:
    """Return a Python name for an MLIR name: ``v3_1`` for ``%3#1``, ending in ``if_`` for ``scf.if``."""
    plain = _NOT_IN_A_NAME.sub("_", name.lstrip("%@"))
    plain = f"v{plain}" if plain[:1].isdigit() else plain
    return f"{plain}_" if iskeyword(plain) else plain
