"""Which model a file of a corpus belongs to."""

from __future__ import annotations

from pathlib import Path

from eio_audit.mlir.input.folders import file_marker, is_ir_file, program_folders
from eio_audit.mlir.source import source_name


def model_of(path: str, root: str) -> str:
    """Return the model of a file that was found in the folder ``root``, or that is itself ``root``.

    It is the first folder below ``root``. A file directly in ``root`` is a model of its own, with its own
    name, unless its name has a pass: then ``root`` is the folder of a single model.

    Example:
        >>> model_of("corpus/resnet/tree/3_cse.mlir", "corpus")
        'resnet'
        >>> model_of("corpus/resnet.log", "corpus")
        'resnet.log'
        >>> model_of("corpus/resnet/3_cse.mlir", "corpus/resnet")
        'resnet'
    """
    if path == root:
        return Path(source_name(path)).resolve().name
    parts = Path(path).relative_to(root).parts
    folders = program_folders(parts)
    if folders:
        return folders[0]
    has_pass = is_ir_file(parts[-1]) and file_marker(path) is not None
    return Path(root).resolve().name if has_pass else parts[0]
