"""Folders of dumps: which files belong together, in what order compilers wrote them, and of which pass.

Four layouts have passes in their files' names:

- ``--mlir-print-ir-tree-dir``: a folder per op, ``<op>_<symbol>``, and in it ``<n>[_<n>...]_<pass>.mlir``.
  Each op counts the dumps made of it; a name has the counters of the ops around the op, outermost first,
  as they were, and then its own (MLIR, lib/Pass/IRPrinting.cpp). So ``2_inline`` came first, then
  ``2_0_cse`` and ``2_1_cse`` of a function inside, then ``3_inline``.
- numbered: ``<pipeline>/<n>_<pass>.mlir``, of one pipeline a folder.
- tt-xla's ``irs``: ``<stage>[_<graph>]_<milliseconds>.mlir``, of all graphs in one folder.
- pairs: ``[<program>-]before[-<pass>].mlir`` and ``[<program>-]after[-<pass>].mlir`` (see ``states.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.mlir.input.markers import Marker, holds_ir
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from eio_audit.mlir.input.states import State, States

IR_SUFFIX = ".mlir"
TEXT_SUFFIX = ".txt"
LOG_SUFFIXES = (".log", TEXT_SUFFIX)
DUMP_SUFFIXES = (IR_SUFFIX, *LOG_SUFFIXES)
"""Files of a folder that may be dumps, also with .gz, .bz2 or .xz after; ``.mlir.txt`` is as ``.mlir``."""

_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
_DIGITS = re.compile(r"([0-9]+)")
_STAGES = ("vhlo", "shlo", "ttir", "ttnn")
_NAMED = re.compile(
    r"(?P<counters>[0-9]+(?:_[0-9]+)*)_(?P<pass>[^0-9_].*)"
    r"|(?P<stage>vhlo|(?:frontend_)?shlo(?:_(?:frontend|set_mesh_attr|compiler|cleaned))*|ttir|ttnn)"
    r"(?:_(?P<graph>.+_g[0-9]+))?_(?P<milliseconds>[0-9]{10,})"
)
"""A file's name, without its ending, that names a pass with counters, or a stage."""

_Key = list[list[tuple[int, str]]]


class DumpFile(NamedTuple):
    """A file to read.

    Attributes:
        path: where it is; ``-`` for standard input.
        program: what its dumps are states of; equal for files that show one program at several times.
        state: the state that its name implies, in a folder that holds pairs of before and after.
        is_apart: the folder holds such pairs, and this file belongs to none.
    """

    path: str
    program: str
    state: State | None = None
    is_apart: bool = False


def find_dump_files(path: str, skip: Callable[[str], None] = lambda _: None) -> list[DumpFile]:
    """The files to read for a path: itself, or in a folder the dumps at any depth, in the order of passes.

    In a folder every ``.mlir`` file is a dump; a ``.log`` or ``.txt`` file is one if it holds IR, and
    ``skip`` gets the others. Where names do not define an order it is the natural one: ``9_cse`` before
    ``10_cse``.

    Raises:
        InputError: a folder holds no dump, or files in it have names of the same state.
    """
    if path == "-" or not Path(path).is_dir():
        return [DumpFile(path, "")]
    from eio_audit.mlir.input.states import HOW_TO_NAME_STATES

    folder = _Folder(path, skip)
    for states in folder.states.values():
        if states.alike:
            alike = ", ".join(states.alike[0])
            raise InputError(path, None, f"files with names of the same state: {alike}; {HOW_TO_NAME_STATES}")
    return list(map(folder.dump_file, folder.files))


def find_files(path: str, skip: Callable[[str], None] = lambda _: None) -> list[str]:
    """The paths of ``find_dump_files``, without a check for names of the same state.

    Raises:
        InputError: a folder holds no dump.
    """
    if path == "-" or not Path(path).is_dir():
        return [path]
    return [str(file) for file in _Folder(path, skip).files]


def file_marker(path: str) -> Marker | None:
    """The marker that a file's name implies, for a dump without one.

    Example:
        >>> file_marker("irs/ttir_resnet_g0_1755000000123.mlir").pass_name
        'ttir'
    """
    match = _NAMED.fullmatch(_stem(Path(path).name) or "")
    name = match and (match["stage"] or match["pass"])
    return Marker(name, name, None) if name else None


class _Folder:
    """The dumps of a folder at any depth, in the order in which they are read.

    ``states``: by folder that holds pairs, the states that its files' names imply.
    """

    def __init__(self, path: str, skip: Callable[[str], None]) -> None:
        self._path = Path(path)
        found = _ir_files(self._path, skip)
        self.states = _states(found)
        self.files = sorted(found, key=self._place)
        self._graphs = 0
        self._stages: set[tuple[Sequence[str], str]] = set()

    def dump_file(self, file: Path) -> DumpFile:
        """The file with the program it is of; asked for in order."""
        parts = self._parts(file)
        states = self.states.get(file.parent)
        if states is None or (not _is_ir_file(file.name) and file.name not in states.by_file):
            return DumpFile(str(file), self._program(parts))
        state = states.by_file.get(file.name)
        if state is None:
            return DumpFile(str(file), "/".join(parts), is_apart=True)
        passes = {other.pass_name for other in states.by_file.values() if other.program == state.program}
        own = " ".join(filter(None, (state.program, state.pass_name if len(passes) > 1 else "")))
        return DumpFile(str(file), "/".join([*parts[:-1], own]), state)

    def _place(self, file: Path) -> _Key:
        """A sort key; states are placed by program, pass and time where their program's name would."""
        parts = self._parts(file)
        states = self.states.get(file.parent)
        state = states.by_file.get(file.name) if states is not None else None
        if state is None:
            return _order(parts)
        words = (*parts[:-1], state.program, state.pass_name, str(int(state.moment)))
        return [*map(_natural, words)]

    def _parts(self, file: Path) -> tuple[str, ...]:
        return file.relative_to(self._path).parts

    def _program(self, parts: Sequence[str]) -> str:
        *folders, name = parts
        match = _NAMED.fullmatch(_stem(name) or name)
        if match and match["stage"]:
            return match["graph"] or self._ungraphed(folders, match["stage"])
        if not _is_ir_file(name):  # a log is a history of its own
            return "/".join(parts)
        nested = match["counters"].count("_") if match else 0
        return "/".join(folders[: len(folders) - nested])

    def _ungraphed(self, folders: Sequence[str], stage: str) -> str:
        """Each graph passes every stage once: a stage that comes again is one of the next graph."""
        if (tuple(folders), stage) in self._stages:
            self._graphs += 1
            self._stages.clear()
        self._stages.add((tuple(folders), stage))
        return "/".join([*folders, f"graph {self._graphs}"])


def _ir_files(folder: Path, skip: Callable[[str], None]) -> list[Path]:
    named = [p for p in folder.rglob("*") if p.is_file() and _stem(p.name) is not None]
    if not named:
        raise InputError(str(folder), None, f"no {', '.join(DUMP_SUFFIXES)} file in this folder")
    found = [p for p in named if _is_ir_file(p.name) or holds_ir(str(p))]
    if not found:
        raise InputError(str(folder), None, f"no {IR_SUFFIX} file in this folder, and no other with IR in it")
    for other in sorted({*named} - {*found}):
        skip(str(other))
    return found


def _states(files: Sequence[Path]) -> dict[Path, States]:
    """By folder the states of a program, if names form pairs and have no order of their own."""
    from eio_audit.mlir.input.states import find_states, parse_state

    def may_be_state(name: str, stem: str) -> bool:
        """A ``.log`` or ``.txt`` file may be one only if its name has a pass."""
        return _is_ir_file(name) or ((state := parse_state(stem)) is not None and state.pass_name != "")

    by_folder: dict[Path, dict[str, str]] = {}
    for file in files:
        by_folder.setdefault(file.parent, {})[file.name] = _stem(file.name) or file.name
    states = {}
    for folder, names in by_folder.items():
        if not any(map(_NAMED.fullmatch, names.values())):
            states[folder] = find_states({n: stem for n, stem in names.items() if may_be_state(n, stem)})
    return {folder: found for folder, found in states.items() if found.by_file or found.alike}


def _packed(name: str) -> str:
    return next((suffix for suffix in _PACKED_SUFFIXES if name.endswith(suffix)), "")


def _is_ir_file(name: str) -> bool:
    return name.removesuffix(_packed(name)).endswith((IR_SUFFIX, IR_SUFFIX + TEXT_SUFFIX))


def _stem(name: str) -> str | None:
    """The name without its known ending; None if it has none."""
    name = name.removesuffix(_packed(name))
    ending = next((suffix for suffix in DUMP_SUFFIXES if name.endswith(suffix)), None)
    return None if ending is None else name.removesuffix(ending).removesuffix(IR_SUFFIX)


def _order(parts: Sequence[str]) -> _Key:
    """A sort key: folders with the counters that belong to them, outermost first, then the name."""
    *folders, name = parts
    stem = _stem(name) or name
    match = _NAMED.fullmatch(stem)
    if match and match["stage"]:
        rank = next(k for k, dialect in enumerate(_STAGES) if dialect in match["stage"])
        return [*map(_natural, (*folders, match["milliseconds"], str(rank), stem))]
    counters = match["counters"].split("_") if match else []
    outer = len(folders) - len(counters)
    key = [_natural(folder) for folder in folders[: max(outer, 0)]]
    for level, counter in enumerate(counters, outer):  # the last counter is of the innermost folder
        key += [_natural(folders[level])] if level >= 0 else []
        key.append(_natural(counter))
    return [*key, _natural(stem)]


def _natural(name: str) -> list[tuple[int, str]]:
    parts = _DIGITS.split(name)  # text and digits in turn
    return [(int(part[:18]), "") if place % 2 else (0, part) for place, part in enumerate(parts)]
