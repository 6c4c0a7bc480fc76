"""How much is unpacked before it is known that a file holds too much."""

from io import BytesIO

import pytest

from eio_audit.mlir.source import unpacked_blocks


def test_no_more_is_unpacked_than_there_may_be() -> None:
    file = BytesIO(bytes(10_000))
    with pytest.raises(Exception, match="it unpacks to more than 100 bytes"):
        list(unpacked_blocks(file, 100))
    assert file.tell() == 101
