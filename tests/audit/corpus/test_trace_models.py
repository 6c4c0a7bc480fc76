"""Many models: which files are one, and their traces in several processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eio_audit import AuditOptions, Trace
from eio_audit.audit.corpus.models import find_models
from eio_audit.audit.corpus.trace_models import TraceModel, trace_models
from tests.internals import BatchSize, Workers, find_dump_files, local_workers
from tests.logs import dump, function, logs

IN_ORDER = dump("After", "start", function("f", 1, 2))
SHUFFLED = IN_ORDER + dump("After", "a", function("f", 2, 1))
BROKEN = dump("After", "a", "func.func @broken() {\n  %0 = \n}\n")
WORSE = dump("After", "start", function("f", 1, 2, 3)) + dump("After", "b", function("f", 3, 2, 1))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with local_workers(2, timeout=20) as started:
        yield started


def write(folder: Path, **texts: str) -> None:
    """Writes a log of each model."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.log").write_text(text)


def models_in(*paths: Path) -> list[Any]:
    return find_models((str(path), file) for path in paths for file in find_dump_files(str(path)))


def traced(folder: Path, trace_model: TraceModel | None = None, workers: Workers | None = None) -> Any:
    return trace_models(models_in(folder), trace_model or TraceModel(), workers)


def files_of(folder: Path, *names: str) -> list[tuple[str, list[str]]]:
    """Writes dumps with these names; the models and the names of their files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SHUFFLED)
    return [
        (model.name, [Path(file.path).relative_to(folder).as_posix() for file in model.files])
        for model in models_in(folder)
    ]


def test_a_model_is_a_folder_or_a_log(tmp_path: Path) -> None:
    assert files_of(tmp_path, "b/1_cse.mlir", "b/p/0_cse.mlir", "a.log", "b/x.log") == [
        ("a.log", ["a.log"]),
        ("b", ["b/1_cse.mlir", "b/p/0_cse.mlir", "b/x.log"]),
    ]


def test_one_program_is_one_model(tmp_path: Path) -> None:
    assert files_of(tmp_path, "ttir.mlir", "ttir-before-cse.mlir", "ttir-after-cse.mlir") == [
        ("ttir", ["ttir.mlir", "ttir-before-cse.mlir", "ttir-after-cse.mlir"])
    ]


def test_programs_side_by_side_are_models_of_their_own(tmp_path: Path) -> None:
    pairs = ["bert-before-cse.mlir", "bert-after-cse.mlir", "yolo-before-cse.mlir", "yolo-after-cse.mlir"]
    assert files_of(tmp_path, *pairs) == [("bert", pairs[:2]), ("yolo", pairs[2:])]


def test_files_of_no_pass_are_states_of_one_model(tmp_path: Path) -> None:
    assert files_of(tmp_path / "resnet", "a.mlir", "b.mlir") == [("resnet", ["a.mlir", "b.mlir"])]


def test_graphs_of_one_folder_are_one_model(tmp_path: Path) -> None:
    graphs = [f"ttir_net_g{number}_175500000000{number}.mlir" for number in (0, 1)]
    assert files_of(tmp_path / "irs", *graphs) == [("irs", graphs)]


def test_files_given_one_by_one_are_one_model(tmp_path: Path) -> None:
    write(tmp_path, a=SHUFFLED, b=SHUFFLED)
    assert [model.name for model in models_in(tmp_path / "a.log", tmp_path / "b.log")] == ["a.log"]


def test_the_path_of_a_model_has_its_dumps_and_no_others(tmp_path: Path) -> None:
    files_of(tmp_path, "a.log", "b/1_cse.mlir", "0_cse.mlir")
    assert {model.name: model.path for model in models_in(tmp_path)} == {
        tmp_path.name: "",
        "a.log": str(tmp_path / "a.log"),
        "b": str(tmp_path / "b"),
    }


def test_the_worst_model_is_first(tmp_path: Path) -> None:
    write(tmp_path, a=IN_ORDER, b=SHUFFLED, c=WORSE)
    result = traced(tmp_path)
    assert [(one.name, one.left, one.made) for one in result.models] == [
        ("c.log", 3, 3),
        ("b.log", 1, 1),
        ("a.log", 0, 0),
    ]
    assert [(one.pass_name, one.made, one.models) for one in result.passes] == [
        ("b", 3, 1),
        ("a", 1, 1),
        ("start", 0, 0),
    ]
    assert [one.place.source for one in result.merged.passes] == [
        str(tmp_path / f"{name}.log") for name in "abbcc"
    ]


@settings(
    max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(logs() | st.just(BROKEN), max_size=6), st.integers(0, 4000))
def test_other_processes_find_the_same(
    workers: Workers, tmp_path_factory: pytest.TempPathFactory, texts: list[str], batch_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    write(folder, **{f"m{n}": text for n, text in enumerate([IN_ORDER, *texts])})
    trace_model = TraceModel(AuditOptions(assume_pure="my.*"))
    others = traced(folder, trace_model, replace(workers, batch_size=BatchSize(batch_bytes)))
    assert plain(others) == plain(traced(folder, trace_model))


def plain(result: Any) -> object:
    """Errors are equal if they say the same."""
    return [
        (name, replace(one, errors=()), list(map(str, one.errors)))
        for name, one in [("", result.merged), *((model.name, model.trace) for model in result.models)]
    ]


@dataclass(frozen=True)
class Deadly(TraceModel):
    """Kills its process, or never comes to an end, where the name of a model says so."""

    def of(self, model: Any, *others: Any, **watched: Any) -> Trace:
        if model.name == "dies.log":
            os._exit(7)
        while model.name == "hangs.log":
            time.sleep(1)
        return super().of(model, *others, **watched)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param(
            "dies", "the process that read it died, perhaps for lack of memory", marks=pytest.mark.slow
        ),
        pytest.param("hangs", "it took longer than 3 seconds", marks=pytest.mark.slow),
    ],
)
def test_a_lost_model_is_an_error_of_its_file(tmp_path: Path, name: str, reason: str) -> None:
    write(tmp_path, **{"a": SHUFFLED, name: SHUFFLED, "z": WORSE})
    with local_workers(2, timeout=3) as workers:
        result = traced(tmp_path, Deadly(), workers)
    assert list(map(str, result.merged.errors)) == [f"{tmp_path / name}.log: error: {reason}"]
    assert [(one.name, one.left) for one in result.models] == [("z.log", 3), ("a.log", 1), (f"{name}.log", 0)]


def test_a_file_that_cannot_be_read_does_not_hide_the_others_of_its_model(tmp_path: Path) -> None:
    files_of(tmp_path, "m/0_start.mlir", "m/1_a.mlir", "n/0_start.mlir")
    (tmp_path / "m" / "0_start.mlir").write_bytes(b"\xff\xfe")
    result = traced(tmp_path)
    assert [error.source for error in result.merged.errors] == [str(tmp_path / "m" / "0_start.mlir")]
    assert [(one.name, len(one.trace.errors)) for one in result.models] == [("m", 1), ("n", 0)]


class Bar:
    """What a bar would show."""

    def __init__(self) -> None:
        self.bytes = self.files = 0
        self.waited: list[str] = []

    def __call__(self, bytes_count: int, /) -> None:
        self.bytes += bytes_count

    def file_done(self) -> None:
        self.files += 1

    def waits_for(self, file: str, /) -> None:
        self.waited.append(Path(file).name)


def test_progress_is_the_size_of_all_files(tmp_path: Path, workers: Workers) -> None:
    write(tmp_path, a=IN_ORDER, b=SHUFFLED)
    alone, parallel = Bar(), Bar()
    trace_models(models_in(tmp_path), TraceModel(), None, alone)
    trace_models(models_in(tmp_path), TraceModel(), workers, parallel)
    assert [(bar.bytes, bar.files) for bar in (alone, parallel)] == [(len(IN_ORDER) + len(SHUFFLED), 2)] * 2
    assert (alone.waited, parallel.waited) == (["a.log", "b.log"], ["a.log"])
