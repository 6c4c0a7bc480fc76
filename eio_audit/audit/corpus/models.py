"""The models of a corpus: which model a file belongs to, which files a model has, and the figures of a check.

Two dumps are *unlike*, so of different models, if both have locations, no name and no place in a source file
occurs in the locations of both, and no function of one has the same names of ops in the same order as a
function of the other. Passes keep locations, so stages of one program share some. Dumps without locations may
be stages of one program.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from eio_audit.audit.check.figures import DumpAudit, summarize
from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.folders import DumpFile, file_marker, is_ir_file, kernel_of, program_folders
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, source_name
from eio_audit.mlir.traits import OpTable

_LOCATION = rb"\bloc\([^\n]*"
_NAME = rb'"(?:[^"\\\n]|\\.)+"(?::[0-9]+:[0-9]+)?'
_OF_PASS = ("inversions", "avoidable", "avoidable_constants", "avoidable_splits", "wrong_indices")
_OF_MODEL = (*_OF_PASS, "forced", "minimum", "certified")


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


class Model(NamedTuple):
    """A model that a compiler translated."""

    name: str  # what it is called in the folder
    path: str  # the folder or the file that has its dumps and no others; empty if there is none
    files: tuple[DumpFile, ...]  # the files with its dumps, in the order of the passes

    @property
    def first_path(self) -> str:
        """Its path, or that of its first file if there is none."""
        return self.path or self.files[0].path

    @property
    def size_bytes(self) -> int:
        """The size of its files; a pipe, or a file that cannot be read, counts as 0."""
        size = 0
        for file in self.files:
            with suppress(OSError):
                size += Path(file.path).stat().st_size
        return size


def find_models(found: Iterable[tuple[str, DumpFile]]) -> list[Model]:
    """Return the models of files, each after the folder that it was found in, or its own path."""
    name_of_program: dict[str, str] = {}
    files: dict[str, list[DumpFile]] = {}
    paths: dict[str, str] = {}
    for root, file in found:
        name = name_of_program.setdefault(file.program, _model_name(file, root))
        files.setdefault(name, []).append(file)
        paths.setdefault(name, str(Path(root, name)))
    models = []
    for name, own in files.items():
        path = Path(paths[name])
        is_all_in = all(path in (Path(file.path), *Path(file.path).parents) for file in own)
        models.append(Model(name, paths[name] if is_all_in else "", tuple(own)))
    return models


def models_of(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the models of files by the names that dumps give as their source.

    If models of one name were found in several folders, each name begins with its folder. Before the path of
    each file is the folder that it was found in, or its own path.
    """
    models = {path: (model_of(path, root), root) for root, path in found}
    roots: dict[str, set[str]] = {}
    for model, root in models.values():
        roots.setdefault(model, set()).add(root)
    named = {}
    for path, (model, root) in models.items():
        in_full = root if _name(root) == model else str(Path(root, model))
        named[source_name(path)] = model if len(roots[model]) == 1 else in_full
    return named


def _model_name(file: DumpFile, root: str) -> str:
    """The model of a file. A program whose files are beside those of others is a model of its own."""
    name = model_of(file.path, root)
    is_beside_others = name == Path(file.path).name
    return (file.program or model_of(root, root)) if is_beside_others else name


def are_unlike(one: Dump, other: Dump, op_table: OpTable) -> bool:
    """Whether two dumps have nothing in common, so that they are no stages of one program."""
    names = _location_names(one)
    others = _location_names(other)
    if not (names and others and names.isdisjoint(others)):
        return False
    try:
        return _functions(one, op_table).isdisjoint(_functions(other, op_table))
    except InputError:  # the trace says so
        return False


def _location_names(dump: Dump) -> set[bytes]:
    return {name for line in re.findall(_LOCATION, dump.text) for name in re.findall(_NAME, line)}


def _functions(dump: Dump, op_table: OpTable) -> set[tuple[str, ...]]:
    ir = read_ir(dump.source, dump.span, op_table)
    return {
        tuple(map(ir.name, ir.nested_ops(op)))
        for op in range(len(ir))
        if ir.name(op) in op_table.function_names and ir.nested_ops(op)
    }


class ModelFigures(NamedTuple):
    """The figures of one model."""

    model: str  # its name
    dumps: int  # how many dumps of it could be read
    errors: int  # how many could not
    unjudged: int  # how many of its files could not be judged, because nothing in them is indexed
    ops: int  # the ops of all its dumps
    inversions: int  # what several dumps of a log show counts once, in this figure and in those that follow
    forced: int  # inversions that a dependence forces
    minimum: int  # inversions that no order avoids
    avoidable: int  # inversions that a fix removes
    avoidable_constants: int  # those of these that hoisted constants cause
    avoidable_splits: int  # those of these that splits cause
    wrong_indices: int  # ops whose index is wrong
    certified: bool  # whether the minimum is proven
    findings: int  # how many findings it has
    # The first of its dumps with most avoidable inversions, then with most of any kind; None if no dump
    # has inversions.
    worst: DumpAudit | None

    @property
    def is_clean(self) -> bool:
        """Whether all of it could be read and is in order."""
        return not (self.inversions or self.findings or self.errors)


class PassFigures(NamedTuple):
    """The figures of all dumps before or after a pass: what they show, whichever pass brought it in."""

    pass_name: str | None  # the pass; None for dumps without a marker
    when: str | None  # `"before"` or `"after"` it; None if only the name of a file says which pass it is
    dumps: int  # how many there are
    models: int  # of how many models
    models_avoidable: int  # and in how many of these models they have avoidable inversions
    inversions: int  # added up over the dumps, like the figures that follow
    avoidable: int  # inversions that a fix removes
    avoidable_constants: int  # those of these that hoisted constants cause
    avoidable_splits: int  # those of these that splits cause
    wrong_indices: int  # ops whose index is wrong
    findings: int  # findings that these dumps are the first to show

    @property
    def moment(self) -> str:
        """Which dumps they are: ``after canonicalize``. Empty for dumps without a marker."""
        return " ".join(filter(None, (self.when, self.pass_name)))

    @property
    def is_clean(self) -> bool:
        """Whether these dumps are in order."""
        return not (self.inversions or self.findings)


def figures_by_model(verdict: Verdict) -> list[ModelFigures]:
    """Return the figures of every model, those with most avoidable inversions first, then by findings."""
    check = verdict.check
    findings = Counter(check.model_of(finding.source) for finding in verdict.findings)
    badness = attrgetter("summary.avoidable", "summary.inversions")
    figures = []
    for name, own in check.by_model.items():
        worst = max(own.dumps, key=badness, default=None)
        one = ModelFigures(
            model=name,
            dumps=len(own.dumps),
            errors=len(own.errors),
            unjudged=len(own.unjudged),
            ops=own.summary.ops,
            findings=findings[name],
            worst=worst if worst is not None and worst.summary.inversions else None,
            **{figure: getattr(own.each_inversion_once, figure) for figure in _OF_MODEL},
        )
        figures.append(one)
    return sorted(figures, key=lambda one: (-one.avoidable, -one.findings, -one.inversions, -one.errors))


def figures_by_pass(verdict: Verdict) -> list[PassFigures]:
    """Return the figures of every pass, those with most avoidable inversions first, then by findings."""
    check = verdict.check
    dumps = defaultdict[tuple[str | None, str | None], list[DumpAudit]](list)
    pass_of = {}
    for dump in check.dumps:
        pass_of[dump.source, dump.line] = dump.pass_name, dump.when
        dumps[dump.pass_name, dump.when].append(dump)
    findings = Counter(pass_of.get((one.source, one.place.line)) for one in verdict.findings)
    figures = []
    for (pass_name, when), own in dumps.items():
        total = summarize(own)
        one = PassFigures(
            pass_name=pass_name,
            when=when,
            dumps=len(own),
            models=len({check.model_of(dump.source) for dump in own}),
            models_avoidable=len({check.model_of(dump.source) for dump in own if dump.summary.avoidable}),
            findings=findings[pass_name, when],
            **{figure: getattr(total, figure) for figure in _OF_PASS},
        )
        figures.append(one)
    return sorted(figures, key=lambda one: (-one.avoidable, -one.findings, -one.inversions))
