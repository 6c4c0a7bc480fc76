"""Folders of dumps: which files belong together, in what order compilers wrote them, and for which pass.

Seven layouts have the pass in the file name:

- ``--mlir-print-ir-tree-dir``: a folder per op, ``<op>_<symbol>``, with files ``<n>[_<n>...]_<pass>.mlir``.
  Each op counts its dumps. A name has the current counters of the enclosing ops, outermost first, then the
  op's own counter (MLIR, lib/Pass/IRPrinting.cpp). So ``2_inline`` came first, then ``2_0_cse`` and
  ``2_1_cse`` of a function inside, then ``3_inline``.
- numbered: ``<pipeline>/<n>_<pass>.mlir`` (or ``<n>-<pass>``), with one pipeline per folder. At its finest
  level, tt-mlir also writes a file for each attempt of a pattern and each iteration of a greedy rewrite.
  Those show a single op, and are left out. But an iteration over a whole function or module hides the dump of
  its pass, which has the same text and is not written. So the last one before another pass stands for its
  pass. With one number, the dump before a pass comes before the one after it, if the folder has both:
  ``<n>_<pass>_before.mlir`` and ``<n>_<pass>_after.mlir``, with the word anywhere behind the number.
  ``FAILED`` is a pass that failed.
- of passes: ``[<program>.]pass_<n>.after.<pass>.mlir`` or ``<n>_after_<pass>.mlir``, with all programs in one
  folder.
- tt-xla's ``irs``: ``<stage>[_<graph>]_<milliseconds>.mlir``, with all graphs in one folder.
- XLA's ``--xla_dump_to``: ``<kernel>-<stage>.mlir``, with all kernels in one folder.
- Triton's cache: ``<hash>/<kernel>.<stage>``, beside LLVM IR, PTX and JSON.
- pairs: ``[<program>-]before[-<pass>].mlir`` and ``[<program>-]after[-<pass>].mlir``. Such a name implies a
  *state* of a program. ``-``, ``_``, ``.`` and blanks separate words, and the first of the two words counts:
  ``ttir-before-erase-inverse-ops``, ``net_after_EraseInverseOps``, ``before``. ``PROGRAM`` or
  ``[PROGRAM-]source`` (``input``, ``original``, ``initial``) is the source of both. These names count only in
  a folder with a pair, before and after, of one program and one pass. Elsewhere ``after_fusion`` may be just
  the name of a stage.

Other names imply no order, but for those of the stages of a compiler: ``ttir.mlir`` comes before
``ttgir.mlir``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from eio_audit.mlir.input.markers import Marker, holds_ir
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, Source

IR_SUFFIX = ".mlir"
TEXT_SUFFIX = ".txt"
LOG_SUFFIXES = (".log", TEXT_SUFFIX)
_TRITON_SUFFIXES = (".source", ".ttir", ".ttgir")  # of the stages that are MLIR
DUMP_SUFFIXES = (IR_SUFFIX, *LOG_SUFFIXES, *_TRITON_SUFFIXES)
"""Endings of dumps. One of ``_PACKED_SUFFIXES`` may follow. ``.mlir.txt`` counts as ``.mlir``."""
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".lz4")
_ARCHIVE_SUFFIXES = (".zip", ".7z", ".rar", ".tar", ".tgz")
_DIGITS = pattern(r"([0-9]+)")
_STAGES = ("vhlo", "shlo", "ttir", "ttnn")
_KERNEL_STAGES = ("pre-optimization", "post-optimization", "post-lowering", "source", "ttir", "ttgir")
_NAMED = pattern(
    r"(?P<counters>[0-9]+(?:_[0-9]+)*)[_-](?P<pass>[^0-9_].*)"
    r"|(?P<stage>vhlo|(?:frontend_)?shlo(?:_(?:frontend|set_mesh_attr|compiler|cleaned))*|ttir|ttnn)"
    r"(?:_(?P<graph>.+_g[0-9]+))?_(?P<milliseconds>[0-9]{10,})"
    rf"|(?P<kernel>.+)(?:-(?=p)|\0)(?P<step>{'|'.join(_KERNEL_STAGES)})"
)
"""A file name without its ending that has counters and a pass, or a stage."""
_CHAINS = (
    ("tt", "ttir", "ttgir", "ttshared", "ll", "llir"),
    ("vhlo", "shlo", "ttir", "ttnn"),
)
"""The stages of compilers, in order: those of Triton, and of its shared middle layer; those of tt-xla."""
_COUNTED = pattern(r"(?P<counters>[0-9]+(?:_[0-9]+)*)[-_. ]+(?P<words>[^0-9_].*)")
_OF_PASS = pattern(
    r"(?i)(?:(?:(?P<prefix>.+?)[-_. ])?pass[-_. ]?)?(?P<counters>[0-9]++)[-_. ]"
    r"(?P<when>before|after)[-_. ](?P<pass>[^-_. ].*)"
)
"""A file name with the number of a pass, and ``before`` or ``after`` directly behind it."""
_OP = pattern(rb"(?m)^(?!#)[ \t]*+(?:%[^\n=]*+= )?\"?([A-Za-z_]\w*+\.[\w.]++)")
"""The name of an op at the beginning of a line. Locations need no line of their own."""
_BETWEEN_WORDS = "-_. "
_WORD = pattern(r"[^-_. ]+")
_FAILED = "FAILED"
_HASH = pattern(r"[A-Z2-7]{52}|[0-9a-f]{64}")  # the name of a folder in Triton's cache
_RUN = pattern(r"_run[0-9a-f]+(?=_g[0-9]+\Z)")  # the id of a run in the name of a graph
_ITERATION = "GreedyPatternRewriteIteration"
SINGLE_REWRITES = ("apply-pattern", _ITERATION)
"""How the passes in the names of files with single rewrites begin."""
_REWRITE = pattern(rf"(?:apply-pattern|{_ITERATION}_iter[0-9]+)_.+")
_OF_WHOLE_OP = pattern(rf"{_ITERATION}_iter[0-9]+_(?:builtin_module|func_func)")
_REMEMBERED = 1 << 12  # how many names are remembered, since the files of many models have the same ones
HOW_TO_NAME_STATES = (
    "name pairs PROGRAM-before-PASS.mlir and PROGRAM-after-PASS.mlir, and their source PROGRAM.mlir"
)
"""How to name files so that pairs are found."""
_STATE = pattern(r"(?i)(?:(?P<program>.*?)[-_. ]+)?(?P<moment>before|after)(?:[-_. ]+(?P<pass>.+))?")
_SOURCE = pattern(r"(?i)(?:(?P<program>.+)[-_. ]+)?(?:source|input|original|initial)")
_Key = list[list[tuple[int, str]]]


class DumpFile(NamedTuple):
    """A file to read."""

    path: str  # the path, or `-` for standard input
    # The program its dumps are states of. Equal for files that show one program at several times.
    program: str
    state: State | None = None  # in a folder with pairs of before and after, the state that its name implies
    is_apart: bool = False  # whether the folder has such pairs and this file belongs to none
    marker: Marker | None = None  # in a pair with one number, the marker that its name implies
    is_in_order: bool = True  # whether its name tells its place among the stages of its folder


def find_dump_files(path: str, skip: Callable[[str], None] = lambda _: None) -> list[DumpFile]:
    """Return the files to read for a path: the file itself, or all dumps in a folder in the order of passes.

    In a folder, every ``.mlir`` file is a dump. A ``.log`` or ``.txt`` file is a dump if it holds IR.
    ``skip`` gets the other ``.log`` and ``.txt`` files, and those of single rewrites. Names that imply no
    order are sorted naturally: ``9_cse`` before ``10_cse``.

    Raises:
        InputError: a folder holds no dump or cannot be read, or names of several files imply the same state.
    """
    if not _is_folder(path):
        return [DumpFile(path, "")]
    folder = _Folder(path, skip)
    for states in folder.states.values():
        if states.alike:
            alike = ", ".join(states.alike[0])
            raise InputError(path, None, f"files with names of the same state: {alike}; {HOW_TO_NAME_STATES}")
    return list(map(folder.dump_file, folder.files))


def find_files(path: str, skip: Callable[[str], None] = lambda _: None) -> list[str]:
    """Return the paths of ``find_dump_files``, but do not check whether two names imply the same state.

    Raises:
        InputError: a folder holds no dump or cannot be read.
    """
    if not _is_folder(path):
        return [path]
    return [file.path for file in _Folder(path, skip).files]


def file_marker(path: str) -> Marker | None:
    """Return the marker that a file name implies, for a dump that has none.

    >>> file_marker("irs/ttir_resnet_g0_1755000000123.mlir").pass_name
    'ttir'
    """
    if (half := _of_pass(path.rpartition(os.sep)[2])) is not None:
        return half.marker
    match = _named(path.rpartition(os.sep)[2])
    name = match and (match["stage"] or match["pass"] or match["step"])
    if name and _OF_WHOLE_OP.fullmatch(name):
        name = _ITERATION
    if name and match and match["pass"] and (words := _without(_FAILED, name)) is not None:
        return Marker(words, words, None, failed=True)
    return Marker(name, name, None) if name else None


def kernel_of(path: str) -> str | None:
    """Return the kernel that a file of XLA or Triton shows at some stage; None for other files.

    >>> kernel_of("dumps/module_0009.jit_f.fusion_kernel_module-pre-optimization.mlir")
    'module_0009.jit_f.fusion_kernel_module'
    """
    match = _named(path.rpartition(os.sep)[2])
    return match and match["kernel"]


def name_in_any_run(path: str) -> str:
    """Return the path of a file without what another run has in its place: a time, the id of a run, a hash.

    >>> name_in_any_run("irs/ttir_resnet_runf20d_g0_1755000000123.mlir")
    'irs/ttir_resnet_g0.mlir'
    """
    if path.endswith(_TRITON_SUFFIXES):
        return str(Path(*(part for part in Path(path).parts if not _HASH.fullmatch(part))))
    folder, separator, name = path.rpartition(os.sep)
    match = _named(name)
    if match is None or not match["stage"]:
        return path
    words = filter(None, (match["stage"], _RUN.sub("", match["graph"] or "")))
    return f"{folder}{separator}{'_'.join(words)}{IR_SUFFIX}"


def is_rewrite(path: str) -> bool:
    """Return whether a file name says that the file shows what a single rewrite of tt-mlir left.

    >>> is_rewrite("7_apply-pattern_ttir_add.mlir"), is_rewrite("8_Canonicalizer.mlir")
    (True, False)
    """
    match = _named(path.rpartition(os.sep)[2])
    return bool(match and match["pass"] and _REWRITE.fullmatch(match["pass"]))


class _File(NamedTuple):
    """A file in a folder: its path, the folders below that folder that it is in, and its name."""

    path: str
    folders: tuple[str, ...]
    name: str

    @property
    def parts(self) -> tuple[str, ...]:
        return (*self.folders, self.name)


def is_ir_file(name: str) -> bool:
    """Return whether a file name has the ending of a dump that is not a log."""
    name = name.removesuffix(_packed(name))
    return name.endswith((IR_SUFFIX, IR_SUFFIX + TEXT_SUFFIX, *_TRITON_SUFFIXES))


def program_folders(parts: Sequence[str]) -> Sequence[str]:
    """Return the folders around a program, outermost first, from the parts of the path of one of its files.

    A file with several counters is in a folder of an op inside the program. Such folders are left out.
    """
    *folders, name = parts
    match = _named(name) if is_ir_file(name) else None
    nested = match["counters"].count("_") if match and match["counters"] else 0
    return folders[: max(len(folders) - nested, 0)]


class _Folder:
    """The dumps of a folder at any depth, in the order in which they are read.

    ``states`` has, by folder with pairs, the states that the file names imply.
    """

    def __init__(self, path: str, skip: Callable[[str], None]) -> None:
        found = _ir_files(path, skip)
        self._paired = _paired(found)
        self.states = _states([file for file in found if file not in self._paired])
        self._ranks = _ranks([file for file in found if _named(file.name) is None])
        self.files = _without_rewrites(sorted(found, key=self._place), skip)
        if not self.files:
            raise InputError(path, None, "no dump in this folder but those of single rewrites")
        self._graphs = 0
        self._stages: set[tuple[tuple[str, ...], str]] = set()

    def dump_file(self, file: _File) -> DumpFile:
        """Return the file with its program. Call this in order."""
        if (half := self._paired.get(file)) is not None:
            folders = half.folders(file)
            program = "/".join(program_folders([*folders, f"{half.counters}_pass{IR_SUFFIX}"]))
            return DumpFile(file.path, program, marker=half.marker)
        states = self.states.get(file.folders)
        if states is None or (not is_ir_file(file.name) and file.name not in states.by_file):
            is_in_order = _named(file.name) is not None or file in self._ranks
            return DumpFile(file.path, self._program(file), is_in_order=is_in_order)
        state = states.by_file.get(file.name)
        if state is None:
            return DumpFile(file.path, "/".join(file.parts), is_apart=True)
        has_passes = len(states.passes.get(state.program, ())) > 1
        own = " ".join(filter(None, (state.program, state.pass_name if has_passes else "")))
        return DumpFile(file.path, "/".join([*file.folders, own]), state)

    def _place(self, file: _File) -> _Key:
        """Return a sort key. States sort by program, pass and time, where their program's name would be."""
        if (pair := self._paired.get(file)) is not None:
            key = _counted_key(pair.folders(file), pair.counters, f"{pair.counters}_{pair.marker.pass_name}")
            return [*key, [(int(pair.marker.when == "after"), "")]]
        states = self.states.get(file.folders)
        state = states.by_file.get(file.name) if states is not None else None
        if state is None:
            rank = self._ranks.get(file)
            return _order(file) if rank is None else [*map(_natural, file.folders), [(rank, "")]]
        words = (*file.folders, state.program, state.pass_name, str(int(state.moment)))
        return [*map(_natural, words)]

    def _program(self, file: _File) -> str:
        match = _named(file.name)
        if match and match["stage"]:
            if match["graph"]:
                return "/".join([*file.folders, match["graph"]])
            return self._ungraphed(file.folders, match["stage"])
        if match and match["kernel"]:
            return "/".join([*file.folders, match["kernel"]])
        if not is_ir_file(file.name):  # a log is a history of its own
            return "/".join(file.parts)
        return "/".join(program_folders(file.parts))

    def _ungraphed(self, folders: tuple[str, ...], stage: str) -> str:
        """Each graph passes every stage once. A stage that repeats belongs to the next graph."""
        if (folders, stage) in self._stages:
            self._graphs += 1
            self._stages.clear()
        self._stages.add((folders, stage))
        return "/".join([*folders, f"graph {self._graphs}"])


def _is_folder(path: str) -> bool:
    """Return whether a path is a folder. If the system does not say, it is none, and reading it fails."""
    try:
        return path != "-" and Path(path).is_dir()
    except OSError:
        return False


def _ir_files(path: str, skip: Callable[[str], None]) -> list[_File]:
    folder = str(Path(path))
    files = list(_files_in(folder))
    cached = {file.folders for file in files if file.name.endswith(_TRITON_SUFFIXES[1:])}
    others = {file for file in files if file.name.endswith(".source") and file.folders not in cached}
    named = [file for file in files if _stem(file.name) is not None and file not in others]
    archives = [file for file in files if is_archive(file.name)]
    cure = f"; unpack {archives[0].path} first" if archives else ""
    if not named:
        raise InputError(folder, None, f"no {', '.join(DUMP_SUFFIXES)} file in this folder{cure}")
    found = [file for file in named if is_ir_file(file.name) or holds_ir(file.path)]
    if not found:
        raise InputError(
            folder, None, f"no {IR_SUFFIX} file in this folder, and no other with IR in it{cure}"
        )
    named += [*archives, *(file for file in files if file.folders in cached)]
    for other in sorted({*named} - {*found}, key=lambda file: file.parts):
        skip(other.path)
    return found


def _without_rewrites(files: Sequence[_File], skip: Callable[[str], None]) -> list[_File]:
    """Return the files without those of single rewrites, and with those that stand for their pass."""
    kept = list[_File]()
    following: _File | None = None
    for file in reversed(files):
        is_last = following is None or following.folders != file.folders or not is_rewrite(following.name)
        match = _named(file.name)
        is_of_whole_op = match is not None and _OF_WHOLE_OP.fullmatch(match["pass"] or "") is not None
        if not is_rewrite(file.name) or (is_last and is_of_whole_op):
            kept.append(file)
        else:
            skip(file.path)
        following = file
    return kept[::-1]


def _files_in(folder: str, above: tuple[str, ...] = ()) -> Iterator[_File]:
    """Yield the files at any depth, but not behind links to folders; an InputError if one cannot be read."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = entry.name if folder == os.curdir else entry.path
                if entry.is_dir(follow_symlinks=False):
                    yield from _files_in(path, (*above, entry.name))
                elif Path(path).is_file() if entry.is_symlink() else entry.is_file():
                    yield _File(path, above, entry.name)
    except OSError as error:
        name = str(error.filename or folder)
        raise InputError(name, None, f"cannot read: {error.strerror or error}") from error


def _states(files: Sequence[_File]) -> dict[tuple[str, ...], States]:
    """Return the states of a program by folder, if names form pairs and imply no other order."""
    by_folder: dict[tuple[str, ...], dict[str, str]] = {}
    for file in files:
        by_folder.setdefault(file.folders, {})[file.name] = _stem(file.name) or file.name
    unordered = {folder: names for folder, names in by_folder.items() if not any(map(_named, names))}
    if not unordered:
        return {}

    def may_be_state(name: str, stem: str) -> bool:
        """A ``.log`` or ``.txt`` file may be a state only if its name has a pass."""
        return is_ir_file(name) or ((state := parse_state(stem)) is not None and state.pass_name != "")

    states, paths = {}, {(file.folders, file.name): file.path for file in files}
    for folder, names in unordered.items():
        found = find_states({n: stem for n, stem in names.items() if may_be_state(n, stem)})
        ops = {name: partial(_ops_in, paths[folder, name]) for name in found.by_file}
        states[folder] = _without_forms(found, ops)
    return {folder: found for folder, found in states.items() if found.by_file or found.alike}


def _without_forms(states: States, ops: Mapping[str, Callable[[], object]]) -> States:
    """Return the states; where names differ only by how one program was printed, they name no passes.

    So it is if several pairs of a folder have the same ops before and the same ops after. ``ops`` reads the
    ops of a file.
    """
    own = {file: state for file, state in states.by_file.items() if not state.program and state.pass_name}
    if len({state.pass_name for state in own.values()}) < 2:
        return states
    texts = {moment: {ops[file]() for file, one in own.items() if one.moment is moment} for moment in Moment}
    if len(texts[Moment.BEFORE]) != 1 or len(texts[Moment.AFTER]) != 1:
        return states
    forms = {file: State(state.pass_name, "", state.moment) for file, state in own.items()}
    return states._replace(by_file={**states.by_file, **forms})


def _ops_in(path: str) -> object:
    """Return the names of the ops in a file, in order; what nothing equals if it cannot be read."""
    try:
        return tuple(_OP.findall(Source.read(path).data))
    except InputError:
        return object()


class _Half(NamedTuple):
    """One file before or after a pass: its counters, its marker, and the program that stands before them."""

    counters: str
    marker: Marker
    program: str = ""

    def folders(self, file: _File) -> tuple[str, ...]:
        """The folders of its file, and that of its program, as if it had one."""
        return (*file.folders, self.program) if self.program else file.folders


def _of_pass(name: str) -> _Half | None:
    """Return what a file name says that has the number of a pass and when it shows the program; else None."""
    match = _OF_PASS.fullmatch(_stem(name) or "") if is_ir_file(name) else None
    if match is None:
        return None
    marker = Marker(match["pass"], match["pass"], match["when"].lower())
    return _Half(match["counters"], marker, match["prefix"] or "")


def _paired(files: Sequence[_File]) -> dict[_File, _Half]:
    """Return the files whose names form pairs before and after a pass, with the same counters.

    Any word may be the one that says when, as long as the other file has the same words around its own. If it
    is the first one, no other file is needed.
    """
    alone = {file: half for file in files if (half := _of_pass(file.name)) is not None}
    by_pass: dict[tuple[tuple[str, ...], str, str], dict[str, tuple[_File, bool]]] = {}
    for file in files:
        match = _COUNTED.fullmatch(_stem(file.name) or "")
        if match is None or not is_ir_file(file.name):
            continue
        words = _without(_FAILED, match["words"])
        failed, words = words is not None, match["words"] if words is None else words
        moments = {when: rest for when in ("before", "after") if (rest := _without(when, words)) is not None}
        for when, name in (moments or ({"after": words} if failed else {})).items():
            by_pass.setdefault((file.folders, match["counters"], name), {}).setdefault(when, (file, failed))
    return alone | {
        file: _Half(counters, Marker(name, name, when, failed))
        for (_, counters, name), both in by_pass.items()
        if len(both) > 1
        for when, (file, failed) in both.items()
    }


def _without(word: str, name: str) -> str | None:
    """Return a name without one of its words; None if it has not both that word and others.

    >>> _without("before", "cse_Before"), _without("before", "cse")
    ('cse', None)
    """
    forms = {word, word.capitalize(), word.upper()}
    found = next((one for one in _WORD.finditer(name) if one[0] in forms), None)
    sides = (name[: found.start()], name[found.end() :]) if found else ()
    return "_".join(filter(None, (side.strip(_BETWEEN_WORDS) for side in sides))) or None


def _ranks(files: Sequence[_File]) -> dict[_File, int]:
    """Return the places of files named after stages of one compiler, if all in their folder are."""
    stages: dict[tuple[str, ...], dict[_File, list[str]]] = {}
    for file in files:
        words = _WORD.findall(_stem(file.name) or "")
        stages.setdefault(file.folders, {})[file] = words
    ranks: dict[_File, int] = {}
    for named in stages.values():
        for chain in _CHAINS:
            own = {file: [word for word in words if word in chain] for file, words in named.items()}
            rest = {tuple(word for word in words if word not in chain) for words in named.values()}
            if len(rest) == 1 and all(len(found) == 1 for found in own.values()):
                ranks |= {file: chain.index(found[0]) for file, found in own.items()}
                break
    return ranks


def is_archive(path: str) -> bool:
    """Return whether a file's name is that of an archive, which may hold dumps but is not read."""
    return path.removesuffix(_packed(path)).endswith(_ARCHIVE_SUFFIXES)


def _packed(name: str) -> str:
    return next((suffix for suffix in _PACKED_SUFFIXES if name.endswith(suffix)), "")


@lru_cache(_REMEMBERED)
def _named(name: str) -> re.Match[str] | None:
    return _NAMED.fullmatch(_stem(name) or "")


@lru_cache(_REMEMBERED)
def _stem(name: str) -> str | None:
    """Return the name without its ending, or None if the ending is not one of a dump."""
    name = name.removesuffix(_packed(name))
    ending = next((suffix for suffix in DUMP_SUFFIXES if name.endswith(suffix)), None)
    if ending in _TRITON_SUFFIXES:
        return name.removesuffix(ending) + "\0" + ending[1:]  # unlike any other name
    return None if ending is None else name.removesuffix(ending).removesuffix(IR_SUFFIX)


def _order(file: _File) -> _Key:
    """Return a sort key: the folders with their counters, outermost first, then the name."""
    folders, stem, match = file.folders, _stem(file.name) or file.name, _named(file.name)
    if match and match["stage"]:
        rank = next(k for k, dialect in enumerate(_STAGES) if dialect in match["stage"])
        return [*map(_natural, (*folders, match["milliseconds"], str(rank), stem))]
    if match and match["kernel"]:
        return [*map(_natural, (*folders, match["kernel"], str(_KERNEL_STAGES.index(match["step"]))))]
    return _counted_key(folders, match["counters"] if match else "", stem)


def _counted_key(folders: Sequence[str], counted: str, stem: str) -> _Key:
    counters = counted.split("_") if counted else []
    outer = len(folders) - len(counters)
    key = [_natural(folder) for folder in folders[: max(outer, 0)]]
    for level, counter in enumerate(counters, outer):  # the last counter belongs to the innermost folder
        key += [_natural(folders[level])] if level >= 0 else []
        key.append(_natural(counter))
    return [*key, _natural(stem)]


@lru_cache(_REMEMBERED)
def _natural(name: str) -> list[tuple[int, str]]:
    parts = _DIGITS.split(name)  # text and digits alternate
    return [(int(part[:18]), "") if place % 2 else (0, part) for place, part in enumerate(parts)]


class Moment(IntEnum):
    """When a program was in a state, in order of time."""

    SOURCE = 0
    BEFORE = 1
    AFTER = 2


class State(NamedTuple):
    """The state that a file name implies. Program and pass may be empty."""

    program: str
    pass_name: str
    moment: Moment

    @property
    def marker(self) -> Marker | None:
        """The marker that a compiler would print above the dump. None for a source or without a pass."""
        if not self.pass_name or self.moment is Moment.SOURCE:
            return None
        when = "after" if self.moment is Moment.AFTER else "before"
        return Marker(self.pass_name, self.pass_name, when)


class States(NamedTuple):
    """The states that the file names of one folder imply."""

    by_file: dict[str, State]  # the state of each file that is in a state of its own
    alike: tuple[tuple[str, ...], ...]  # the files of each state that several have
    passes: Mapping[str, Sequence[str]]  # by program, the passes that have pairs


def parse_state(name: str) -> State | None:
    """Return the state that a name without its ending implies, or None.

    >>> parse_state("ttir-before-erase-inverse-ops")
    State(program='ttir', pass_name='erase-inverse-ops', moment=<Moment.BEFORE: 1>)
    """
    match = _STATE.fullmatch(name)
    return match and State(match["program"] or "", match["pass"] or "", Moment[match["moment"].upper()])


def find_states(names: Mapping[str, str]) -> States:
    """Return the states of the files of one folder. ``names`` has, by file, its name without ending.

    Without a pair there are no states. A source belongs to a program if exactly one pass of the program has a
    pair. With several passes, the names do not tell which came first.

    >>> states = find_states({"a.mlir": "a", "a-before-cse.mlir": "a-before-cse", "b.mlir": "a-after-cse"})
    >>> [state.moment.name for state in states.by_file.values()]
    ['BEFORE', 'AFTER', 'SOURCE']
    """
    said = {file: state for file, name in names.items() if (state := parse_state(name)) is not None}
    others = {file: name for file, name in names.items() if file not in said}
    before, after = (
        {(state.program, state.pass_name) for state in said.values() if state.moment is moment}
        for moment in (Moment.BEFORE, Moment.AFTER)
    )
    paired = before & after
    passes: dict[str, list[str]] = {}
    for program, pass_name in sorted(paired):
        passes.setdefault(program, []).append(pass_name)
    found = {file: state for file, state in said.items() if (state.program, state.pass_name) in paired}
    for file, name in others.items():
        source_of = _source_of(name, passes)
        if source_of is not None and len(passes[source_of]) == 1:
            found[file] = State(source_of, passes[source_of][0], Moment.SOURCE)
    by_state: dict[State, list[str]] = {}
    for file, state in found.items():
        by_state.setdefault(state, []).append(file)
    return States(
        by_file={file: state for file, state in found.items() if len(by_state[state]) == 1},
        alike=tuple(tuple(sorted(same)) for _, same in sorted(by_state.items()) if len(same) > 1),
        passes=passes,
    )


def _source_of(name: str, programs: Collection[str]) -> str | None:
    """Return the program whose source has this name. A name without program means the only program."""
    if name in programs:
        return name
    match = _SOURCE.fullmatch(name)
    if match is None:
        return None
    program = match["program"] or ""
    if program in programs:
        return program
    return next(iter(programs)) if not program and len(programs) == 1 else None
