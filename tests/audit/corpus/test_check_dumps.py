"""Dumps checked in several processes, and each text once: the result is that of one process, dump by dump."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, Check, Dump, OriginalOrder, check, read, read_text
from tests.internals import RULES, BatchSize, DumpCheck, LogFindings, Workers, check_dumps, local_workers
from tests.logs import dump, function, logs
from tests.programs import programs
from tests.test_samples import SAMPLES

SHUFFLED = function("f", 2, 1)
BROKEN = "func.func @broken() {\n  %0 = \n}\n"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with local_workers(2, timeout=20) as started:
        yield started


def all_of(result: Check) -> tuple[object, list[str]]:
    return result.dumps, [str(error) for error in result.errors]


def reference(dumps: Sequence[Dump], dump_check: DumpCheck) -> tuple[object, ...]:
    """Each dump checked by itself: no processes, no shared texts."""
    findings = LogFindings(dump_check.rules)
    audits, errors = [], []
    for one in dumps:
        result = check([one], dump_check.options, findings.add)
        audits += result.dumps
        errors += [str(error) for error in result.errors]
    return tuple(audits), errors, findings.findings


def in_corpus(
    dumps: Sequence[Dump], dump_check: DumpCheck, workers: Workers | None = None
) -> tuple[object, ...]:
    findings = LogFindings(dump_check.rules)
    result = check_dumps(dumps, dump_check, findings.take, workers)
    return (*all_of(result), findings.findings)


@given(logs())
def test_a_log_has_the_findings_of_its_dumps(log: str) -> None:
    dumps = read_text(log)
    assert in_corpus(dumps, DumpCheck(rules=RULES)) == reference(dumps, DumpCheck(rules=RULES))


@given(
    st.lists(st.sampled_from([SHUFFLED, function("f", 1, 2), BROKEN]) | programs(), min_size=2, max_size=6)
)
def test_a_text_in_several_files_has_its_findings_in_each(texts: list[str]) -> None:
    dumps = [dump for n, text in enumerate(texts) for dump in read_text("\n" * n + text, f"{n}.mlir")]
    assert in_corpus(dumps, DumpCheck(rules=RULES)) == reference(dumps, DumpCheck(rules=RULES))


@given(st.lists(programs() | st.just(BROKEN), max_size=8))
def test_other_processes_find_the_same(workers: Workers, texts: list[str]) -> None:
    dumps = [dump for n, text in enumerate(texts) for dump in read_text(text + text, f"{n}.mlir")]
    assert in_corpus(dumps, DumpCheck(rules=RULES), workers) == in_corpus(dumps, DumpCheck(rules=RULES))


@pytest.mark.parametrize("options", [AuditOptions(), AuditOptions(follow="derived", assume_pure="my.*")])
def test_a_real_log_is_the_same_with_other_processes(workers: Workers, options: AuditOptions) -> None:
    dump_check = DumpCheck(options, RULES, describes_all=True)
    assert in_corpus(read(LOG), dump_check, workers) == in_corpus(read(LOG), dump_check)


def test_the_order_of_another_dump_is_sent_along(workers: Workers) -> None:
    dumps = read(LOG)
    dump_check = DumpCheck(AuditOptions(order_from=OriginalOrder(dumps[0])))
    results = [check_dumps(dumps, dump_check, workers=who) for who in (None, workers)]
    assert [[audit.blocks for audit in result.dumps] for result in results] == [
        [audit.blocks for audit in check(dumps, dump_check.options).dumps]
    ] * 2


def test_a_text_is_checked_once() -> None:
    checked: list[int] = []

    class Counting(DumpCheck):
        def __call__(self, place: Any) -> Any:
            checked.append(place.line)
            return super().__call__(place)

    texts = {"cse": SHUFFLED, "inline": SHUFFLED, "sccp": function("f", 1, 2)}
    log = "".join(dump("After", name, text) for name, text in texts.items())
    result = check_dumps(read_text(log), Counting())
    assert checked == [1, 17]
    assert [audit.summary.avoidable for audit in result.dumps] == [1, 1, 0]
    assert [audit.blocks[0].worst[0].op.line for audit in result.dumps[:2]] == [4, 12]


@dataclass(frozen=True)
class Deadly(DumpCheck):
    """Kills its process, or never comes to an end, where a dump says so."""

    def __call__(self, place: Any) -> Any:
        text = (place if isinstance(place, Dump) else place.read(self.key)).text
        if b"@dies" in text:
            os._exit(7)
        while b"@hangs" in text:
            time.sleep(1)
        return super().__call__(place)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dies", "the process that read it died, perhaps for lack of memory"),
        pytest.param("hangs", "it took longer than 3 seconds", marks=pytest.mark.slow),
    ],
)
def test_a_lost_dump_is_an_error_of_its_file(name: str, reason: str) -> None:
    texts = [function("f", 2, 1), function(name, 2, 1), function("g", 2, 1)]
    dumps = [dump for n, text in enumerate(texts) for dump in read_text("\n" + text, f"{n}.mlir")]
    with local_workers(2, timeout=3) as workers:
        result = check_dumps(dumps, Deadly(), workers=workers)
    assert [audit.source for audit in result.dumps] == ["0.mlir", "2.mlir"]
    assert list(map(str, result.errors)) == [f"1.mlir:2:1: error: {reason}"]


def test_other_work_goes_on_where_a_worker_dies() -> None:
    texts = [function("dies" if n % 10 == 3 else f"f{n}", 2, 1) for n in range(40)]
    dumps = [dump for n, text in enumerate(texts) for dump in read_text(text, f"{n}.mlir")]
    with local_workers(2) as workers:
        result = check_dumps(dumps, Deadly(), workers=workers)
    assert [audit.source for audit in result.dumps] == [f"{n}.mlir" for n in range(40) if n % 10 != 3]
    assert [error.source for error in result.errors] == ["3.mlir", "13.mlir", "23.mlir", "33.mlir"]


def test_work_that_is_given_up_ends_at_once() -> None:
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), local_workers(2) as workers:
        workers.executor.submit(time.sleep, 60)
        raise KeyboardInterrupt
    assert time.monotonic() - begin < 10


def test_only_a_few_dumps_are_read_ahead(workers: Workers) -> None:
    workers = replace(workers, batch_size=BatchSize(work_bytes=1))
    taken: list[int] = []
    ahead: list[int] = []

    def dumps() -> Iterator[Dump]:
        for number in range(30):
            taken.append(number)
            yield from read_text(function(f"f{number}", 2, 1))

    check_dumps(dumps(), DumpCheck(), lambda _, __: ahead.append(len(taken)), workers)
    assert ahead[0] == 5
    assert ahead[-1] == 30


@given(programs(), st.integers(0, 3))
def test_a_dump_is_sent_without_its_file(text: str, lines: int) -> None:
    log = "".join(dump("After", name, text) for name in ("cse", "inline", "sccp"))
    for one in read_text("\n" * lines + log, "x.log"):
        sent: Dump = pickle.loads(pickle.dumps(one))
        assert len(sent.source.data) < len(one.source.data)
        assert (sent.text, sent.line, sent.first_line) == (one.text, one.line, one.first_line)
        assert all_of(check([sent])) == all_of(check([one]))
