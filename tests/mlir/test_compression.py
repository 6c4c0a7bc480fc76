"""How much is unpacked before it is known that a file holds too much."""

import bz2
import gzip
import lzma
from io import BytesIO
from types import ModuleType

import pytest

from eio_audit.mlir.input import compression as packed
from eio_audit.mlir.input.compression import TooLargeError, unpack, unpacked_blocks


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_as_much_as_there_may_be(module: ModuleType) -> None:
    assert unpack(module, module.compress(b"12345"), 5) == b"12345"
    with pytest.raises(TooLargeError, match="more than 4 bytes"):
        unpack(module, module.compress(b"12345"), 4)


def test_a_large_file_is_unpacked_when_its_size_is_known() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "HELD_BYTES", 3)
        assert unpack(gzip, gzip.compress(b"12345"), 5) == b"12345"
        with pytest.raises(TooLargeError):
            unpack(gzip, gzip.compress(b"12345"), 4)


def test_no_more_is_unpacked_than_there_may_be() -> None:
    file = BytesIO(bytes(10_000))
    with pytest.raises(TooLargeError):
        list(unpacked_blocks(file, 100))
    assert file.tell() == 101
