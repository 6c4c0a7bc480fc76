"""What a page says of the functions that code generation makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.codegen.codegen import CodegenFunction, Structure, TornModule
from eio_audit.report.html.page import escaped
from eio_audit.report.html.table import Column, Table
from eio_audit.report.pictures.structure_svg import draw_structure
from eio_audit.report.wording.order import count
from eio_audit.report.wording.structure import (
    STAGES,
    callers,
    functions_summary,
    index_span,
    obstacles,
    source_of,
    tie_summary,
    torn_modules,
    worst,
)


def structure_section(structure: Structure) -> Iterator[str]:
    """The figures, the picture of modules and functions, and both as tables; nothing without functions."""
    prediction = structure.predictions[structure.present]
    if not any(one.functions for one in structure.predictions.values()):
        return
    yield f'<h2 id="structure">Code generation: {escaped(functions_summary(structure))}</h2>'
    if said := worst(structure):
        yield f"<p>Torn worst: {escaped(said)}.</p>"
    rule = f"{callers(prediction)} is cut at each change of the source function"
    yield f'<p class="faint">{escaped("; ".join(filter(None, (rule, tie_summary(structure)))))}.</p>'
    yield from (f"<p>{escaped(text)}</p>" for text in obstacles(prediction))
    if not prediction.functions:
        return
    yield '<div class="drawing" tabindex="0" role="region" aria-label="Modules and functions">'
    yield f"{draw_structure(prediction.functions)}</div>"
    yield (
        '<p class="faint">A full mark: the function has ops that name the module as their innermost. '
        "A pale one: only inner modules have ops in it. Orange: the ops are in more functions than it "
        "takes.</p>"
    )
    rows = torn_modules(structure)
    if rows:
        yield f"<h3>{count(len(rows), 'torn module')}</h3>"
        yield _module_table(structure, rows).html()
    yield f"<h3>{count(len(prediction.functions), 'function')}</h3>"
    yield _function_table(prediction.functions).html()


def _module_table(structure: Structure, rows: Sequence[TornModule]) -> Table:
    stages = [
        Column(stage.value, STAGES[stage], [row.functions[stage] for row in rows], is_number=True)
        for stage in structure.predictions
    ]
    columns = [
        *stages,
        Column("module", "module", [row.path[-1] for row in rows]),
        Column("in", "in", [" ".join(row.path[:-1]) for row in rows]),
    ]
    caption = "in how many functions the ops of a module are"
    return Table("torn", caption, columns, structure.present.value, descending=True)


def _function_table(functions: Sequence[CodegenFunction]) -> Table:
    columns = [
        Column("number", "number", list(range(1, len(functions) + 1)), is_number=True),
        Column("function", "function", [one.name for one in functions]),
        Column("ops", "ops", [one.ops for one in functions], is_number=True),
        Column("inputs", "in", [one.inputs for one in functions], is_number=True),
        Column("outputs", "out", [one.outputs for one in functions], is_number=True),
        Column("index", "index", [index_span(one) for one in functions]),
        Column("line", "line", [one.line for one in functions], is_number=True),
        Column("module", "module", [source_of(one) for one in functions]),
        Column("source", "source", [f"{one.file} {one.function}" for one in functions]),
        Column("caller", "cut out of", [one.caller for one in functions]),
    ]
    return Table("functions", "in call order; the module that all ops of a function share", columns, "number")
