"""Which model a file of a corpus belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
        return _name(source_name(path))
    parts = os.path.relpath(path, root).split(os.sep)  # noqa: PTH206  (twice as fast as Path)
    folders = program_folders(parts)
    if folders:
        return folders[0]
    has_pass = is_ir_file(parts[-1]) and file_marker(path) is not None
    return _name(root) if has_pass else parts[0]


def _name(path: str) -> str:
    name = Path(path).name
    return name if name not in {"", ".."} else Path(path).resolve().name


def models_of(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the models of files by the names that dumps give as their source.

    If models of one name were found in several folders, each name begins with its folder.

    Args:
        found: the path at which a file was found, a folder or its own, and its path.
    """
    models = {path: (model_of(path, root), root) for root, path in found}
    roots: dict[str, set[str]] = {}
    for model, root in models.values():
        roots.setdefault(model, set()).add(root)
    return {
        source_name(path): model if len(roots[model]) == 1 else _in_full(model, root)
        for path, (model, root) in models.items()
    }


def _in_full(model: str, root: str) -> str:
    return root if _name(root) == model else str(Path(root, model))
