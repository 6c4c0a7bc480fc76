"""Compiles programs by IREE and runs them on its virtual machine."""

from __future__ import annotations

import numpy
from iree import runtime
from iree.compiler.tools import CompilerToolError, compile_str

from tests.running.judging import Judge, Outcomes, Program, UndecidedError
from tests.running.tensor_programs import tensor_program


def run(program: Program) -> Outcomes:
    """The tensors that each function returns.

    Raises:
        UndecidedError: IREE does not compile or run the module, which happens in either order.
    """
    try:
        bytecode = compile_str(
            program.text, target_backends=["llvm-cpu"], extra_args=["--iree-llvmcpu-target-cpu=generic"]
        )
        config = runtime.Config("local-sync")
        context = runtime.SystemContext(config=config)
        context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, bytecode))
        return {name: _results(context, name) for name in program.functions}
    except (CompilerToolError, RuntimeError, ValueError, LookupError) as error:
        raise UndecidedError from error


def _results(context: runtime.SystemContext, name: str) -> object:
    one, other = numpy.arange(10, 14, dtype=numpy.int32), numpy.arange(30, 34, dtype=numpy.int32)
    return [numpy.asarray(result).tolist() for result in context.modules.module[name](one, other)]


IREE = Judge(tensor_program, run, at_once=10)
