"""A module that MLIR has read and verified, as ops of xdsl: faster than to have xdsl read it too."""

from __future__ import annotations

from functools import cache

from iree.compiler import ir
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser


@cache
def xdsl_context() -> Context:
    context = Context(allow_unregistered=True)
    for name, dialect in get_all_dialects().items():
        context.register_dialect(name, dialect)
    return context


def read(text: str) -> ModuleOp:
    """Reads a module; raises ``ir.MLIRError`` for one that MLIR rejects."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = _Reader().op(ir.Module.parse(text).operation)
    assert isinstance(module, ModuleOp)
    return module


def generic(text: str) -> str:
    """A module in generic form."""
    with ir.Context():
        return str(ir.Module.parse(text).operation.get_asm(print_generic_op_form=True))


class _Reader:
    def __init__(self) -> None:
        self.types: dict[ir.Type, Attribute] = {}
        self.attributes: dict[ir.Attribute, Attribute] = {}
        self.values: dict[ir.Value, SSAValue] = {}
        self.blocks: dict[ir.Block, Block] = {}

    def op(self, op: ir.Operation) -> Operation:
        attribute_names = _attribute_names(op.name)
        properties, attributes = dict[str, Attribute](), dict[str, Attribute]()
        for name in op.attributes:
            kind = attributes if name in attribute_names else properties
            kind[name] = self.attribute(op.attributes[name])
        result = op_type(op.name).create(
            operands=[self.values[value] for value in op.operands],
            result_types=[self.type(value.type) for value in op.results],
            properties=properties,
            attributes=attributes,
            successors=[self.blocks[block] for block in op.successors],
        )
        self.values.update(zip(op.results, result.results, strict=True))
        for region in op.regions:
            result.add_region(self.region(region))
        return result

    def region(self, region: ir.Region) -> Region:
        blocks = list(region.blocks)
        for block in blocks:
            new = self.blocks[block] = Block(arg_types=[self.type(value.type) for value in block.arguments])
            self.values.update(zip(block.arguments, new.args, strict=True))
        for block in blocks:  # each block of these programs stands behind those that dominate it
            self.blocks[block].add_ops([self.op(op.operation) for op in block.operations])
        return Region([self.blocks[block] for block in blocks])

    def type(self, type_: ir.Type) -> Attribute:
        if type_ not in self.types:
            self.types[type_] = Parser(xdsl_context(), str(type_)).parse_type()
        return self.types[type_]

    def attribute(self, attribute: ir.Attribute) -> Attribute:
        if attribute not in self.attributes:
            self.attributes[attribute] = Parser(xdsl_context(), str(attribute)).parse_attribute()
        return self.attributes[attribute]


@cache
def op_type(name: str) -> type[Operation]:
    """The class of an op; one class for all ops of a name that xdsl does not know."""
    return xdsl_context().get_op(name)


@cache
def _attribute_names(name: str) -> frozenset[str]:
    """Which of an op's attributes are none of its properties."""
    known = op_type(name)
    return (
        frozenset(known.get_irdl_definition().attributes) if issubclass(known, IRDLOperation) else frozenset()
    )
