"""The functions that code generation makes from a dump, as text."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.codegen.codegen import Structure
from eio_audit.audit.codegen.prediction import CodegenFunction, Prediction
from eio_audit.report.document import function_figures, torn_figures
from eio_audit.report.pictures.structure_svg import down_to, module_tree
from eio_audit.report.text.console import Console, print_next
from eio_audit.report.text.order import print_heading
from eio_audit.report.text.table import NARROW, Column, print_figures, print_table
from eio_audit.report.wording import structure as words
from eio_audit.report.wording.numbers import count, numbers_of

SHOWN_TORN = 3
SHOWN_STOPPING = 5
SHOWN_MODULES = 16
SHOWN_FUNCTIONS = 8
"""The most items of each kind that a report shows unless verbose."""


def print_structure(structure: Structure, console: Console, *, verbose: bool = False) -> None:
    """Print whether code generation runs, which modules are torn, how many functions, then one try."""
    prediction = structure.predictions[structure.present]
    print_heading(structure.dump, console)
    hidden = _print_outcome(structure, console, verbose=verbose)
    if prediction.functions:
        for said in words.pieces(structure):
            console.print(said, indent=2)
        if said := words.cut(prediction):
            console.print((said, "bold"), indent=2)
        torn = torn_figures(structure, SHOWN_TORN)
        if torn.rows:
            _print_title(
                "torn model modules", "the fewest functions with their ops: in any run, in the tries", console
            )
            hidden += print_figures(torn, console, verbose=verbose)
        if prediction.fewest is not None:
            _print_title("generated functions", "in any run, and in tried orders of the first ops", console)
            print_figures(function_figures(structure), console, verbose=verbose)
        hidden += _print_tree(prediction, console, verbose=verbose)
        hidden += _print_functions(prediction.functions, console, verbose=verbose)
        console.print()
    else:
        console.print("no op is in a function", indent=2)
    steps = words.next_steps(structure)
    if hidden:
        console.print((f"--verbose shows {hidden:,} more lines", "dim"))
    print_next(steps, console)


def _print_outcome(structure: Structure, console: Console, *, verbose: bool) -> int:
    prediction = structure.predictions[structure.present]
    outcome, *obstacles = words.obstacles(prediction)
    console.print((outcome, "red" if prediction.failures else "green"), indent=2)
    for said in obstacles:
        console.print((said, "yellow"), indent=4)
    shown = structure.stopping if verbose else structure.stopping[:SHOWN_STOPPING]
    for one in shown:
        console.print(words.stopping_op(one), indent=6)
    if structure.stopping:
        for line in words.NUMBER:
            console.print(line, indent=4)
    return len(structure.stopping) - len(shown)


def _print_title(title: str, note: str, console: Console) -> None:
    console.print()
    console.print((title, "bold"), f"  {note}")


def _print_tree(prediction: Prediction, console: Console, *, verbose: bool) -> int:
    nodes = module_tree(prediction.functions)
    shown = nodes if verbose else down_to(nodes, SHOWN_MODULES)
    which = count(len(prediction.functions), "function")
    note = f"and the functions that hold their ops, in one run with {which}"
    _print_title("model modules", note, console)
    columns = [
        Column("module", ["  " * node.depth + node.name for node in shown], style="cyan", least=2 * NARROW),
        Column("ops", [f"{node.ops:,}" for node in shown], right=True),
        Column("functions", [f"{len(node.functions):,}" for node in shown], right=True),
        Column(
            "which",
            [numbers_of(node.functions) for node in shown],
            style="dim",
            optional=True,
            least=NARROW // 2,
            cut="end",
        ),
    ]
    print_table(console, columns, indent=2)
    return len(nodes) - len(shown)


def _print_functions(functions: Sequence[CodegenFunction], console: Console, *, verbose: bool) -> int:
    shown = functions if verbose else functions[:SHOWN_FUNCTIONS]
    has_callers = len({function.caller for function in functions}) > 1
    _print_title("generated functions", "of that run, in call order", console)
    columns = [
        Column("", [f"{number:,}" for number in range(1, len(shown) + 1)], right=True, style="dim"),
        Column("caller", [one.caller if has_callers else "" for one in shown], least=NARROW),
        Column("function", [one.name for one in shown], style="cyan", least=NARROW),
        Column("ops", [f"{one.ops:,}" for one in shown], right=True),
        Column("in", [f"{one.inputs:,}" for one in shown], right=True),
        Column("out", [f"{one.outputs:,}" for one in shown], right=True),
        Column("index", [words.index_span(one) for one in shown], right=True),
        Column("line", [f"{one.line}" for one in shown], right=True),
        Column("module", [words.source_of(one) for one in shown], style="dim", optional=True, least=NARROW),
    ]
    print_table(console, columns, indent=2)
    return len(functions) - len(shown)
