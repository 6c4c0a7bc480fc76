"""How much is unpacked before it is known that a file holds too much."""

import bz2
import gzip
import lzma
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest

from tests.internals import TooLargeError, read_file, unpacked_blocks


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_as_much_as_there_may_be(module: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(module.compress(b"12345"))
    assert read_file(str(path), 5) == (b"12345", True)
    with pytest.raises(TooLargeError, match="more than 4 bytes"):
        read_file(str(path), 4)


def test_no_more_is_unpacked_than_there_may_be() -> None:
    file = BytesIO(bytes(10_000))
    with pytest.raises(TooLargeError):
        list(unpacked_blocks(file, 100))
    assert file.tell() == 101
