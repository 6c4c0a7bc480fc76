"""The models of a corpus: which model a file belongs to, and which files a model has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from eio_audit.mlir.input.folders import DumpFile, file_marker, is_ir_file, kernel_of, program_folders
from eio_audit.mlir.source import source_name


def model_of(path: str, root: str) -> str:
    """Return the model of a file that was found in the folder ``root``, or that is itself ``root``.

    It is the first folder below ``root``. A file directly in ``root`` is a model of its own, with its own
    name, unless its name has a pass: then ``root`` is the folder of a single model. Of XLA, each kernel is a
    model.

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
    if (kernel := kernel_of(path)) is not None:
        return kernel
    has_pass = is_ir_file(parts[-1]) and file_marker(path) is not None
    return _name(root) if has_pass else parts[0]


def _name(path: str) -> str:
    name = Path(path).name
    return name if name not in {"", ".."} else Path(path).resolve().name


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a compiler translated.

    Attributes:
        name: what it is called in the folder.
        path: the folder or the file that has its dumps and no others; empty if there is none.
        files: the files with its dumps, in the order of the passes.
    """

    name: str
    path: str
    files: tuple[DumpFile, ...]

    @property
    def first_path(self) -> str:
        """Its path, or that of its first file if there is none."""
        return self.path or self.files[0].path

    @property
    def size_bytes(self) -> int:
        """The size of its files; a pipe, or a file that cannot be read, counts as 0."""
        return sum(_size(file.path) for file in self.files)

    @property
    def is_piped(self) -> bool:
        """Whether it comes from standard input, which only this process can read."""
        return any(file.path == "-" for file in self.files)


def find_models(found: Iterable[tuple[str, DumpFile]]) -> list[Model]:
    """Return the models of files, in the order of their first files.

    Args:
        found: each file, and the path at which it was found: a folder, or its own.
    """
    name_of_program: dict[str, str] = {}
    files: dict[str, list[DumpFile]] = {}
    paths: dict[str, str] = {}
    for root, file in found:
        name = name_of_program.setdefault(file.program, _model_name(file, root))
        files.setdefault(name, []).append(file)
        paths.setdefault(name, str(Path(root, name)))
    return [
        Model(name, paths[name] if _is_all_in(Path(paths[name]), own) else "", tuple(own))
        for name, own in files.items()
    ]


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


def _model_name(file: DumpFile, root: str) -> str:
    """The model of a file. A program whose files are beside those of others is a model of its own."""
    name = model_of(file.path, root)
    is_beside_others = name == Path(file.path).name
    return (file.program or model_of(root, root)) if is_beside_others else name


def _is_all_in(path: Path, files: Iterable[DumpFile]) -> bool:
    return all(path == Path(file.path) or path in Path(file.path).parents for file in files)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
