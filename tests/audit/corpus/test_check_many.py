"""``check_many``: files checked by any executor."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from operator import neg
from pathlib import Path
from typing import Any

import pytest

from eio_audit import AuditOptions, Gate, OriginalOrder, check_many, read, read_text
from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.corpus.workers import TimeLimit
from tests.audit.corpus.test_check_dumps import BROKEN, Deadly
from tests.internals import RULES, BatchSize, DumpCheck, Workers, check_dumps
from tests.logs import function
from tests.rules import AVOIDABLE, UNAVOIDABLE
from tests.test_samples import SAMPLES

LOG = SAMPLES / "resnet" / "all_passes_alias.log"
SMALL = SAMPLES / "small"


def processes(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, get_context("forkserver"))


@pytest.fixture
def busy_threads() -> Iterator[ThreadPoolExecutor]:
    """Threads that take turns as often as they can."""
    seconds = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with ThreadPoolExecutor(4) as threads:
        yield threads
    sys.setswitchinterval(seconds)


def test_the_verdict_is_that_of_the_command() -> None:
    gate = Gate((AVOIDABLE, UNAVOIDABLE))
    verdict = check_many([SMALL / "before_alias.mlir", SMALL / "after_alias.mlir"], gate=gate)
    assert verdict.failed == (UNAVOIDABLE,)
    assert {finding.source for finding in verdict.findings} == {str(SMALL / "after_alias.mlir")}
    assert [audit.summary.inversions for audit in verdict.check.dumps] == [0, 18]


@pytest.mark.parametrize("make", [ThreadPoolExecutor, processes])
def test_any_executor_gives_the_verdict_of_one_process(make: Callable[[int], Executor]) -> None:
    with make(2) as executor:
        assert check_many([SMALL, LOG], executor=executor, jobs=2) == check_many([SMALL, LOG])


def test_so_many_jobs_give_the_verdict_of_one() -> None:
    assert check_many([SMALL, LOG], jobs=2) == check_many([SMALL, LOG])


def test_files_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(function("f", 2, 1))
    (tmp_path / "g.mlir").write_text(BROKEN)
    (tmp_path / "h.mlir").write_bytes(b"ML\xefR")
    (tmp_path / "empty").mkdir()
    verdict = check_many([tmp_path, tmp_path / "empty", tmp_path / "none.mlir"])
    assert len(verdict.check.dumps) == 1
    assert [Path(error.source).name for error in verdict.check.errors] == [
        "h.mlir",
        "empty",
        "none.mlir",
        "g.mlir",
    ]


def test_a_single_path_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected a list of paths, not 'f.mlir'"):
        check_many("f.mlir")


@pytest.mark.parametrize("ordered", [False, True])
def test_threads_do_not_disturb_each_other(busy_threads: ThreadPoolExecutor, ordered: bool) -> None:
    dumps = read(LOG)
    options = AuditOptions(order_from=OriginalOrder(dumps[0])) if ordered else AuditOptions()
    dump_check = DumpCheck(options, RULES)
    expected = check_dumps(dumps, dump_check)
    workers = Workers(busy_threads, 4, batch_size=BatchSize(work_bytes=1))
    assert check_dumps(dumps, dump_check, workers=workers) == expected


def test_a_broken_pool_is_an_error_of_what_is_left() -> None:
    texts = [function("dies" if n == 4 else f"f{n}", 2, 1) for n in range(8)]
    dumps = [dump for n, text in enumerate(texts) for dump in read_text(text, f"{n}.mlir")]
    with processes(1) as executor:
        result = check_dumps(dumps, Deadly(), workers=Workers(executor, 1, batch_size=BatchSize(pieces=1)))
    assert [audit.source for audit in result.dumps] == ["0.mlir", "1.mlir", "2.mlir", "3.mlir"]
    assert [str(error) for error in result.errors] == [
        f"{n}.mlir:1:1: error: a process died, and no other took over its work" for n in range(4, 8)
    ]


class _DiesOnce(Executor):
    """Loses the first piece of work."""

    def __init__(self) -> None:
        self.given: list[Sequence[int]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append(args[-1])
        if len(self.given) == 1:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def _asleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_work_that_is_lost_once_is_done_again() -> None:
    executor = _DiesOnce()
    pieces = [Piece("a", 1, 2), Piece("b", 2, 1), Piece("known", None, 0), Piece("c", 3, 1)]
    workers = Workers(executor, 1, batch_size=BatchSize(work_bytes=2))
    assert list(in_order(neg, pieces, workers)) == [("a", -1), ("b", -2), ("known", None), ("c", -3)]
    assert executor.given == [[1], [2, 3], [1]]


def test_this_process_does_each_piece_before_it_takes_the_next_one() -> None:
    taken: list[str] = []

    def pieces() -> Iterator[Piece[str, int]]:
        for tag, work in {"a": 1, "known": None, "b": 2}.items():
            taken.append(tag)
            yield Piece(tag, work, 1)

    results = [(tag, result, len(taken)) for tag, result in in_order(neg, pieces(), None)]
    assert results == [("a", -1, 1), ("known", None, 2), ("b", -2, 3)]


def test_work_that_takes_too_long_is_given_up() -> None:
    with ThreadPoolExecutor(2) as threads:
        workers = Workers(TimeLimit(threads, 0.2), 2, 0.2)
        results = [*in_order(_asleep, [Piece(n, n, 1) for n in (0.0, 0.5, 0.1)], workers)]
    assert results == [(0.0, 0.0), (0.5, LostWork("it took longer than 0.2 seconds")), (0.1, 0.1)]
