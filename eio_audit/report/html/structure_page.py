"""The page of ``structure``."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.audit.codegen.codegen import Structure
from eio_audit.report.html.order_section import heading_of
from eio_audit.report.html.page import escaped, page
from eio_audit.report.html.structure_section import structure_section
from eio_audit.report.wording.structure import obstacles


def structure_to_html(structure: Structure, version: str) -> str:
    """The functions that code generation makes of a dump.

    Args:
        structure: what to show.
        version: of the program.
    """
    return page("eio-audit structure", version, _sections(structure))


def _sections(structure: Structure) -> Iterator[str]:
    yield "<h1>eio-audit structure</h1>"
    yield f"<p>{escaped(heading_of(structure.dump))}</p>"
    prediction = structure.predictions[structure.present]
    if not prediction.functions:
        yield '<p class="verdict">Code generation makes no function of it.</p>'
        yield from (f"<p>{escaped(text)}</p>" for text in obstacles(prediction))
    yield from structure_section(structure)
