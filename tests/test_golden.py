"""``UPDATE_GOLDENS`` puts new words into tests and pages, and no new figures."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import cast

import pytest

from tests import golden

MODULE = """
import pytest

def frame(found):
    return __import__("sys")._getframe()

def test_text(take):
    found = "3 ops are late"
    assert take(found) == "3 ops are early"

def test_name(take):
    assert take("cse") == "canonicalize"

@pytest.mark.parametrize("said", ["3 ops are early", "4 ops are early"])
def test_parameter(take, said):
    assert (1, take(None)) == (1, said)
"""


def updated(tmp_path: Path, test: str, found: object, expected: object, *given: object) -> str:
    """The module after a test that found something else than it expected."""
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    frames: list[FrameType] = []

    def take(found: object) -> object:
        frames.append(cast(FrameType, sys._getframe().f_back))
        return found

    names: dict[str, Callable[..., None]] = {}
    exec(compile(MODULE, str(path), "exec"), names)
    with pytest.raises(AssertionError):
        names[test](take, *given)
    golden.source.cache_clear()
    golden.update_literal(frames[0], found, expected)
    return path.read_text()


def test_a_literal_gets_the_words_that_were_found(tmp_path: Path) -> None:
    text = updated(tmp_path, "test_text", "3 ops are late", "3 ops are early")
    assert text == MODULE.replace('== "3 ops are early"', '== "3 ops are late"')


@pytest.mark.parametrize("found", ["4 ops are early", None, ["3 ops are early"]])
def test_a_literal_keeps_its_figures_and_its_structure(found: object, tmp_path: Path) -> None:
    assert updated(tmp_path, "test_text", found, "3 ops are early") == MODULE


def test_a_name_is_no_phrase(tmp_path: Path) -> None:
    assert updated(tmp_path, "test_name", "cse", "canonicalize") == MODULE


def test_a_parameter_gets_the_words_that_were_found(tmp_path: Path) -> None:
    found, expected = (1, "4 ops are late"), (1, "4 ops are early")
    text = updated(tmp_path, "test_parameter", found, expected, "4 ops are early")
    assert text == MODULE.replace('"4 ops are early"', '"4 ops are late"')


@pytest.mark.parametrize("value", ['a "b" \\ c', "a\nb\n", b"a\nb", "b\x1b", "\udcff", ""])
def test_a_written_literal_is_the_value(value: object) -> None:
    assert eval(golden._written(value)) == value


def test_a_block_of_a_page_gets_the_words_that_were_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden, "IS_UPDATED", True)
    page = tmp_path / "page.md"
    page.write_text("$ check\n2 ops are early\n...\n7 ops are late\n")
    golden.update_block(
        page, "2 ops are early\n...\n7 ops are late\n", "2 ops stand early\nmore\n8 ops are late\n"
    )
    assert page.read_text() == "$ check\n2 ops stand early\n...\n7 ops are late\n"
