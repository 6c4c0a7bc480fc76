"""Workers that read the dumps themselves, by their place in a file."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Dump, InputError, read, read_text
from eio_audit.audit.corpus.check_dumps import digest_of, dump_in_file
from tests.cli.running import pipe_of
from tests.internals import DumpCheck, Workers, check_dumps
from tests.logs import dump, function
from tests.programs import programs
from tests.test_samples import SAMPLES

LOG = SAMPLES / "resnet" / "all_passes_alias.log"


@pytest.fixture
def workers() -> Iterator[Workers]:
    with ThreadPoolExecutor(2) as threads:
        yield Workers(threads, 2, shares_files=True)


def placed(one: Dump) -> Any:
    place: Any = pickle.loads(pickle.dumps(dump_in_file(one, digest_of(one))))
    return place


def test_a_dump_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "f.log"
    path.write_text(
        "\n\n" + dump("After", "cse", function("f", 2, 1)) + dump("After", "inline", "\n" + function("g", 1))
    )
    _, second = read(path)
    place = placed(second)
    assert not isinstance(place, Dump)
    assert (place.path, place.start_line, place.place) == (str(path), 11, second.place)
    assert (second.line, second.first_line) == (11, 13)
    assert place.read().text == second.text


@given(programs(), st.integers(0, 3))
def test_a_dump_read_from_its_place_is_the_dump(text: str, lines: int) -> None:
    log = "\n" * lines + "".join(dump("After", name, "\n" * lines + text) for name in ("cse", "inline"))
    with NamedTemporaryFile(suffix=".log") as file:
        file.write(log.encode())
        file.flush()
        for one in read(file.name):
            place = placed(one)
            assert not isinstance(place, Dump)
            again = place.read()
            assert (again.text, again.line, again.first_line) == (one.text, one.line, one.first_line)
            assert again.source.line_at(again.span.start) == one.source.line_at(one.span.start)


def test_the_place_of_a_dump_is_small() -> None:
    assert max(len(pickle.dumps(placed(one))) for one in read(LOG)) < 1_000


def test_workers_that_read_files_find_the_same(workers: Workers) -> None:
    assert check_dumps(read(LOG), DumpCheck(), workers=workers) == check_dumps(read(LOG), DumpCheck())


def test_what_no_other_process_can_read_is_sent(tmp_path: Path) -> None:
    packed = tmp_path / "f.mlir.gz"
    packed.write_bytes(gzip.compress(function("f", 2, 1).encode()))
    with pipe_of(function("f", 2, 1).encode()) as pipe:
        for dumps in (read(packed), read(pipe), read_text(function("f", 2, 1), str(LOG))):
            assert isinstance(placed(dumps[0]), Dump)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda path: path.write_text(function("g", 2, 1)),
            ":1:1: error: a worker reads other text in {path}: has the file changed?",
        ),
        (
            lambda path: path.write_text(""),
            ":1:1: error: a worker reads other text in {path}: has the file changed?",
        ),
        (
            lambda path: path.unlink(),
            ": error: a worker cannot read {path}: No such file or directory",
        ),
    ],
)
def test_other_text_is_an_error_of_the_file(
    tmp_path: Path, change: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(function("f", 2, 1))
    [one] = read(path)
    place = placed(one)
    assert not isinstance(place, Dump)
    change(path)
    with pytest.raises(InputError) as raised:
        place.read()
    assert str(raised.value) == f"{path}{reason.format(path=path)}"


def test_a_file_that_this_process_cannot_see_either_is_sent(tmp_path: Path, workers: Workers) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(function("f", 2, 1))
    dumps = read(path)
    path.unlink()
    assert isinstance(placed(dumps[0]), Dump)
    assert check_dumps(dumps, DumpCheck(), workers=workers) == check_dumps(dumps, DumpCheck())


def test_other_text_is_an_error_of_its_file_alone(tmp_path: Path, workers: Workers) -> None:
    for name in "abc":
        (tmp_path / f"{name}.mlir").write_text(function(name, 2, 1))
    dumps = [one for path in sorted(tmp_path.iterdir()) for one in read(path)]
    (tmp_path / "b.mlir").write_text(function("b", 1, 2))
    result = check_dumps(dumps, DumpCheck(), workers=workers)
    assert [Path(audit.source).name for audit in result.dumps] == ["a.mlir", "c.mlir"]
    assert [Path(error.source).name for error in result.errors] == ["b.mlir"]


def test_a_large_dump_is_read_from_its_place(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not compared with other dumps, but the worker compares it with what it reads."""
    monkeypatch.setattr("eio_audit.audit.corpus.check_dumps.LARGEST_HASHED", 10)
    path = tmp_path / "f.log"
    path.write_text(dump("After", "cse", function("f", 2, 1)) + dump("After", "inline", function("f", 2, 1)))
    assert check_dumps(read(str(path)), DumpCheck(), workers=workers) == check_dumps(
        read(str(path)), DumpCheck()
    )
