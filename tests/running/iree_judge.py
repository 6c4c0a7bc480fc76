"""Compiles programs by IREE, without optimization on its part being asked for, and runs them on its virtual machine."""

from __future__ import annotations

import numpy
from iree import runtime
from iree.compiler.tools import compile_str

from tests.running.judging import Judge, Outcomes, Program
from tests.running.tensor_programs import tensor_program


def run(program: Program) -> Outcomes:
    """The tensors that each function returns."""
    bytecode = compile_str(program.text, target_backends=["vmvx"])
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, bytecode))
    one, other = numpy.arange(10, 14, dtype=numpy.int32), numpy.arange(30, 34, dtype=numpy.int32)
    return {
        name: [numpy.asarray(result).tolist() for result in context.modules.module[name](one, other)]
        for name in program.functions
    }


IREE = Judge(tensor_program, run, at_once=10)
