"""Audits as text for people: what happened, where, because of which op, and what can be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, Summary, summarize
from eio_audit.report.text.console import Console
from eio_audit.report.wording import order
from eio_audit.report.wording.conclusion import conclusion_pieces
from eio_audit.report.wording.numbers import count

if TYPE_CHECKING:
    from eio_audit.audit.fix.fix import Fix

SHOWN_FILES = 3
"""How many files to fix the last lines name."""


def print_check(check: Check, console: Console, *, verbose: bool = False) -> None:
    """Prints the order of every dump, most room for what is worst, and what can be done about it.

    Several dumps with inversions are in a table; at most two of them are described, unless verbose.
    """
    broken = [dump for dump in check.dumps if dump.summary.inversions]
    if broken:
        from eio_audit.report.text.order import print_disorder

        print_disorder(check.dumps, broken, console, verbose=verbose)
    console.print(*conclusion_pieces(check))
    print_remedy(check.dumps, console)


def print_fix(
    fix: Fix, source_name: str, console: Console, *, is_dry: bool = False, verbose: bool = False
) -> None:
    """Prints what a fix moved, or with ``is_dry`` what it would move, what inversions remain and why.

    What the new order costs in memory is said in any case, with ``verbose`` also what it does not cost.
    """
    assumed = order.assumed_pure(sum((dump.assumed_pure for dump in fix.dumps), Counter()))
    is_reordered = fix.before.avoidable or fix.relabelled or not fix.moved
    if assumed and is_reordered and (fix.before.inversions or fix.relabelled):
        console.print(f"{source_name}: {assumed}")
    would = "would be changed: " if is_dry and (fix.changed or fix.renumbered) else ""
    console.print(f"{source_name}: {would}{_outcome(fix)}")
    blocks = [block for dump in fix.ordered for block in dump.blocks]
    for note in filter(None, (order.memory_change(block, only_costs=not verbose) for block in blocks)):
        console.print(f"{source_name}: {note}")


def _outcome(fix: Fix) -> str:
    before, remain = fix.before, fix.ordered_from.minimum
    is_reordered = fix.changed and (before.avoidable or fix.relabelled)
    relabel = order.relabelling(fix.ordered_from if is_reordered else before, fix.dumps[0])
    advice = f"; --relabel {relabel}" if relabel else ""
    unmoved = "nothing moved, values renumbered" if fix.renumbered else "unchanged"
    if fix.moved and not (before.avoidable or fix.relabelled):
        frees = sum(block.memory.away for dump in fix.ordered for block in dump.blocks if block.memory)
        uses = "its last use" if frees == 1 else "their last uses"
        rest = f"{count(remain, 'inversion')}{_why_they_remain(before)}" if remain else "in order"
        return f"{count(frees, 'free')} moved after {uses} ({rest}){advice}"
    if not (before.inversions or fix.relabelled):
        return f"{'in order' if before.has_indices else 'no op indices'}: {unmoved}"
    why = _why_they_remain(fix.ordered_from)
    if not fix.changed:
        rest = f"{unmoved} ({count(remain, 'inversion')}{why})"
        return f"nothing avoidable: {rest}{advice}"
    total = count(before.inversions, "inversion")
    removed, rest = f"{total} removed", "none remains"
    if remain:
        removed = f"{before.inversions - remain:,} of {total} removed"
        rest = f"{remain:,} {'remains' if remain == 1 else 'remain'}{why}"
    relabelled = f"{count(fix.relabelled, 'index', 'indices')} put right, " if fix.relabelled else ""
    moved = f"{count(fix.moved, 'op')} moved" if fix.moved else "no op moved"
    return f"{relabelled}{moved}, {removed}; {rest}{advice}"


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Prints how many files have changed, or with ``is_dry`` would change, and how many have not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    console.print(f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")


def _why_they_remain(before: Summary) -> str:
    """What the inversions are that a fix leaves: ``: 388 forced by dependences, 379 knock-on``."""
    remain, forced, knock_on = before.minimum, before.forced, before.knock_on
    if forced == remain:
        why = ", forced by a dependence" if remain == 1 else ", all forced by dependences"
    else:
        kinds = {
            "forced by dependences": forced,
            "knock-on": knock_on,
            "in graph regions": remain - forced - knock_on,
        }
        why = ": " + ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    if not before.certified:
        why += f"; not certified: perhaps {remain - before.lower_bound:,} more are avoidable"
    return why


def print_remedy(dumps: Sequence[DumpAudit], console: Console) -> None:
    """What can be done: the commands, or why there is nothing to do."""
    broken = [dump for dump in dumps if dump.summary.inversions]
    sources = list(dict.fromkeys(dump.source for dump in broken if dump.summary.avoidable))
    if sources:
        options = order.options_given(broken[0])
        _print_commands("to remove the avoidable ones", f"eio-audit fix{options}", sources, console)
    elif broken and all(order.in_graph_regions(dump) == dump.summary.inversions for dump in broken):
        console.print("nothing to fix: graph regions have no order to keep")
    elif broken and all(dump.summary.certified for dump in broken):
        console.print("nothing to move: no legal order has fewer inversions")
    elif broken:
        console.print("nothing to move: no order with fewer inversions was found")
    figures = summarize(broken)
    if figures.wrong_labels:
        indices = order.wrong_indices(figures, broken[0])
        what = f"to put {indices} right and remove all{order.but_in_graph_regions(figures)}"
        ordered = [dump for dump in broken if dump.summary.forced or dump.summary.avoidable]
        sources = list(dict.fromkeys(dump.source for dump in ordered))
        _print_commands(what, f"eio-audit fix --relabel{order.options_given(broken[0])}", sources, console)


def _print_commands(what: str, command: str, sources: Sequence[str], console: Console) -> None:
    commands = [f"{command} {order.argument(source)}" for source in sources]
    if len(commands) == 1:
        console.print(f"{what}: ", (commands[0], "bold"))
        return
    console.print(f"{what}:")
    for line in commands[:SHOWN_FILES]:
        console.print((line, "bold"), indent=2)
    if len(commands) > SHOWN_FILES:
        console.print(f"... and {count(len(commands) - SHOWN_FILES, 'more file')}", indent=2)
