"""The functions that code generation makes from a dump, and their calls, as Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count
from keyword import iskeyword

from eio_audit.audit.codegen.codegen import Structure
from eio_audit.report.wording.structure import obstacles, source_of

_NOT_IN_A_NAME = re.compile(r"\W")


def structure_to_python(structure: Structure) -> str:
    """Return the functions in call order, then the functions that call them.

    Ops are calls, ``v2 = ttir.permute(arg2)``. The code has no types and attributes: it shows the structure
    but does not run.
    """
    dump, prediction = structure.dump, structure.predictions[structure.present]
    head = [
        f"What one run of code generation makes from {dump.source}:{dump.line}, without types and attributes."
    ]
    lines = [f"# {said}" for said in (*head, *obstacles(prediction))]
    sources = map(source_of, prediction.functions)
    names = _Names(op.name for code in structure.code for op in code.body)
    functions = [names.new(code.name) for code in structure.code]
    defined: dict[str, str] = {}
    for code, function in zip(structure.code, functions, strict=True):
        comment = "" if code.name.startswith("@") else f"  # {next(sources)}"
        lines += ["", "", f"def {function}({names.listed(code.arguments)}):{comment}"]
        for op in code.body:
            results = f"{names.listed(op.results)} = " if op.results else ""
            called = defined.get(op.name) or ".".join(map(_identifier, op.name.split(".")))
            lines.append(f"    {results}{called}({names.listed(op.operands)})")
        lines.append(f"    return {names.listed(code.returned)}".rstrip())
        defined[code.name] = function
    return "\n".join(lines) + "\n"


class _Names:
    """Names of values in Python. No two are alike, and none is that of a function or a dialect."""

    def __init__(self, ops: Iterable[str]) -> None:
        self._taken = {_identifier(op.partition(".")[0]) for op in ops if "." in op}
        self._of: dict[str, str] = {}

    def new(self, name: str) -> str:
        """Take a name that is free: ``u_n``, then ``u_n_2``."""
        plain = _identifier(name)
        numbered = (f"{plain}_{number}" for number in count(2))
        unique = next(one for one in chain([plain], numbered) if one not in self._taken)
        self._taken.add(unique)
        return unique

    def listed(self, values: Iterable[str]) -> str:
        """Return the names of some values: ``v0, arg1``."""
        names = []
        for value in values:
            if value not in self._of:
                self._of[value] = self.new(value)
            names.append(self._of[value])
        return ", ".join(names)


def _identifier(name: str) -> str:
    """Return a Python name for an MLIR name: ``v3_1`` for ``%3#1``, ending in ``if_`` for ``scf.if``."""
    plain = _NOT_IN_A_NAME.sub("_", name.lstrip("%@"))
    plain = f"v{plain}" if plain[:1].isdigit() else plain
    return f"{plain}_" if iskeyword(plain) else plain
