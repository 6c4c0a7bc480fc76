"""Runs programs by xdsl's interpreter, which knows nothing of effects: it does one op after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xdsl import interpreters
from xdsl.dialects import arith, builtin, linalg, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.interpreters.shaped_array import ShapedArray
from xdsl.interpreters.utils.ptr import TypedPtr

from tests.running.judging import FAILED, Judge, Outcomes, Program
from tests.running.memref_programs import memref_program
from tests.running.mlir_to_xdsl import generic, read, xdsl_context

Array = ShapedArray[int]

AT_ONCE = 50

HAS_ATTRIBUTES = hasattr(interpreters.builtin, "scalar_attr")
"""Whether scalars of xdsl's interpreter are attributes."""

ProgramErrors = (ValueError,)
"""What an op in the wrong place leads to, such as a load from a freed buffer. All else is an error of the judge."""


def run(program: Program) -> Outcomes:
    """What each function returns and leaves in its arguments and in the globals; each starts afresh."""
    module = read(program.text)
    return {name: _run(module, name) for name in program.functions}


def _run(module: builtin.ModuleOp, name: str) -> object:
    interpreter = Interpreter(module)
    interpreters.register_implementations(interpreter, xdsl_context())
    interpreter.register_implementations(_Memory(), override=True)
    one, other = new_array(range(10, 18)), new_array(range(30, 38))
    arrays = (one, one if _is_aliased(name) else other)
    try:
        results = interpreter.call_op(name, (*arrays, new_scalar(1003), new_scalar(len(name))))
    except ProgramErrors as error:
        return f"{FAILED}{type(error).__name__}: {error}"
    globals_ = interpreter.get_data(_Memory, "globals", dict)
    numbers = tuple(map(number_in, results))
    return numbers, one.data, other.data, sorted((symbol, array.data) for symbol, array in globals_.items())


def _is_aliased(name: str) -> bool:
    """Whether the function gets one buffer as both of its arguments."""
    return name.endswith(("3", "7"))


def new_array(numbers: Iterable[int]) -> Array:
    """An array of numbers in memory of its own."""
    found = list(numbers)
    return ShapedArray(TypedPtr.new(found, xtype=i32), [len(found)])


def new_scalar(number: int) -> Any:
    """A number of type i32 as xdsl's interpreter has it: a plain number before version 0.75, then an attribute."""
    return IntegerAttr(number, i32) if HAS_ATTRIBUTES else number


def number_in(scalar: Any) -> int:
    """The number that a scalar of xdsl's interpreter stands for."""
    number: int = scalar.value.data if HAS_ATTRIBUTES else scalar
    return number


@register_impls
class _Memory(InterpreterFunctions):
    """The memory ops that xdsl's interpreter does not have, and those that it has in part.

    Its buffers are contiguous, as all views of the programs are; its globals are constants, its freed buffers
    can be read.
    """

    @impl(memref.GetGlobalOp)
    def get_global(
        self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues
    ) -> PythonValues:
        found: dict[str, Array] = interpreter.get_data(_Memory, "globals", dict)
        name = op.name_.string_value()
        if name not in found:
            definition = interpreter.get_op_for_symbol(name)
            assert isinstance(definition, memref.GlobalOp)
            assert isinstance(definition.initial_value, builtin.DenseIntOrFPElementsAttr)
            found[name] = new_array(definition.initial_value.get_values())
        return (found[name],)

    @impl(memref.AllocaOp)
    def alloca(self, interpreter: Interpreter, op: memref.AllocaOp, args: PythonValues) -> PythonValues:
        return (new_array([0] * 8),)

    @impl(memref.DeallocOp)
    def dealloc(self, interpreter: Interpreter, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        """Takes the memory away, so that a later access fails."""
        del args[0].data_ptr.raw.memory[:]
        return ()

    @impl(memref.CopyOp)
    def copy(self, interpreter: Interpreter, op: memref.CopyOp, args: PythonValues) -> PythonValues:
        source, target = args
        for place in source.indices():
            target.store(place, source.load(place))
        return ()

    @impl(memref.SubviewOp)
    def subview(self, interpreter: Interpreter, op: memref.SubviewOp, args: PythonValues) -> PythonValues:
        return (_window(args[0], op.static_offsets, op.static_sizes),)

    @impl(memref.ReinterpretCastOp)
    def reinterpret_cast(
        self, interpreter: Interpreter, op: memref.ReinterpretCastOp, args: PythonValues
    ) -> PythonValues:
        return (_window(args[0], op.static_offsets, op.static_sizes),)

    @impl(memref.CastOp)
    def cast(self, interpreter: Interpreter, op: memref.CastOp, args: PythonValues) -> PythonValues:
        return args

    @impl(memref.ExpandShapeOp)
    def expand_shape(
        self, interpreter: Interpreter, op: memref.ExpandShapeOp, args: PythonValues
    ) -> PythonValues:
        return (_reshaped(args[0], op.result.type),)

    @impl(memref.CollapseShapeOp)
    def collapse_shape(
        self, interpreter: Interpreter, op: memref.CollapseShapeOp, args: PythonValues
    ) -> PythonValues:
        return (_reshaped(args[0], op.result.type),)

    @impl(linalg.ops.FillOp)
    def fill(self, interpreter: Interpreter, op: linalg.ops.FillOp, args: PythonValues) -> PythonValues:
        number, target = args
        result = target.copy() if op.results else target
        for place in result.indices():
            result.store(place, number_in(number))
        return (result,) if op.results else ()

    @impl(scf.ExecuteRegionOp)
    def execute_region(
        self, interpreter: Interpreter, op: scf.ExecuteRegionOp, args: PythonValues
    ) -> PythonValues:
        return interpreter.run_ssacfg_region(op.region, ())

    @impl(arith.SelectOp)
    def select(self, interpreter: Interpreter, op: arith.SelectOp, args: PythonValues) -> PythonValues:
        return (args[1] if args[0] else args[2],)


def _window(array: Array, offsets: Any, sizes: Any) -> Array:
    (offset,), shape = offsets.get_values(), sizes.get_values()
    pointer = array.data_ptr
    return ShapedArray(TypedPtr(pointer.raw + offset * pointer.size, xtype=pointer.xtype), list(shape))


def _reshaped(array: Array, type_: Any) -> Array:
    return ShapedArray(array.data_ptr, list(type_.get_shape()))


def _program(seeds: Sequence[int]) -> Program:
    """Every fourth module is in generic form."""
    program = memref_program(seeds)
    return Program(generic(program.text), program.functions) if seeds[0] // AT_ONCE % 4 == 3 else program


XDSL = Judge(_program, run, AT_ONCE)
