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


class _Reader:
    def __init__(self) -> None:
        self.types: dict[ir.Type, Attribute] = {}
        self.attributes: dict[ir.Attribute, Attribute] = {}
        self.values: dict[ir.Value, SSAValue] = {}
        self.blocks: dict[ir.Block, Block] = {}

    def op(self, op: ir.Operation) -> Operation:
        op_type, attribute_names = _definition(op.name)
        properties, attributes = dict[str, Attribute](), dict[str, Attribute]()
        for name in op.attributes:
            kind = attributes if name in attribute_names else properties
            kind[name] = self.attribute(op.attributes[name])
        result = op_type.create(
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
def _definition(name: str) -> tuple[type[Operation], frozenset[str]]:
    """The class of an op, and which of its attributes are none of its properties."""
    op_type = xdsl_context().get_op(name)
    if not issubclass(op_type, IRDLOperation):
        return op_type, frozenset()
    return op_type, frozenset(op_type.get_irdl_definition().attributes)
