"""Settings for all tests: how many examples a property gets. ``--hypothesis-profile=long`` tries more."""

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from py_compile import PycInvalidationMode, compile
from types import FrameType

import pytest
from hypothesis import Phase, settings

from tests import golden

# The same examples each time: a commit fails for what it changes. Longer runs look for new ones.
settings.register_profile("quick", max_examples=12, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=500, deadline=None)
settings.register_profile(  # the same examples each time; stop at the first failure (benchmarks/mutation.py)
    "mutation",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("quick")

sys.dont_write_bytecode = False  # each worker would compile all tests


def pytest_configure() -> None:
    """Compile the package, so that no process that a test starts has to.

    Python compares the bytecode with its source: it is never that of other code.
    """
    gc.disable()  # the tests are collected without garbage
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    for source in (Path(__file__).parent.parent / "eio_audit").rglob("*.py"):
        compiled = Path(cache_from_source(source))
        if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
            compile(source, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Garbage collections pass over the tests themselves."""
    gc.freeze()
    gc.enable()
    if golden.IS_UPDATED:
        for path in {item.path for item in session.items}:
            golden.source(path)


def pytest_assertrepr_compare(op: str, left: object, right: object) -> None:
    """Update the literal that a test compares with."""
    if golden.IS_UPDATED and op == "==":
        tests = Path(__file__).parent
        frame = next((one for one in _frames() if tests in Path(one.f_code.co_filename).parents), None)
        if frame is not None:
            golden.update_literal(frame, left, right)


def _frames() -> Iterator[FrameType]:
    """The frames of the callers, without those of this file."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            yield frame
        frame = frame.f_back
