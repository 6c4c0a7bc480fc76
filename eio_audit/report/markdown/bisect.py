"""A bisection as GitHub Markdown, to paste into an issue."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.bisect.advice import Advice
from eio_audit.audit.bisect.bisection import Application, Bisection, PatternTotal
from eio_audit.report.markdown.code import code, literal, table
from eio_audit.report.wording import bisect as words
from eio_audit.report.wording.numbers import if_any

SHOWN_ROWS = 10
"""The most rows of a table unless verbose."""


def bisection_to_markdown(result: Bisection, *, verbose: bool = False) -> str:
    """Return the bisection as Markdown, ending in a newline."""
    lines = [f"### {literal(words.headline(result))}", "", f"{words.effort(result)}.", ""]
    if not result.is_unchanged:
        lines += _patterns(result, verbose=verbose)
    worst = [one for one in result.worst if one.is_resolved]
    lines += _worst(result, worst if verbose else worst[:SHOWN_ROWS])
    if result.advice is not None:
        lines += _advice(result.advice, result, verbose=verbose)
    if said := words.stopped(result):
        lines += [
            f"**{said}**",
            "",
            *(f"- {words.not_resolved(one, result)}" for one in result.unresolved),
            "",
        ]
    if worst and result.reproduction.is_kept:
        lines += [f"Before and after attempt {worst[0].last}:", "", "```sh"]
        lines += [result.reproduction.at(worst[0].last - 1), result.reproduction.at(worst[0].last), "```"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _patterns(result: Bisection, *, verbose: bool) -> list[str]:
    shown = result.patterns if verbose else result.patterns[:SHOWN_ROWS]
    without = result.without_patterns
    rows = [
        [f"{one.applications:,}", words.ops_changed(one.ops), code(words.pattern_title(one))] for one in shown
    ]
    rows.append(["", words.ops_changed(without.op_counts), words.WITHOUT_PATTERNS])
    headings = ["applied", "ops", "pattern"]
    if result.is_judged:
        headings = ["made", "left at the end", *headings]
        makers: list[PatternTotal | Application] = [*shown, without]
        rows = [[if_any(one.made), if_any(one.left), *cells] for one, cells in zip(makers, rows, strict=True)]
    lines = [*table(headings, rows, numbers=len(headings) - 2), ""]
    if len(shown) < len(result.patterns):
        lines += [f"{len(result.patterns) - len(shown):,} more patterns.", ""]
    return lines


def _advice(advice: Advice, result: Bisection, *, verbose: bool) -> list[str]:
    """Return what to change, as a block of its own to paste."""
    lines = [f"**What to change**: {words.what_to_change(advice, result)}.", ""]
    if shown := words.patterns_to_change(advice, verbose=verbose):
        rows = [
            [f"{one.inversions:,}", words.ops_made(one), words.CARRIED[one.carries], code(one.pattern)]
            for one in shown
        ]
        headings = [words.become(advice), "makes", "they carry", "pattern"]
        lines += [*table(headings, rows, numbers=1), ""]
    if chosen := [literal(pattern) for pattern in advice.together.patterns]:
        lines += [f"{words.best_change(advice, chosen)}.", ""]
    if advice.left:
        lines += [*(f"- {words.what_is_left(one, literal)}" for one in advice.left), ""]
    return [*lines, f"({words.ESTIMATE}.)", ""] if shown else lines


def _worst(result: Bisection, steps: Sequence[Application]) -> list[str]:
    if not steps:
        return []
    rows = [
        [
            str(one.last),
            *_did(one, result),
            code(words.root_op(one)),
            code(words.model_line(one)),
            code(words.pattern_title(one)),
        ]
        for one in steps
    ]
    what = ["inversions", "left"] if result.is_judged else ["ops"]
    return [*table(["attempt", *what, "root op", "model", "pattern"], rows, numbers=1), ""]


def _did(one: Application, result: Bisection) -> list[str]:
    if result.is_judged:
        return [words.before_and_after(one), if_any(one.left)]
    return [words.ops_changed(one.op_counts)]
