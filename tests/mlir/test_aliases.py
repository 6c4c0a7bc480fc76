"""What aliases stand for."""

from __future__ import annotations

from eio_audit.mlir.tokens import AliasTexts


def test_an_alias_that_two_others_use_is_expanded_in_both() -> None:
    definitions = {b"#a": b"1", b"#b": b"f<#a>", b"#root": b"g<#a, #b>"}
    assert AliasTexts(definitions.get).of(b"#root") == b"g<1, f<1>>"


def test_an_alias_in_its_own_definition_stays() -> None:
    definitions = {b"#a": b"f<#b>", b"#b": b"g<#a>"}
    assert AliasTexts(definitions.get).of(b"#a") == b"f<g<#a>>"
