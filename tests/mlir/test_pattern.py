"""A pattern is compiled when it is first used."""

import re
from unittest.mock import patch

import pytest

from eio_audit.mlir.pattern import pattern


def test_it_is_compiled_once_and_only_if_it_is_used() -> None:
    with patch("re.compile", wraps=re.compile) as compiled:
        digits = pattern(rb"\d+")
        assert compiled.call_count == 0
        assert digits.findall(b"a1b22") == [b"1", b"22"]
        assert (compiled.call_count, digits.sub(b"", b"a1")) == (1, b"a")
    assert compiled.call_count == 1


def test_it_has_its_text_before_and_after_its_use() -> None:
    digits = pattern(r"\d+", re.ASCII)
    assert (digits.pattern, digits.flags) == (r"\d+", re.ASCII)
    assert digits.fullmatch("12")
    assert (digits.pattern, digits.flags) == (r"\d+", re.ASCII)


def test_an_attribute_that_it_lacks_is_named() -> None:
    with pytest.raises(AttributeError, match="scanner"):
        pattern("a").scanner("a")  # type: ignore[attr-defined]
