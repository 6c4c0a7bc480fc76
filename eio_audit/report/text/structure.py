"""The functions that code generation makes from a dump, as text."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.codegen.codegen import CodegenFunction, Stage, Structure
from eio_audit.report.document import torn_figures
from eio_audit.report.pictures.module_tree import down_to, module_tree
from eio_audit.report.text.console import Console
from eio_audit.report.text.order import print_heading
from eio_audit.report.text.table import Column, print_figures, print_table
from eio_audit.report.wording import structure as words
from eio_audit.report.wording.commands import command, selection
from eio_audit.report.wording.numbers import count, numbers_of

SHOWN_TORN = 3
SHOWN_MODULES = 16
SHOWN_FUNCTIONS = 8
"""The most items of each kind that a report shows unless verbose."""


def print_structure(structure: Structure, console: Console, *, verbose: bool = False) -> None:
    """Print the number of functions and what is torn, then the modules and the functions."""
    prediction = structure.predictions[structure.present]
    print_heading(structure.dump, console)
    if not prediction.functions:
        console.print("  code generation makes no function from this dump")
        _print_obstacles(structure, console)
        _print_next(structure, console)
        return
    console.print(
        f"  code generation cuts {words.callers(prediction)} into ",
        (words.functions_summary(structure), "bold"),
    )
    if said := words.tie_summary(structure):
        console.print(said, indent=4)
    if said := words.worst(structure):
        console.print("most torn: ", (said, "red"), indent=4)
    _print_obstacles(structure, console)
    hidden, table = 0, torn_figures(structure, SHOWN_TORN)
    if table.rows:
        console.print()
        modules = count(len(table.rows), "module")
        console.print(("torn modules", "bold"), f"  {modules} in more functions than necessary")
        hidden += print_figures(table, console, verbose=verbose)
    hidden += _print_tree(prediction.functions, console, verbose=verbose)
    hidden += _print_functions(prediction.functions, console, verbose=verbose)
    console.print()
    _print_next(structure, console)
    if hidden:
        console.print((f"--verbose shows {hidden:,} more lines", "dim"))


def _print_obstacles(structure: Structure, console: Console) -> None:
    for said in words.obstacles(structure.predictions[structure.present]):
        console.print((said, "yellow"), indent=4)


def _print_tree(functions: Sequence[CodegenFunction], console: Console, *, verbose: bool) -> int:
    nodes = module_tree(functions)
    shown = nodes if verbose else down_to(nodes, SHOWN_MODULES)
    console.print()
    console.print(("modules", "bold"), "  and the functions that hold their ops")
    columns = [
        Column("module", ["  " * node.depth + node.name for node in shown], style="cyan"),
        Column("ops", [f"{node.ops:,}" for node in shown], right=True),
        Column("functions", [f"{len(node.functions):,}" for node in shown], right=True),
        Column("which", [numbers_of(node.functions) for node in shown], style="dim", optional=True),
    ]
    print_table(console, columns, indent=2)
    return len(nodes) - len(shown)


def _print_functions(functions: Sequence[CodegenFunction], console: Console, *, verbose: bool) -> int:
    shown = functions if verbose else functions[:SHOWN_FUNCTIONS]
    has_callers = len({function.caller for function in functions}) > 1
    console.print()
    console.print(("functions", "bold"), "  in call order")
    columns = [
        Column("", [f"{number:,}" for number in range(1, len(shown) + 1)], right=True, style="dim"),
        Column("caller", [one.caller if has_callers else "" for one in shown]),
        Column("function", [one.name for one in shown], style="cyan"),
        Column("ops", [f"{one.ops:,}" for one in shown], right=True),
        Column("in", [f"{one.inputs:,}" for one in shown], right=True),
        Column("out", [f"{one.outputs:,}" for one in shown], right=True),
        Column("index", [words.index_span(one) for one in shown], right=True),
        Column("line", [f"{one.line}" for one in shown], right=True),
        Column("module", [words.source_of(one) for one in shown], style="dim", optional=True),
    ]
    print_table(console, columns, indent=2)
    return len(functions) - len(shown)


def _print_next(structure: Structure, console: Console) -> None:
    dump = structure.dump
    prediction = structure.predictions[structure.present]
    commands = []
    if prediction.unreadable:
        listing = command("check", dump, dump.source, "--select EIO107")
        commands.append((listing, "lists the unreadable locations"))
    if len(structure.predictions[Stage.RELABELLED].functions) < len(prediction.functions):
        commands.append((command("fix --relabel", dump, dump.source), "corrects wrong op indices"))
    if words.torn_modules(structure):
        pass_name, number = dump.selected
        if pass_name is not None and number in ("", "last"):  # diff counts only dumps after the pass
            commands.append((command("diff", dump, dump.source), "shows what the pass tore"))
        elif not selection(dump):
            commands.append((command("diff BEFORE", dump, dump.source), "shows what a pass tore"))
    width = max((len(typed) for typed, _ in commands), default=0)
    for typed, what in commands:
        console.print((f"{typed:{width}}", "bold"), f"   # {what}")
