"""The table of formats names functions that exist."""

import pytest

import eio_audit
from eio_audit.cli.reports import FORMATS, RENDERERS, renderer


@pytest.mark.parametrize(
    ("kind", "format_"), [(kind, name) for kind, names in RENDERERS.items() for name in names]
)
def test_every_format_has_a_function(kind: str, format_: str) -> None:
    assert callable(renderer(kind, format_))


@pytest.mark.parametrize("kind", RENDERERS)
def test_a_kind_of_result_is_a_public_type(kind: str) -> None:
    assert isinstance(getattr(eio_audit, kind), type)


def test_the_first_format_is_the_default() -> None:
    assert [next(iter(formats)) for formats in RENDERERS.values()] == [
        "text",
        "text",
        "text",
        "text",
        "text",
        "text",
        "text",
        "dot",
    ]
    assert FORMATS[0] == "text"
