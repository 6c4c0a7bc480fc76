"""The page of ``trace``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.trace.trace import Culprit, Trace, TracedPass
from eio_audit.report.html.page import escaped, page
from eio_audit.report.html.table import Column, Table
from eio_audit.report.html.timeline import draw_timeline, pass_name
from eio_audit.report.text.trace import look_closer
from eio_audit.report.wording.order import NOT_SHOWN, contradicting, count, op_name, reason


def trace_to_html(trace: Trace, version: str) -> str:
    """What each pass did to the order, and the first that shuffled.

    Args:
        trace: the passes.
        version: of the program.
    """
    return page("eio-audit trace", version, _sections(trace))


def _sections(trace: Trace) -> Iterator[str]:
    yield "<h1>eio-audit trace</h1>"
    yield f'<p class="verdict">{escaped(_verdict(trace))}</p>'
    yield from (f"<p>could not be read: {escaped(str(error).splitlines()[0])}</p>" for error in trace.errors)
    if trace.culprit is not None:
        yield from _culprit(trace.culprit)
    if trace.passes:
        yield "<h2>Passes</h2>"
        yield draw_timeline(trace.passes)
        yield _pass_table(trace.passes).html()


def _verdict(trace: Trace) -> str:
    if not trace.summary.has_indices:
        return "No op carries an op index: there is no original order to compare with."
    introduced = sum(traced.introduced for traced in trace.passes)
    of = count(len(trace.passes), "pass", "passes")
    if trace.culprit is None:
        return f"{of}: none introduced avoidable inversions.{_mislabeller(trace)}"
    guilty = sum(1 for traced in trace.passes if traced.introduced)
    first = trace.culprit.pass_name or NOT_SHOWN
    avoidable = count(introduced, "avoidable inversion")
    return f"{guilty:,} of {of} introduced {avoidable}, first {first}.{_mislabeller(trace)}"


def _mislabeller(trace: Trace) -> str:
    worst = trace.mislabeller
    if worst is None:
        return ""
    made = contradicting(worst.mislabelled)
    return f" Most wrong indices by {worst.pass_name or NOT_SHOWN}: {made}; see eio-audit fix --relabel."


def _culprit(culprit: Culprit) -> Iterator[str]:
    block, worst, place = culprit.block, culprit.worst, culprit.place
    where = " ".join(filter(None, (block.function, block.block)))
    side = "early" if worst.early else "late"
    yield (
        f"<p>Its worst op: <code>{escaped(op_name(worst.op))}</code> in {escaped(where)} stands {side} at "
        f"line {worst.op.line} of {escaped(place.source)}, in {count(worst.inversions, 'inversion')}: "
        f"{escaped(reason(worst, block))}</p>"
    )
    yield f"<p>Look closer: <code>{escaped(look_closer(culprit))}</code></p>"


def _pass_table(passes: Sequence[TracedPass]) -> Table:
    def figures(key: str, title: str) -> Column:
        return Column(key, title, [getattr(traced.figures, key) for traced in passes], is_number=True)

    sources = {traced.place.source for traced in passes}
    dumps = [f"{t.place.source}:{t.place.line}" if len(sources) > 1 else str(t.place.line) for t in passes]
    columns = [
        Column("index", "number", [traced.index for traced in passes], is_number=True),
        Column("pass", "pass", [pass_name(traced) for traced in passes]),
        Column("changed", "changed", ["yes" if traced.changed else "" for traced in passes]),
        Column("function", "function", [traced.function for traced in passes]),
        Column("dump", "dump" if len(sources) > 1 else "line", dumps),
        figures("ops", "ops"),
        figures("inversions", "inversions"),
        figures("forced", "forced"),
        figures("knock_on", "knock-on"),
        figures("avoidable", "avoidable"),
        Column("introduced", "introduced", [traced.introduced for traced in passes], is_number=True),
        Column("mislabelled", "made wrong", [traced.mislabelled for traced in passes], is_number=True),
        Column("lost", "lost", [traced.lost for traced in passes], is_number=True),
    ]
    marked = ("changed", "passes that changed something only")
    return Table("passes", "the passes in the order in which they ended", columns, "index", marked=marked)
