"""Audits as text for people: what happened, where and because of which op."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console

from eio_audit.audit.check import BlockAudit, Check, DumpAudit, summarize
from eio_audit.audit.diff import Diff, OpChange
from eio_audit.audit.fix import Fix
from eio_audit.report.console import Column, make_console, print_line, print_table
from eio_audit.report.wording import (
    certificate,
    count,
    inherited,
    inversion_parts,
    moment_of,
    op_name,
    place_of,
    reason,
    unknown_ops,
)

__all__ = ["make_console", "print_check", "print_diff", "print_fix"]

SHOWN_BLOCKS = 3
SHOWN_DISPLACED = 3
SHOWN_CHANGES = 8
SHOWN_FILES = 3
"""How many of each a report shows that is not verbose."""


def print_check(check: Check, console: Console, *, verbose: bool = False) -> None:
    """Prints the order of every dump, most room for what is worst, and what can be done about it."""
    broken = [dump for dump in check.dumps if dump.summary.inversions]
    if len(broken) > 1:
        _print_overview(check.dumps, console, verbose=verbose)
    for dump in _described(broken, verbose=verbose):
        _print_heading(dump, console)
        _print_dump(dump, console, verbose=verbose)
        print_line(console)
    if len(broken) == 1 and len(check.dumps) > 1:
        _print_others([dump for dump in check.dumps if dump is not broken[0]], console)
    _print_conclusion(check, console)


def print_diff(diff: Diff, console: Console, *, verbose: bool = False) -> None:
    """Prints what happened to the order and to the ops between two dumps."""
    before, after = diff.before.summary, diff.after.summary
    _print_heading(diff.before, console, "before  ")
    _print_heading(diff.after, console, "after   ")
    groups = {"moved": diff.moved, "modified": diff.modified, "added": diff.added, "removed": diff.removed}
    sizes = [f"{diff.unchanged:,} unchanged", *(f"{len(ops):,} {name}" for name, ops in groups.items())]
    print_line(
        console,
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}, ",
        (f"{before.avoidable:,} -> {after.avoidable:,} avoidable", _warning(after.avoidable)),
        f"; ops: {', '.join(sizes)}",
    )
    if after.inversions:
        print_line(console)
        print_line(console, ("order", "bold"))
        _print_dump(diff.after, console, verbose=verbose, before=diff.before)
    for name, changes in groups.items():
        if changes:
            print_line(console)
            _print_changes(name, changes, console, verbose=verbose)


def print_fix(fix: Fix, source_name: str, console: Console) -> None:
    """Prints what a fix moved, what inversions remain and why."""
    before = fix.before
    remain, forced = before.minimum, before.forced
    if not before.inversions:
        print_line(console, f"{source_name}: in order: unchanged")
        return
    if forced == remain:
        why = "forced by a dependence" if remain == 1 else "all forced by dependences"
    else:
        why = f"{forced:,} of them forced by dependences"
    if not before.certified:
        why += f"; not certified, perhaps {before.minimum - before.lower_bound:,} could be avoided"
    if not fix.changed:
        total = count(remain, "inversion")
        print_line(console, f"{source_name}: nothing avoidable: unchanged ({total}, {why})")
        return
    left = f"{remain:,} {'remains' if remain == 1 else 'remain'}, {why}" if remain else "none remains"
    removed = f"{before.avoidable:,} of {count(before.inversions, 'inversion')} removed"
    print_line(console, f"{source_name}: {count(fix.moved, 'op')} moved, {removed}; {left}")


@dataclass(frozen=True, slots=True)
class _Run:
    """Dumps that stand one after the other and are alike in order."""

    dumps: Sequence[DumpAudit]

    @property
    def title(self) -> str:
        dump, more = self.dumps[0], len(self.dumps) - 1
        if not dump.summary.indexed:
            note = f"{count(more + 1, 'dump')} without op indices" if more else "no op indices"
        elif not dump.summary.inversions:
            note = f"{count(more + 1, 'dump')} in order" if more else "in order"
        else:
            note = f"same in the next {f'{more:,} dumps' if more > 1 else 'dump'}" if more else ""
            if all(block.forced is None for block in dump.blocks if block.inversions):
                note = ", ".join(filter(None, ("graph regions only", note)))
        moment = moment_of(dump)
        return f"{moment} ({note})" if moment and note else moment or note


def _runs(dumps: Iterable[DumpAudit]) -> list[_Run]:
    def likeness(dump: DumpAudit) -> tuple[object, ...]:
        figures = dump.summary
        if not figures.inversions:
            return (figures.indexed > 0,)
        return dump.source, figures.inversions, figures.forced, figures.minimum, figures.lower_bound

    return [_Run(list(run)) for _, run in groupby(dumps, key=likeness)]


def _print_overview(dumps: Sequence[DumpAudit], console: Console, *, verbose: bool) -> None:
    """A table of the dumps; of those alike in a row only the first, unless verbose."""
    runs = [_Run([dump]) for dump in dumps] if verbose else _runs(dumps)
    firsts = [run.dumps[0] for run in runs]
    figures = [dump.summary for dump in firsts]
    knock_ons = [sum(block.knock_on for block in dump.blocks) for dump in firsts]
    one_source = len({dump.source for dump in dumps}) == 1
    if one_source:
        print_line(console, (dumps[0].source, "bold"))
        titles = [run.title for run in runs]
    else:
        titles = [f"{place_of(run.dumps[0])}  {run.title}".rstrip() for run in runs]
    columns = [
        Column("line", [str(dump.line) if one_source else "" for dump in firsts], right=True),
        Column("ops", [f"{f.ops:,}" for f in figures], right=True, optional=True),
        Column("inversions", [f"{f.inversions:,}" for f in figures], right=True, style="bold"),
        Column("forced", [f"{f.forced:,}" if f.inversions else "" for f in figures], right=True),
        Column(
            "knock-on",
            [f"{k:,}" if f.inversions else "" for f, k in zip(figures, knock_ons, strict=True)],
            right=True,
            optional=True,
        ),
        Column(
            "avoidable",
            [f"{f.avoidable:,}{'' if f.certified else '+'}" if f.inversions else "" for f in figures],
            right=True,
            style=_warning(sum(f.avoidable for f in figures)),
        ),
        Column("dump", titles),
    ]
    print_table(console, columns, indent=2 if one_source else 0)
    if not all(f.certified for f in figures):
        print_line(console, "+ not certified: perhaps more are avoidable", indent=2 if one_source else 0)
    print_line(console)


def _described(broken: Sequence[DumpAudit], *, verbose: bool) -> Sequence[DumpAudit]:
    """The dumps to tell more about: that of most inversions and that of most avoidable ones."""
    if verbose or len(broken) < 2:
        return broken
    worst = max(broken, key=lambda dump: dump.summary.inversions)
    most_avoidable = max(broken, key=lambda dump: dump.summary.avoidable)
    return [dump for dump in broken if dump is worst or (dump is most_avoidable and dump.summary.avoidable)]


def _print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    print_line(console, title, (place_of(dump), "bold"), f"  {moment_of(dump)}".rstrip())


def _print_dump(dump: DumpAudit, console: Console, *, verbose: bool, before: DumpAudit | None = None) -> None:
    """The blocks of a dump that have inversions, worst first; ``before`` is what to compare them with."""
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        _print_block(block, console, verbose=verbose, earlier=_earlier(block, before) if before else "")
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        print_line(console, (f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    if unknown := unknown_ops(dump.unknown_ops, limit=None if verbose else 3):
        print_line(console, unknown, indent=2)


def _print_block(block: BlockAudit, console: Console, *, verbose: bool, earlier: str) -> None:
    where = " ".join(filter(None, (block.function, block.block)))
    parts = inversion_parts(block)
    line: list[str | tuple[str, str]] = [
        f"{where} at line {block.line}: ",
        (count(block.inversions, "inversion"), "bold"),
    ]
    for number, part in enumerate(parts):
        joint = ", " if number or len(parts) == 1 else ": "
        line += [joint, (part, _warning("avoidable" in part))]
    if proof := certificate(block):
        line.append((f" ({proof})", "" if block.certified else "yellow"))
    print_line(console, *line, indent=2)
    for text in filter(None, (earlier, inherited(block))):
        print_line(console, text, indent=4)
    shown = block.worst if verbose else block.worst[:SHOWN_DISPLACED]
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    print_line(console, f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        stands = f" stands {'early' if displaced.early else 'late'} at line {displaced.op.line}"
        module = f" ({displaced.op.module})" if displaced.op.module else ""
        print_line(
            console,
            (op_name(displaced.op), "cyan"),
            f"{stands}, in {count(displaced.inversions, 'inversion')}",
            (module, "dim"),
            indent=6,
        )
        why = [reason(displaced, block)]
        if displaced.derived:
            why.append(f"a pass made it from the op at #{displaced.op.index}")
        if any(why):
            print_line(console, "; ".join(filter(None, why)), indent=8)
    if not verbose and len(block.worst) > len(shown):
        print_line(console, ("... --verbose shows more", "dim"), indent=6)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    """What the order of a block was in the dump before."""
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return "before: no such block"
    if not same[0].inversions:
        return "before: in order"
    parts = inversion_parts(same[0])
    return f"before: {count(same[0].inversions, 'inversion')}{', ' if len(parts) == 1 else ': '}{', '.join(parts)}"


def _print_others(dumps: Sequence[DumpAudit], console: Console) -> None:
    indexed = sum(1 for dump in dumps if dump.summary.indexed)
    notes = [f"{count(indexed, 'other dump')} in order"] if indexed else []
    if indexed < len(dumps):
        notes.append(f"{count(len(dumps) - indexed, 'dump')} without op indices")
    print_line(console, ", ".join(notes))


def _print_conclusion(check: Check, console: Console) -> None:
    """One line that sums up, and one that says what can be done."""
    figures = summarize(check.dumps)
    knock_on = sum(block.knock_on for dump in check.dumps for block in dump.blocks)
    scope = f"{count(figures.dumps, 'dump')}, {count(figures.blocks, 'block')}, {count(figures.ops, 'op')}"
    line: list[str | tuple[str, str]] = [f"checked {scope}: "]
    if not figures.indexed:
        line = [f"checked {count(figures.dumps, 'dump')}: no op carries an op index"]
    elif not figures.inversions:
        line.append(("all in order", "green"))
    else:
        line.append(
            f"{count(figures.inversions, 'inversion')}, {figures.forced:,} forced, {knock_on:,} knock-on, "
        )
        line.append((f"{figures.avoidable:,} avoidable", _warning(figures.avoidable)))
    if check.errors:
        line += ["; ", (f"{count(len(check.errors), 'input')} could not be read", "red")]
    print_line(console, *line)
    if figures.avoidable:
        _print_remedy(check.dumps, console)
    elif figures.inversions:
        known = "no legal order has fewer inversions" if figures.certified else "no better order was found"
        print_line(console, f"nothing to fix: {known}")


def _print_remedy(dumps: Iterable[DumpAudit], console: Console) -> None:
    sources = list(dict.fromkeys(dump.source for dump in dumps if dump.summary.avoidable))
    named = ["FILE" if source.startswith("<") else shlex.quote(source) for source in sources]
    for name in named[:SHOWN_FILES]:
        print_line(console, "to remove the avoidable ones: ", (f"eio-audit fix {name}", "bold"))
    if len(named) > SHOWN_FILES:
        print_line(console, f"... and {count(len(named) - SHOWN_FILES, 'more file')}")


def _print_changes(name: str, changes: Sequence[OpChange], console: Console, *, verbose: bool) -> None:
    derived = sum(change.derived for change in changes)
    note = f", {derived:,} of them derived from the op whose index they carry" if derived else ""
    print_line(console, (f"{len(changes):,} {name}", "bold"), note)
    ordered = sorted(changes, key=lambda change: name == "modified" and not change.moved)
    shown = ordered if verbose else ordered[:SHOWN_CHANGES]
    functions = {change.function for change in changes}
    columns = [
        Column("", [_from_to(c, "index") for c in shown], right=True),
        Column("", [_from_to(c, "name") for c in shown], style="cyan"),
        Column("", [_from_to(c, "result") for c in shown]),
        Column("", [f"line {_from_to(c, 'line')}" for c in shown]),
        Column("", [f"place {_places(c)}" for c in shown], optional=True),
        Column("", [_notes(c, name) for c in shown]),
        Column("", [(c.function or "") if len(functions) > 1 else "" for c in shown]),
        Column("", [_module(c) for c in shown], style="dim", optional=True),
    ]
    print_table(console, columns, indent=2)
    if len(shown) < len(changes):
        print_line(
            console, (f"... and {len(changes) - len(shown):,} more; --verbose shows all", "dim"), indent=2
        )


def _from_to(change: OpChange, field: str) -> str:
    """A field of the op before and after, once where it is the same."""
    ends = [getattr(op, field) for op in (change.before, change.after) if op is not None]
    texts = ["" if end is None else f"#{end}" if field == "index" else str(end) for end in ends]
    return " -> ".join(dict.fromkeys(texts)) if any(texts) else ""


def _places(change: OpChange) -> str:
    places = [place for place in (change.place_before, change.place_after) if place is not None]
    return " -> ".join(map(str, dict.fromkeys(places)))


def _notes(change: OpChange, group: str) -> str:
    moved = ["moved"] if change.moved and group != "moved" else []
    derived = ["derived"] if change.derived else []
    return ", ".join([*moved, *derived, *change.changed])


def _module(change: OpChange) -> str:
    op = change.after or change.before
    return (op.module or "") if op else ""


def _warning(number: int) -> str:
    return "red" if number else ""
