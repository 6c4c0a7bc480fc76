"""Files fixed in several processes: the results are those of one process, file by file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import (
    AuditOptions,
    Dump,
    Fix,
    InputError,
    OriginalOrder,
    VerificationError,
    fix,
    read,
    read_text,
)
from eio_audit.audit.corpus.check_dumps import fix_files
from tests.internals import BatchSize, DumpFix, Workers, local_workers
from tests.logs import dump, function, logs
from tests.programs import programs
from tests.test_samples import SAMPLES

SHUFFLED = function("f", 2, 1)
BROKEN = "func.func @broken() {\n  %0 = \n}\n"
LOG = str(SAMPLES / "resnet" / "all_passes_alias.log")


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with local_workers(2, timeout=20) as started:
        yield started


def plain(result: Fix | InputError | VerificationError) -> object:
    if isinstance(result, Fix):
        figures = result.dumps, result.ordered, result.moved, result.relabelled
        return result.text, figures
    return type(result), str(result)


def fixed_files(
    texts: Mapping[str, str], dump_fix: DumpFix, workers: Workers | None, **options: Any
) -> list[tuple[str, object]]:
    def read_file(path: str) -> list[Dump]:
        if not texts[path]:
            raise InputError(path, None, "it is empty")
        return read_text(texts[path], path)

    results = fix_files(texts, read_file, dump_fix, workers, **options)
    return [(path, plain(result)) for path, result in results]


def reference(texts: Mapping[str, str]) -> list[tuple[str, object]]:
    """Each file fixed by itself."""
    results: list[tuple[str, object]] = []
    for path, text in texts.items():
        try:
            results.append((path, plain(fix(read_text(text, path)))))
        except (InputError, VerificationError) as error:
            results.append((path, plain(error)))
    return results


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(programs() | logs() | st.just(BROKEN), max_size=6))
def test_every_file_has_its_own_fix(workers: Workers, texts: list[str]) -> None:
    files = {f"{n}.mlir": text for n, text in enumerate(texts) if text.strip()}
    expected = reference(files)
    assert fixed_files(files, DumpFix(), None) == expected
    assert fixed_files(files, DumpFix(), workers) == expected


@pytest.mark.parametrize(
    "dump_fix",
    [
        pytest.param(DumpFix(), marks=pytest.mark.slow),
        DumpFix(AuditOptions(follow="derived", assume_pure="my.*"), relabel="nested"),
        pytest.param(DumpFix(relabel="flat", finds_wrong_labels=False), marks=pytest.mark.slow),
    ],
)
def test_a_real_log_is_the_same_with_other_processes(workers: Workers, dump_fix: DumpFix) -> None:
    for options in ({}, {"only_dumps": True}):
        (_, one), (_, two) = (
            result for who in (None, workers) for result in fix_files([LOG], read, dump_fix, who, **options)
        )
        assert isinstance(one, Fix)
        assert one.changed
        assert plain(one) == plain(two)


def test_the_order_of_another_dump_is_sent_along(workers: Workers) -> None:
    dump_fix = DumpFix(AuditOptions(order_from=OriginalOrder(read(LOG)[0])))
    (_, one), (_, two) = (*fix_files([LOG], read, dump_fix), *fix_files([LOG], read, dump_fix, workers))
    assert plain(one)[0] == plain(two)[0]
    assert isinstance(two, Fix)
    assert two.dumps[0].options is dump_fix.options


@pytest.mark.parametrize("batch_bytes", [1, 100, 1_000_000])
def test_it_does_not_matter_how_much_is_sent_at_a_time(workers: Workers, batch_bytes: int) -> None:
    log = "".join(dump("After", name, SHUFFLED) for name in ("cse", "inline", "sccp"))
    texts = {"a": log, "empty": "", "b": SHUFFLED, "c": log + BROKEN + log, "d": log, "last": ""}
    expected = fixed_files(texts, DumpFix(), None)
    workers = replace(workers, batch_size=BatchSize(batch_bytes))
    assert fixed_files(texts, DumpFix(), workers) == expected
    assert [path for path, _ in expected] == list(texts)


@dataclass(frozen=True)
class Deadly(DumpFix):
    """Fails, kills its process, or never comes to an end, where a dump says so."""

    def of(self, dump: Dump) -> Any:
        if b"@fails" in dump.text:
            raise VerificationError("it is another program")
        if b"@dies" in dump.text:
            os._exit(7)
        while b"@hangs" in dump.text:
            time.sleep(1)
        return super().of(dump)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("fails", "it is another program"),
        pytest.param(
            "dies",
            "1.mlir:9:1: error: the process that read it died, perhaps for lack of memory",
            marks=pytest.mark.slow,
        ),
        pytest.param("hangs", "1.mlir:9:1: error: it took longer than 0.5 seconds", marks=pytest.mark.slow),
    ],
)
def test_a_lost_dump_is_the_failure_of_its_file(name: str, error: str) -> None:
    log = "".join(dump("After", "cse", function(each, 2, 1)) for each in ("f", name, "g"))
    with local_workers(2, timeout=0.5) as workers:
        results = fixed_files({"0.mlir": SHUFFLED, "1.mlir": log, "2.mlir": log[:80]}, Deadly(), workers)
        others = fixed_files({"0.mlir": SHUFFLED, "2.mlir": log[:80]}, DumpFix(), None)
    assert [results[0], results[2]] == others
    assert results[1][1][1] == error


def test_only_a_few_files_are_read_ahead(workers: Workers) -> None:
    workers = replace(workers, batch_size=BatchSize(1))
    taken: list[str] = []

    def read_file(path: str) -> Sequence[Dump]:
        taken.append(path)
        return read_text(SHUFFLED, path)

    ahead = [len(taken) for _ in fix_files(map(str, range(30)), read_file, DumpFix(), workers)]
    assert ahead[0] <= 6
    assert ahead[-1] == 30


def test_labels_are_not_corrected_by_the_order_of_another_dump() -> None:
    original = OriginalOrder(read_text(SHUFFLED)[0])
    with pytest.raises(ValueError, match="relabel cannot be used with order_from"):
        DumpFix(AuditOptions(order_from=original), relabel="flat")
