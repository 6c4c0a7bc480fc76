"""The pictures of a model, drawn from files that are read once more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from eio_audit import Dump, DumpAudit, InputError, check, read, read_text
from eio_audit.audit.explain.order_picture import pictures_of_model
from tests.logs import dump, function, module

ONE, THREE = function("f", 2, 1, 3), function("f", 3, 2, 1)


def drawn(texts: dict[str, str], **options: int) -> list[tuple[str, int, int]]:
    """The source, the line and the inversions of each block that is drawn."""
    dumps = {name: read_text(text, name) for name, text in texts.items()}
    audits = check([one for ones in dumps.values() for one in ones]).dumps
    pictures = pictures_of_model(audits, lambda name: dumps[name], **options)
    return [(one.dump.source, one.block.line, one.block.inversions) for one in pictures]


def test_the_first_of_the_worst_states_of_a_block() -> None:
    assert drawn({"1": ONE, "2": THREE, "3": THREE, "4": ONE}) == [("2", 2, 3)]


def test_the_worst_blocks_come_first_and_no_more_than_a_few() -> None:
    text = module(function("f", 2, 1), function("g", 3, 2, 1), function("h", 1, 2), function("i", 3, 1, 2))
    assert drawn({"1": text}) == [("1", 8, 3), ("1", 19, 2), ("1", 3, 1)]
    assert drawn({"1": text}, limit=1) == [("1", 8, 3)]


def test_a_dump_in_a_log_is_found_again() -> None:
    log = dump("After", "a", ONE) + dump("After", "b", THREE)
    assert drawn({"1": log}) == [("1", 12, 3)]


@pytest.mark.parametrize(
    "now",
    [
        "",
        "\n" + THREE,
        ONE,
        function("f", 1, 2, 3),
        THREE + THREE.replace("@f", "@g"),
        "func.func @f() {\n %",
    ],
)
def test_what_has_changed_is_not_drawn(now: str) -> None:
    audits = check(read_text(THREE, "1")).dumps
    assert pictures_of_model(audits, lambda name: read_text(now, name)) == []


def test_what_cannot_be_read_again_is_not_drawn(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(THREE)
    audits = check(read(file)).dumps
    file.unlink()
    assert pictures_of_model(audits, read) == []


def test_a_file_is_read_once_for_each_of_its_dumps() -> None:
    names = []

    def read_dumps(name: str) -> Sequence[Dump]:
        names.append(name)
        raise InputError(name, None, "it is gone")

    audits: Sequence[DumpAudit] = check(read_text(module(ONE, THREE.replace("@f", "@g")), "1")).dumps
    assert pictures_of_model(audits, read_dumps) == []
    assert names == ["1"]
