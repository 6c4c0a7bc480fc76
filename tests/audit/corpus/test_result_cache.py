"""Results kept between runs: the same as without, whatever happens to the folder they are in."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import AuditOptions, Dump, InputError, Rule, read, read_text
from tests.audit.test_trace import function, logs
from tests.internals import (
    RULES,
    CheckedDump,
    DumpCheck,
    DumpInFile,
    LogFindings,
    check_dumps,
    program_digest,
    result_cache,
)
from tests.internals import result_cache_module as module
from tests.programs import programs
from tests.test_samples import SAMPLES

LOG = SAMPLES / "resnet" / "all_passes_alias.log"
ALL = DumpCheck(AuditOptions(), RULES, describes_all=True)
TEXTS = [function(f"f{number}", 2, 1, 0) for number in range(20)]


class Counting(DumpCheck):
    """Counts the dumps that it checks."""

    def __call__(self, place: Dump | DumpInFile) -> CheckedDump | InputError:
        assert isinstance(place, Dump)
        checked.append(place.source.name)
        return super().__call__(place)


checked: list[str] = []


def dumps_of(texts: Sequence[str], lines: int = 0) -> list[Dump]:
    named = [("\n" * lines + text, f"{number}.mlir") for number, text in enumerate(texts)]
    return [dump for text, name in named for dump in read_text(text, name)]


def found(
    dumps: Sequence[Dump], dump_check: DumpCheck, folder: Path | str | None = None, **options: Any
) -> object:
    """The dumps' figures, errors and findings."""
    findings = LogFindings(dump_check.rules)
    if folder is None:
        result = check_dumps(dumps, dump_check, lambda _, one: findings.take(one))
    else:
        with result_cache(str(folder), **options) as kept:
            result = check_dumps(dumps, dump_check, lambda _, one: findings.take(one), kept=kept)
    return result.dumps, list(map(str, result.errors)), findings.findings


def checks_again(
    dumps: Sequence[Dump], folder: Path, dump_check: DumpCheck | None = None, **options: Any
) -> int:
    """How many dumps a run checks."""
    checked.clear()
    like = dump_check or DumpCheck()
    parts = like.options, like.rules, like.describes_all
    found(dumps, Counting(*parts), folder, **options)
    return len(checked)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def rows(folder: Path) -> list[tuple[bytes, int, bytes]]:
    with sqlite3.connect(folder / module.FILE) as database:
        return database.execute("SELECT key, used, value FROM results").fetchall()


def replace_values(folder: Path, make: object) -> None:
    """Gives each row another pickle, with a seal that fits."""
    data = pickle.dumps(make)
    with sqlite3.connect(folder / module.FILE) as database:
        for key, _, _ in rows(folder):
            sealed = module._seal(key, data) + data
            database.execute("UPDATE results SET value = ? WHERE key = ?", [sealed, key])


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(programs(), max_size=4), logs(), st.integers(0, 2))
def test_kept_results_are_those_of_a_check(texts: list[str], log: str, lines: int) -> None:
    dumps, moved = ([*read_text("\n" * n + log), *dumps_of(texts, n)] for n in (0, lines))
    with tempfile.TemporaryDirectory() as folder:
        assert found(dumps, ALL, folder) == found(dumps, ALL)
        assert found(moved, ALL, folder) == found(moved, ALL)


def test_nothing_of_a_real_log_is_checked_twice(tmp_path: Path) -> None:
    dumps = read(LOG)
    assert found(dumps, ALL, tmp_path) == found(dumps, ALL)
    assert checks_again(dumps, tmp_path, ALL) == 0
    assert found(dumps, ALL, tmp_path) == found(dumps, ALL)


@pytest.mark.parametrize(
    "other",
    [
        DumpCheck(AuditOptions(assume_pure="my.*")),
        DumpCheck(AuditOptions(follow="derived")),
        DumpCheck(rules=RULES),
        DumpCheck(describes_all=True),
    ],
)
def test_another_check_has_results_of_its_own(tmp_path: Path, other: DumpCheck) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    assert checks_again(dumps_of(TEXTS), tmp_path) == 0
    assert checks_again(dumps_of(TEXTS), tmp_path, other) == len(TEXTS)


def test_another_text_has_a_result_of_its_own(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    assert checks_again(dumps_of([*TEXTS, function("g", 1, 2)]), tmp_path) == 1


def test_another_program_has_results_of_its_own(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    assert checks_again(dumps_of(TEXTS), tmp_path, program=b"another version") == len(TEXTS)
    assert checks_again(dumps_of(TEXTS), tmp_path, program=b"another version") == 0


def test_an_edit_of_the_program_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "program" / "room" / "module.py"
    file.parent.mkdir(parents=True)
    file.write_text("a = 1\n")
    digest = program_digest(tmp_path / "program")
    (file.parent / "__pycache__").mkdir()
    (file.parent / "__pycache__" / "module.cpython.pyc").write_bytes(b"compiled")
    os.utime(file, ns=(0, 0))
    copy = shutil.copytree(tmp_path / "program", tmp_path / "elsewhere")
    assert program_digest(tmp_path / "program") == program_digest(copy) == digest
    file.write_text("a = 2\n")
    assert program_digest(tmp_path / "program") != digest


def test_errors_are_not_kept(tmp_path: Path) -> None:
    broken = dumps_of(["func.func @broken() {\n  %0 = \n}\n"])
    assert found(broken, DumpCheck(), tmp_path) == found(broken, DumpCheck())
    assert rows(tmp_path) == []
    assert checks_again(broken, tmp_path) == 1


class Evil:
    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.name,)


def test_a_pickle_of_somebody_else_runs_no_code(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    replace_values(tmp_path, Evil(str(tmp_path / "made")))
    assert found(dumps_of(TEXTS), DumpCheck(), tmp_path) == found(dumps_of(TEXTS), DumpCheck())
    assert not (tmp_path / "made").exists()
    pickle.loads(pickle.dumps(Evil(str(tmp_path / "made"))))
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("other", [1, None, [], Rule("EIO001", "a", "b"), (1, 2, 3, 4, 5), {}])
def test_a_pickle_of_something_else_is_no_result(tmp_path: Path, other: object) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    replace_values(tmp_path, other)
    assert found(dumps_of(TEXTS), DumpCheck(), tmp_path) == found(dumps_of(TEXTS), DumpCheck())
    assert checks_again(dumps_of(TEXTS), tmp_path) == 0


def test_a_result_at_the_place_of_another_is_no_result(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    values = [value for _, _, value in rows(tmp_path)]
    with sqlite3.connect(tmp_path / module.FILE) as database:
        for (key, _, _), value in zip(rows(tmp_path), values[1:] + values[:1], strict=True):
            database.execute("UPDATE results SET value = ? WHERE key = ?", [value, key])
    assert checks_again(dumps_of(TEXTS), tmp_path) == len(TEXTS)


@settings(max_examples=settings().max_examples // 4)
@given(st.data())
def test_a_damaged_file_gives_no_wrong_result(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found(dumps_of(TEXTS), DumpCheck(), folder)
        file = folder / module.FILE
        content = bytearray(file.read_bytes())
        places = st.integers(0, len(content) - 1) | st.integers(0, 200)
        for place in data.draw(st.lists(places, min_size=1, max_size=30)):
            content[place] = data.draw(st.integers(0, 255))
        file.write_bytes(content[: data.draw(st.just(len(content)) | places)])
        for _ in range(2):
            assert found(dumps_of(TEXTS), DumpCheck(), folder) == found(dumps_of(TEXTS), DumpCheck())


@pytest.mark.parametrize("content", [b"", b"not a database\n" * 100, b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / module.FILE).write_bytes(content)
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    assert checks_again(dumps_of(TEXTS), tmp_path) == 0


def test_a_database_whose_damage_the_error_quotes_is_replaced(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    file = tmp_path / module.FILE
    file.write_bytes(file.read_bytes().replace(b"ON results (used)", b"ON results (\x80sed)"))
    assert checks_again(dumps_of(TEXTS), tmp_path) == len(TEXTS)
    assert checks_again(dumps_of(TEXTS), tmp_path) == 0


def test_a_database_of_another_layout_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / module.FILE) as database:
        database.execute("CREATE TABLE results (name TEXT)")
    before, said = (tmp_path / module.FILE).read_bytes(), list[str]()
    with result_cache(str(tmp_path), said.append) as kept:
        assert kept is None
    assert said == [f"{tmp_path}: no such column: used"]
    assert (tmp_path / module.FILE).read_bytes() == before


def test_a_database_that_another_run_never_releases(tmp_path: Path) -> None:
    said: list[str] = []
    with result_cache(str(tmp_path), said.append, busy_seconds=0.01) as kept:
        assert kept is not None
        other = sqlite3.connect(tmp_path / module.FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        result = check_dumps(dumps_of(TEXTS), DumpCheck(), kept=kept)
    other.close()
    assert result.dumps == check_dumps(dumps_of(TEXTS), DumpCheck()).dumps
    assert said == [f"{tmp_path / module.FILE}: database is locked"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said: list[str] = []
    with result_cache(str(tmp_path / "file" / "kept"), said.append) as kept:
        assert kept is None
    assert said == [f"{tmp_path / 'file' / 'kept'}: Not a directory"]


def test_only_a_new_folder_is_marked_as_a_cache(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "notes.txt").touch()
    for name in ("new", "there"):
        found([], DumpCheck(), tmp_path / name)
    assert names(tmp_path / "new") == [".gitignore", "CACHEDIR.TAG", module.FILE]
    assert (tmp_path / "new" / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172")
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"
    assert names(tmp_path / "there") == [module.FILE, "notes.txt"]


def age(folder: Path, days: int) -> None:
    with sqlite3.connect(folder / module.FILE) as database:
        database.execute("UPDATE results SET used = used - ?", [days])


def test_results_that_are_not_used_are_dropped(tmp_path: Path) -> None:
    found(dumps_of(TEXTS), DumpCheck(), tmp_path)
    age(tmp_path, module.MOST_DAYS)
    assert checks_again(dumps_of(TEXTS[:5]), tmp_path) == 0  # these are used
    age(tmp_path, module.NOTED_DAYS + 1)
    assert checks_again(dumps_of(TEXTS[:5]), tmp_path) == 0
    assert len(rows(tmp_path)) == 5


@pytest.mark.slow
def test_there_are_not_too_many_results(tmp_path: Path) -> None:
    for run in range(4):
        texts = [function(f"f{run}_{number}", 2, 1, 0) for number in range(100)]
        found(dumps_of(texts), DumpCheck(), tmp_path, most_bytes=200_000)
        age(tmp_path, 1)
    assert checks_again(dumps_of(texts), tmp_path) < 100
    assert 0 < (tmp_path / module.FILE).stat().st_size < 400_000


RUN = """
import sys
from eio_audit import read_text
from eio_audit.audit.corpus.dump_check import DumpCheck
from eio_audit.audit.corpus.check_dumps import check_dumps
from eio_audit.audit.corpus.result_cache import result_cache
function = sys.argv[3]
for number in range(int(sys.argv[2])):
    with result_cache(sys.argv[1], lambda reason: sys.exit(reason)) as kept:
        dumps = read_text("// -----\\n".join(function.replace("NAME", f"f{number}_{n}") for n in range(20)))
        assert check_dumps(dumps, DumpCheck(), kept=kept).summary.dumps == 20
    print(number, flush=True)
"""


def started(folder: Path, runs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(folder), str(runs), function("NAME", 2, 1, 0)]
    root = str(Path(__file__).parents[3])
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)


@pytest.mark.slow
def test_two_runs_share_a_folder(tmp_path: Path) -> None:
    runs = [started(tmp_path, 15) for _ in range(2)]
    ends = [(run.communicate(timeout=60), run.returncode) for run in runs]
    assert [(errors, code) for (_, errors), code in ends] == [("", 0)] * 2
    assert len(rows(tmp_path)) == 15 * 20


@pytest.mark.parametrize(
    "delay", [0.003, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.0, 0.01))]
)
def test_a_run_may_be_killed(tmp_path: Path, delay: float) -> None:
    run = started(tmp_path, 1_000)
    assert run.stdout is not None
    run.stdout.readline()
    time.sleep(delay)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    texts = [function(f"f0_{number}", 2, 1, 0) for number in range(20)]
    assert found(dumps_of(texts), DumpCheck(), tmp_path) == found(dumps_of(texts), DumpCheck())
    assert checks_again(dumps_of(texts), tmp_path) == 0
