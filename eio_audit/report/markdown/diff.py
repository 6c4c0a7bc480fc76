"""The difference of two dumps as GitHub Markdown, for a pull request: tables, long lists folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.op_changes import OpChange
from eio_audit.mlir.printable import printable
from eio_audit.report.wording.diff import (
    by_function,
    changed_rules,
    disorder,
    from_to,
    inverse_parts,
    inverse_summary,
    kinds_of,
    ops_summary,
    order_summary,
    runs_summary,
    shortened,
    torn,
    what_happened,
)
from eio_audit.report.wording.order import (
    certificate,
    count,
    inversion_parts,
    moment_of,
    place_of,
    wrong_labels,
)
from eio_audit.report.wording.structure import (
    STAGES,
    functions_summary,
    is_changed,
    tie_summary,
    torn_modules,
)

_ONE_LINE = str.maketrans("\t\r\n", "   ")
_BACKTICKS = re.compile(r"`+")

SHOWN_ROWS = 10
"""Rows of a table that is not folded."""

FOLDED_ROWS = 40
"""Rows of a table in a report that is not verbose: GitHub takes comments of up to 65,536 characters."""

LONGEST_CELL = 160
"""Characters of a cell in a report that is not verbose."""


def diff_to_markdown(diff: Diff, *, verbose: bool = False) -> str:
    """The comparison as Markdown, ending in a newline.

    All that comes from the dumps is in code style: ``#12`` is no issue there and ``@main`` nobody's name.
    """
    inversions, avoidable = order_summary(diff)
    lines = [
        f"### {_dump(diff.before)} to {_dump(diff.after)}",
        "",
        f"**{ops_summary(diff)}**; {inversions}, **{avoidable}**",
        "",
    ]
    if said := inverse_summary(diff.inverse_ops):
        lines += [said, ""]
    if said := runs_summary(diff.fragmentation):
        lines += [said, ""]
    if diff.ops.implied:
        shown = f"{count(diff.ops.implied, 'op')} that only one of the two printing forms shows: not counted"
        lines += [shown, ""]
    for function, changes in by_function([c for group in diff.ops.groups.values() for c in group]):
        lines += [f"#### {_literal(function) if function else 'Outside functions'}", ""]
        for name, group in diff.ops.groups.items():
            members = set(map(id, group))
            lines += _group(name, [c for c in changes if id(c) in members], verbose=verbose)
    lines += [*_order(diff), *_inverse_ops(diff, verbose=verbose)]
    lines += [*_runs(diff, verbose=verbose), *_structure(diff, verbose=verbose), *_locations(diff)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _dump(dump: DumpAudit) -> str:
    return " ".join(filter(None, (_literal(place_of(dump)), _literal(moment_of(dump)))))


def _group(name: str, changes: Sequence[OpChange], *, verbose: bool) -> list[str]:
    if not changes:
        return []
    rows = [
        [
            _code(from_to(change, lambda op: "" if op.index is None else f"#{op.index}")),
            _code(from_to(change, lambda op: op.name)),
            _code(from_to(change, lambda op: op.result or "")),
            from_to(change, lambda op: str(op.line)),
            _code(_cut(from_to(change, lambda op: op.module or ""), verbose=verbose)),
            "<br>".join(
                _code(_cut(what, verbose=verbose)) for what in what_happened(change, verbose=verbose)
            ),
        ]
        for change in changes
    ]
    title = f"{len(changes):,} {name}{kinds_of(changes)}"
    return _table(title, ["index", "op", "result", "line", "module", "what"], rows, verbose=verbose)


def _order(diff: Diff) -> list[str]:
    rows = [
        [
            _code(" ".join(filter(None, (block.function, block.block)))),
            str(block.line),
            f"{block.inversions:,}",
            ", ".join(inversion_parts(block)),
            certificate(block),
            wrong_labels(block),
        ]
        for block in diff.after.blocks
        if block.inversions
    ]
    if not rows:
        return []
    return [
        "#### Order",
        "",
        *_table("", ["block", "line", "inversions", "of these", "minimum", "wrong indices"], rows),
    ]


def _inverse_ops(diff: Diff, *, verbose: bool) -> list[str]:
    parts = [part for part in inverse_parts(diff.inverse_ops) if part[2]]
    if not parts:
        return []
    lines = ["#### Inverse ops", ""]
    for title, _, items in parts:
        lines += _list(title, items, verbose=verbose)
    if said := disorder(diff):
        lines += [said, ""]
    return lines


def _runs(diff: Diff, *, verbose: bool) -> list[str]:
    worse = torn(diff.fragmentation.modules) + torn(diff.fragmentation.functions)
    if not worse:
        return []
    rows = [
        [_code(one.name), f"{one.before:,}", f"{one.after:,}", f"{one.fixed:,}", f"{one.relabelled:,}"]
        for one in worse
    ]
    return [
        "#### Modules",
        "",
        *_table(
            "runs",
            ["module or function", "before", "after", "after fix", "after fix --relabel"],
            rows,
            verbose=verbose,
        ),
    ]


def _structure(diff: Diff, *, verbose: bool) -> list[str]:
    structure = diff.structure
    torn_now = torn_modules(structure)
    if not torn_now and not is_changed(structure):
        return []
    headings = ["module", *(STAGES[stage] for stage in structure.predictions)]
    rows = [[_code(row.path[-1]), *(f"{number:,}" for number in row.functions.values())] for row in torn_now]
    said = "; ".join(filter(None, (functions_summary(structure), tie_summary(structure))))
    table = _table("functions with ops of a module", headings, rows, verbose=verbose) if rows else []
    return ["#### Code generation", "", said, "", *table]


def _locations(diff: Diff) -> list[str]:
    rows = [
        [_code(rule), title, f"{before:,}", f"{after:,}"]
        for rule, title, before, after in changed_rules(diff.locations)
    ]
    if not rows:
        return []
    lost = len(diff.locations.lost)
    note = [f"{count(lost, 'op')} lost the index", ""] if lost else []
    return ["#### Locations", "", *note, *_table("", ["rule", "ops", "before", "after"], rows)]


# ---------------------------------------------------------------------- pieces


def _table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], *, verbose: bool = False
) -> list[str]:
    """A table under its title, folded where it is long; columns without content are left out."""
    shown = rows if verbose else rows[:FOLDED_ROWS]
    kept = [k for k in range(len(headings)) if any(row[k] for row in rows)]
    table = [_row(headings[k] for k in kept), _row("---" for _ in kept)]
    table += [_row(row[k] for k in kept) for row in shown]
    table += _rest(len(rows) - len(shown))
    return _folded(title, table, is_long=len(rows) > SHOWN_ROWS)


def _list(title: str, items: Sequence[str], *, verbose: bool) -> list[str]:
    shown = items if verbose else items[:FOLDED_ROWS]
    lines = [f"- {_literal(item)}" for item in shown] + _rest(len(items) - len(shown))
    return _folded(title, lines, is_long=len(items) > SHOWN_ROWS)


def _rest(number: int) -> list[str]:
    return ["", f"... and {number:,} more; `--verbose` shows all"] if number else []


def _folded(title: str, lines: Sequence[str], *, is_long: bool) -> list[str]:
    if is_long:
        return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>", ""]
    return [*([f"**{title}**", ""] if title else []), *lines, ""]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cut(text: str, *, verbose: bool) -> str:
    return text if verbose else shortened(text, LONGEST_CELL)


def _code(text: str) -> str:
    r"""Text in code style, where GitHub makes no links of it; the pipe is special in tables, even there.

    >>> _code("#12 a|b")
    '`#12 a\\|b`'
    """
    return _literal(text).replace("|", "\\|")


def _literal(text: str) -> str:
    """Text in code style, outside tables; longer fences hold backticks."""
    text = printable(text.translate(_ONE_LINE))
    if not text.strip():
        return ""
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
