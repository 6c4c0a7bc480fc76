"""Runs programs of a device's ops by xdsl's interpreter: what each of these ops does is written down here."""

from __future__ import annotations

from collections.abc import Callable

from xdsl import interpreters
from xdsl.dialects import builtin
from xdsl.interpreter import Interpreter, InterpreterFunctions, OpImplResult
from xdsl.ir import Operation

from tests.running.device_programs import DESTINATIONS, VIEWS, WRITES_FIRST, WRITES_SECOND, device_program
from tests.running.judging import FAILED, Judge, Outcomes, Program
from tests.running.mlir_to_xdsl import op_type, read, xdsl_context
from tests.running.xdsl_judge import Array, ProgramErrors, new_array, new_scalar


def run(program: Program) -> Outcomes:
    """What is in each tensor that a function returns, and in its arguments."""
    module = read(program.text)
    return {name: _run(module, name) for name in program.functions}


def _run(module: builtin.ModuleOp, name: str) -> object:
    interpreter = Interpreter(module)
    interpreters.register_implementations(interpreter, xdsl_context())
    for op_name, does in _OPS.items():
        interpreter._impls._impl_dict[op_type(op_name)] = (InterpreterFunctions(), _implementation(does))
    one, other = new_array(range(1, 5)), new_array(range(11, 15))
    try:
        results = interpreter.call_op(name, (one, other, new_scalar(3), new_scalar(len(name))))
    except ProgramErrors as error:
        return f"{FAILED}{type(error).__name__}: {error}"
    return [array.data for array in (*results, one, other)]


def _implementation(does: Callable[..., Array | None]) -> Callable[..., OpImplResult]:
    def implementation(
        functions: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: tuple[Array, ...]
    ) -> OpImplResult:
        result = does(*args)
        return OpImplResult(() if result is None else (result,), None)

    return implementation


def _add(one: Array, other: Array) -> Array:
    return new_array([_wrapped(a + b) for a, b in zip(one.data, other.data, strict=True)])


def _add_into(one: Array, other: Array, target: Array) -> Array:
    for k, number in enumerate(_add(one, other).data):
        target.store((k,), number)
    return target


def _view(source: Array) -> Array:
    return source


def _change(target: Array, source: Array) -> None:
    """A write that tells what was there before it."""
    for k, (old, new) in enumerate(zip(target.data, source.data, strict=True)):
        target.store((k,), _wrapped(3 * old + new))


def _deallocate(tensor: Array) -> None:
    """Takes the memory away, so that a later access fails."""
    if not tensor.data:
        raise ValueError("freed twice")
    del tensor.data_ptr.raw.memory[:]


def _wrapped(number: int) -> int:
    return number % 1_000_003


_OPS: dict[str, Callable[..., Array | None]] = {
    "ttnn.add": _add,
    "ttnn.deallocate": _deallocate,
    "ttir.empty": lambda: new_array([0] * 4),
    **dict.fromkeys(DESTINATIONS, _add_into),
    **dict.fromkeys(VIEWS, _view),
    **dict.fromkeys(WRITES_FIRST, _change),
    **dict.fromkeys(WRITES_SECOND, lambda source, target: _change(target, source)),
}

DEVICES = Judge(device_program, run, at_once=100)
