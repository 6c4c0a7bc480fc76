"""The functions that code generation makes, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eio_audit.audit.codegen.codegen import CodegenFunction, Prediction, Structure, TornModule


def structure_fields(structure: Structure) -> dict[str, object]:
    """What is told of a structure, alone or as a part of ``diff``."""
    prediction = structure.predictions[structure.present]
    return {
        "stages": {stage.value: _stage(one) for stage, one in structure.predictions.items()},
        "functions": [_function(one) for one in prediction.functions],
        "modules": [_module(row) for row in structure.modules],
    }


def _stage(prediction: Prediction) -> dict[str, object]:
    return {
        "functions": len(prediction.functions),
        "fewest": prediction.fewest,
        "most": prediction.most,
        "callers": list(prediction.callers),
        "ops": prediction.ops,
        "left_out": prediction.left_out,
        "unreadable": {reason.value: number for reason, number in prediction.unreadable.items()},
        "clashes": list(prediction.clashes),
    }


def _function(function: CodegenFunction) -> dict[str, object]:
    return {
        "name": function.name,
        "caller": function.caller,
        "file": function.file,
        "function": function.function,
        "path": list(function.modules),
        "ops": function.ops,
        "inputs": function.inputs,
        "outputs": function.outputs,
        "first_index": function.first_index,
        "last_index": function.last_index,
        "line": function.line,
        "parts": [{"path": list(path), "ops": ops} for path, ops in function.parts.items()],
    }


def _module(row: TornModule) -> dict[str, object]:
    return {
        "name": row.path[-1],
        "path": list(row.path),
        "least": row.least,
        **{stage.value: number for stage, number in row.functions.items()},
    }
