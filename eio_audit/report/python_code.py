"""The functions that code generation makes from a dump, and their calls, as Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword

from eio_audit.audit.codegen.codegen import CodegenCaller, CodegenFunction, Structure
from eio_audit.audit.codegen.codegen_op import CodegenOp
from eio_audit.report.wording.structure import obstacles, source_of

_NOT_IN_A_NAME = re.compile(r"\W")


def structure_to_python(structure: Structure) -> str:
    """The functions in call order, then the functions that call them.

    Ops are calls, ``v2 = ttir.permute(arg2)``. Types and attributes are left out, so the code shows the
    structure and does not run by itself.
    """
    dump, prediction = structure.dump, structure.predictions[structure.present]
    head = [f"What code generation makes from {dump.source}:{dump.line}, without types and attributes."]
    lines = [f"# {said}" for said in (*head, *obstacles(prediction))]
    for one in prediction.functions:
        lines += _definition(one.name, one.arguments, map(_statement, one.body), one.returned, source_of(one))
    for caller in prediction.callers:
        called = [one for one in prediction.functions if one.caller == caller.symbol]
        statements = map(_statement, _calls(caller, called))
        lines += _definition(caller.symbol, caller.arguments, statements, caller.returned)
    return "\n".join(lines) + "\n"


def _calls(caller: CodegenCaller, functions: Iterable[CodegenFunction]) -> Iterator[CodegenOp]:
    """The calls in order, each other op before the first that uses it, the rest of these at the end."""
    others = caller.others
    makers = {result: number for number, op in enumerate(others) for result in op.results}
    waiting = set(range(len(others)))
    for one in functions:
        needed, values = [], list(one.arguments)
        while values:
            number = makers.get(values.pop())
            if number in waiting:
                waiting.remove(number)
                needed.append(number)
                values += others[number].operands
        yield from (others[number] for number in sorted(needed))
        yield CodegenOp(one.name, one.returned, one.arguments)
    yield from (others[number] for number in sorted(waiting))


def _definition(
    name: str, arguments: Sequence[str], body: Iterable[str], returned: Sequence[str], comment: str = ""
) -> list[str]:
    head = f"def {_identifier(name)}({_values(arguments)}):" + (f"  # {comment}" if comment else "")
    return ["", "", head, *(f"    {line}" for line in body), f"    return {_values(returned)}".rstrip()]


def _statement(op: CodegenOp) -> str:
    results = f"{_values(op.results)} = " if op.results else ""
    return f"{results}{'.'.join(map(_identifier, op.name.split('.')))}({_values(op.operands)})"


def _values(names: Iterable[str]) -> str:
    return ", ".join(map(_identifier, names))


def _identifier(name: str) -> str:
    """A name of MLIR as one of Python: ``%3#1`` is ``v3_1``, ``scf.if`` ends in ``if_``."""
    plain = _NOT_IN_A_NAME.sub("_", name.lstrip("%@"))
    plain = f"v{plain}" if plain[:1].isdigit() else plain
    return f"{plain}_" if iskeyword(plain) else plain
