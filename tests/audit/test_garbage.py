"""Dumps are freed when they are no longer used. The garbage collector runs rarely, so no cycle may hold one."""

import gc
from collections.abc import Callable, Iterator

import pytest

from eio_audit import check, diff, fix, normal_form, read, trace
from tests.real_samples import SAMPLES

BEFORE, AFTER = SAMPLES / "resnet" / "before_alias.mlir", SAMPLES / "resnet" / "after_alias.mlir"


@pytest.fixture(autouse=True)
def _collects_by_hand() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize(
    "work",
    [
        lambda: check(read(AFTER)),
        lambda: diff(read(BEFORE)[0], read(AFTER)[0]),
        lambda: fix(read(AFTER)),
        lambda: normal_form(read(AFTER)[0]),
        lambda: trace([*read(BEFORE), *read(AFTER)]),
    ],
    ids=["check", "diff", "fix", "normalize", "trace"],
)
def test_no_cycle_holds_what_was_read(work: Callable[[], object]) -> None:
    work()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    held = {type(one).__qualname__ for one in gc.garbage if type(one).__module__.startswith("eio_audit")}
    assert held == set()
