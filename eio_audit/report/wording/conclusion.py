"""The verdict of a check, its reasons, and what to type next."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, Summary, UnjudgedInput
from eio_audit.audit.gate.gate import BY_FIGURES, Gate, Verdict
from eio_audit.audit.gate.rules import (
    AVOIDABLE,
    HOISTED,
    NOT_COMPARABLE,
    REVERSED,
    SPLIT,
    UNAVOIDABLE,
    UNINDEXED,
    WRONG_INDEX,
    Rule,
)
from eio_audit.audit.options import AuditOptions, Follow
from eio_audit.report.wording import LEFT, count, order, shortened_list

if TYPE_CHECKING:  # a report on a clean dump does not need these
    from eio_audit.audit.bisect.bisect import Bisection
    from eio_audit.audit.log.trace import Trace, TracedPass
    from eio_audit.mlir.source import InputError


class Step(NamedTuple):
    """A command to type next, whole and quoted for a shell, and what it does."""

    command: str
    effect: str

    @property
    def explained(self) -> str:
        """The command with what it does as a comment."""
        return f"{self.command}  # {self.effect}"


MOST_STEPS = 3  # the most commands that a report suggests


def next_lines(steps: Iterable[Step], width: int | None = None) -> list[str]:
    """Return the lines that suggest commands: ``next:``, and each command in a line of its own.

    A command that is too long for ``width`` together with what it does stands alone. No line is broken.
    """
    shown = list(steps)[:MOST_STEPS]
    lines = []
    for step in shown:
        fits = width is None or len(step.explained) + 2 <= width
        lines.append(f"  {step.explained if fits else step.command}")
    return ["next:", *lines] if lines else []


def command(words: str, audited: DumpAudit | Trace, source: str, *more: str) -> str:
    """Return ``eio-audit fix --diff --follow derived --pass cse --dump 2 passes.log``.

    ``audited`` gives the options of its audit, and how a dump was selected from its file.
    """
    given = [
        *_options(words, audited.options),
        *(selection(audited) if isinstance(audited, DumpAudit) else ()),
    ]
    return " ".join(["eio-audit", words, *map(shlex.quote, given), argument(source), *more])


def bisect_command(result: Bisection, *words: str) -> str:
    """Return ``eio-audit bisect --pass canonicalize --show 431 -- mlir-opt --canonicalize in.mlir``."""
    return bisection_command(result.states.options, result.command, *_pass_of(result), *words)


def reduction_command(result: Bisection, *words: str) -> str:
    """Return the command that reduces the program that was bisected."""
    given = _options("reduce", result.states.options)
    return shlex.join(["eio-audit", "reduce", *_pass_of(result), *words, *given, "--", *result.command])


def _pass_of(result: Bisection) -> list[str]:
    number = [] if result.number is None else ["--dump", str(result.number)]
    return ["--pass", result.pass_name, *number]


def bisection_command(options: AuditOptions, compiler: Sequence[str], *words: str) -> str:
    """Return the command that bisects a compiler with some options, and these of its own."""
    return shlex.join(["eio-audit", "bisect", *words, *_options("bisect", options), "--", *compiler])


def explain_command(audited: DumpAudit | Trace, source: str, line: int | str = "") -> str:
    """Return the command that explains the op of a line, or its start. Empty if it cannot read the dump."""
    if not is_readable_again(audited, source):
        return ""
    return command("explain", audited, source, *filter(None, [str(line)]))


def compare_command(traced: TracedPass, trace: Trace) -> str:
    """Return the command that compares the dumps around a pass. Empty if no later command can read two."""
    place, before = traced.place, traced.before
    if before is None or before.source == place.source:
        return pass_command(traced, trace)
    if place.occurrence or before.occurrence or not is_readable_again(trace, place.source):
        return ""
    return command("diff", trace, before.source, argument(place.source))


def pass_command(traced: TracedPass, trace: Trace) -> str:
    """Return the command that shows what a pass did. Empty if there is none."""
    place = traced.place
    if place.marker is None or place.marker.when != "after" or not is_readable_again(trace, place.source):
        return ""
    chosen = "--pass", shlex.quote(place.marker.pass_name), "--dump", str(place.occurrence + 1)
    return command("diff", trace, place.source, *chosen)


def is_readable_again(audited: DumpAudit | Trace, source: str) -> bool:
    """Whether a later command can read a file, and the dump that the original order is from."""
    order_from = audited.options.order_from
    return is_kept(source) and (order_from is None or is_kept(order_from.name))


def is_kept(source: str) -> bool:
    """Whether a file is there for a later command: standard input and pipes are not."""
    return not source.startswith(("<", "/dev/"))


def argument(source: str) -> str:
    """Return a file's name for a command line."""
    return shlex.quote(f"./{source}" if source.startswith("-") else source)


def selection(dump: DumpAudit) -> list[str]:
    """Return the options that select a dump, or several, as the user did: ``--pass cse --dump 2``."""
    pass_name, number = dump.selected
    words = [] if pass_name is None else ["--pass", pass_name]
    return [*words, "--dump", number] if number else words


_ONLY_KEYS = {
    "bisect": ("follow", "assume-pure"),
    "diff": ("assume-pure",),
    "history": ("follow", "assume-pure", "index-pattern"),
    "reduce": ("follow", "assume-pure"),
    "trace": ("assume-pure",),
}
"""By command, what ``--config`` sets: the command has no option for it."""

_PLAIN = rf"{'|'.join(Follow)}|[a-z]\w*\.[\w.*]*"  # what ``--config`` reads without quotes


def _options(words: str, options: AuditOptions) -> list[str]:
    """Return the options that dumps were audited with, as a command has them."""
    name, *_ = words.split()
    given = {
        "follow": sorted({*options.follow} - {Follow.FREES}),  # which follow unless another option says so
        "assume-pure": options.assume_pure,
        "index-pattern": [] if options.pattern.is_default else [options.pattern.expression],
        "order-from": [] if options.order_from is None or name == "history" else [options.order_from.name],
    }
    found = []
    for key, values in given.items():
        if key not in _ONLY_KEYS.get(name, ()):
            found += [word for value in values for word in (f"--{key}", value)]
        elif values:
            found += ["--config", configured_value(key, values)]
    return found


def configured_value(key: str, values: Sequence[str]) -> str:
    """Return what ``--config`` reads for a key with several values: ``assume-pure=my.*``."""
    one = values[0] if len(values) == 1 else ""
    value = one if re.fullmatch(_PLAIN, one) else json.dumps(one or [*values], ensure_ascii=False)
    return f"{key}={value}"


LACKS_INDEX = ("carries no op index", "carry no op index")
"""Why a dump is not judged, and why several are not."""
SHOWN_INPUTS = 10  # the most inputs without an index that a verdict names unless verbose


def verdict_line(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return ``failed: 42 wrong indices and 22 inversions out of place in 1 of 1 dumps``."""
    return f"{status(verdict)}: {'; '.join(reasons(verdict, verbose=verbose))}"


def status(verdict: Verdict) -> str:
    """Return ``passed``, ``failed``, ``incomplete`` or ``could not run``."""
    check, gate = verdict.check, verdict.gate
    if check.judges_nothing and not (gate.allows_unindexed and check.dumps and not check.errors):
        return "could not run"
    if check.errors:
        return "incomplete"
    return "failed" if verdict.failed else "passed"


def reasons(verdict: Verdict, *, verbose: bool = False) -> list[str]:
    """Return why a check failed or passed. It names some inputs without an index, or all if ``verbose``."""
    check, found = verdict.check, Counter(finding.rule for finding in verdict.findings)
    said = [unread(check.errors, [dump.source for dump in check.dumps])] if check.errors else []
    fails, is_first = UNINDEXED in verdict.failed, not {*verdict.failed} - {UNINDEXED}
    skipped: list[str] = []
    if check.unjudged and status(verdict) != "could not run":
        most = check.unindexed if verbose else SHOWN_INPUTS
        skipped.append(not_judged(check, most) + (lets_pass(check.unjudged) if fails else ""))
    said += skipped if is_first else []
    if verdict.known is not None:
        new = count(len(verdict.findings), "new finding") if verdict.findings else "no new finding"
        stale = sum(verdict.stale.values())
        gone = [f"{stale:,} of the baseline not found any more"] if stale else []
        said += [f"{new}, {verdict.known:,} known", *gone]
    else:
        others = [rule for rule in verdict.gate.rules if rule not in BY_FIGURES and found[rule]]
        said += [f"{count(found[rule], 'finding')} of {rule.code} {rule.name}" for rule in others]
        says_all = bool(said or skipped) and (
            not check.dumps or (check.judges_nothing and status(verdict) == "passed")
        )
        said += _limits_of(verdict) or ([] if says_all else [_order_of(check)])
    said += _curable_splits(verdict)
    if check.unindexed and not check.unjudged:
        said.append(not_judged(check, SHOWN_INPUTS))
    by_file = [str(check.configuration)] if check.configuration else []
    return said + ([] if is_first else skipped) + by_file


def _curable_splits(verdict: Verdict) -> list[str]:
    """Say which pass of a log left splits that pass the gate: a change of the pass removes them."""
    check = verdict.check
    splits = check.at_end_of_log.avoidable_splits if check.is_log and SPLIT not in verdict.failed else 0
    makers = (one for one in check.dumps if one.when == "after" and one.summary.avoidable_splits)
    maker = next(makers, None) if splits else None
    if maker is None:
        return []
    return [f"{splits:,} of splits: a change of {maker.pass_name} removes them, see trace"]


def unread(errors: Sequence[InputError], sources: Sequence[str]) -> str:
    """Return ``1 of 122 inputs unreadable``. ``sources`` are the inputs of the dumps that could be read.

    Of a single input its dumps are counted.
    """
    broken = {error.source for error in errors}
    number, total, what = len(broken), len(broken | {*sources}), "input"
    if total == 1 and sources:
        number, total, what = len(errors), len(errors) + len(sources), "dump"
    if number == total:
        return f"{count(number, what)} unreadable"
    return f"{number:,} of {total:,} {what}s unreadable"


def not_judged(check: Check, most: int) -> str:
    """Return ``1 of 3 dumps checked; 2 carry no op index: a.mlir, b.mlir``, with at most so many names."""
    names = [
        one.source if one.dumps == 1 else f"{one.source} ({one.dumps:,} dumps)" for one in check.unjudged
    ]
    unjudged = {one.source for one in check.unjudged}
    in_logs = Counter(d.source for d in check.dumps if d.is_unindexed and d.source not in unjudged)
    names += [f"{number:,} in {source}" for source, number in in_logs.items()]
    is_one_log = {*in_logs} == {dump.source for dump in check.dumps}
    named = "" if is_one_log else f": {shortened_list(names, most)}"
    why = LACKS_INDEX if check.dumps[0].options.order_from is None else lacks_original(check)
    return checked(len(check.dumps), check.unindexed, why=why) + named


def lacks_original(check: Check) -> tuple[str, str]:
    """Say that every op of the original was replaced, and name the last dump that shows some."""
    last = next((dump for dump in reversed(check.dumps) if not dump.is_unindexed), None)
    until = "" if last is None else f" (the last that can be judged: {order.heading_of(last)})"
    return f"shows no op of the original{until}", f"show no op of the original{until}"


def checked(total: int, unindexed: int, what: str = "dumps", why: tuple[str, str] = LACKS_INDEX) -> str:
    """Say how many dumps carry no op index: ``2 of 3 dumps checked; 1 carries no op index``."""
    one, several = why
    said = one if unindexed == 1 else several
    return f"{total - unindexed:,} of {total:,} {what} checked; {unindexed:,} {said}"


def lets_pass(unjudged: Sequence[object], option: str = "--allow-unindexed") -> str:
    """Return what lets inputs or models pass that carry no op index."""
    return f" ({option} lets {'it' if len(unjudged) == 1 else 'them'} pass)"


def why_not_judged(one: UnjudgedInput) -> str:
    """Return ``no op carries an op index, so its order cannot be judged``."""
    why = "no op carries an op index, so its order cannot be judged"
    return why if one.has_locations else f"{why} (no locations: print with --mlir-print-debuginfo)"


def steps_after(verdict: Verdict) -> list[Step]:
    """Return the commands that remove inversions; with a baseline, those of the file of a new finding."""
    if verdict.known is None:
        return next_steps(verdict.check.dumps)
    if not set(verdict.failed) - {UNINDEXED}:
        return []
    file = verdict.findings[0].source
    return next_steps([dump for dump in verdict.check.dumps if dump.source == file])


def _limits_of(verdict: Verdict) -> list[str]:
    dumps, check = verdict.check.dumps, verdict.check

    def where(name: str) -> str:
        broken = sum(1 for dump in dumps if getattr(dump.summary, name))
        there = f"in {broken:,} of {len(dumps):,} dumps"
        if not check.is_log:
            return there
        left = getattr(check.at_end_of_log, name)
        return f"{there}, {f'{left:,}' if left else 'none'} {LEFT}"

    return limits(verdict.gate, verdict.failed, check.each_inversion_once, where)


def limits(gate: Gate, failed: Collection[Rule], figures: Summary, where: Callable[[str], str]) -> list[str]:
    """Return what fails a gate, or what a ceiling is set for: ``42 wrong indices in 1 of 1 dumps``.

    ``where`` returns the place of a figure, by its name.
    """
    most = gate.max_inversions
    allowed = "" if most is None else f", {most:,} allowed"
    if gate.introduced is not None:
        what = count(gate.introduced, "inversion") if gate.introduced else "no inversion"
        return [f"{what} introduced by the chosen passes and {LEFT}{allowed}"]
    unavoidable = "unavoidable inversion{}" if figures.certified else "inversion{} not proven unavoidable"
    kinds = [
        (REVERSED, "reversed_dependences", "reversed dependence{}"),
        (WRONG_INDEX, "wrong_indices", "wrong ind{}"),
        (AVOIDABLE, "avoidable_others", "inversion{} out of place"),
        (UNAVOIDABLE, "unavoidable", unavoidable),
        (HOISTED, "avoidable_constants", "inversion{} of hoisted constants"),
        (SPLIT, "avoidable_splits", "inversion{} of splits"),
        (NOT_COMPARABLE, "not_compared", "inversion{} not comparable"),
    ]
    if most is not None:
        limited = (AVOIDABLE, "inversions", "inversion{}") if gate.limits_any else kinds[2]
        kinds = [*kinds[: REVERSED in failed], limited]
    numbers_at: dict[str, list[str]] = {}
    for rule, name, words in kinds:
        if rule in failed or most is not None:
            is_limited = most is not None and rule is AVOIDABLE
            one, several = map(words.format, ("ex", "ices") if rule is WRONG_INDEX else ("", "s"))
            numbers = numbers_at.setdefault(f"{where(name)}{allowed if is_limited else ''}", [])
            number = gate.limited(figures) if is_limited else getattr(figures, name)
            ahead = figures.wrong_ahead if rule is WRONG_INDEX else 0
            numbers.append(count(number, one, several) + (f" ({ahead:,} {RUN_AHEAD})" if ahead else ""))
    return [
        f"{' and '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))} {place}"
        for place, numbers in numbers_at.items()
    ]


RUN_AHEAD = "of them in functions that run ahead"
"""What a verdict counts apart: such functions run once, ahead of the model."""


def _order_of(check: Check) -> str:
    figures = check.summary
    if not check.dumps:
        return "no IR"
    if not figures.has_indices:
        if not check.unindexed:
            return "no op to check"
        is_given = check.dumps[0].options.order_from is not None
        return "no op of the original is left" if is_given else "no op carries an op index"
    if figures.inversions:
        broken = sum(1 for dump in check.dumps if dump.summary.inversions)
        where = f", in {broken:,} of {figures.dumps:,} dumps" if figures.dumps > 1 else ""
        return f"{order.sum_of(figures)}{where}"
    dumps = count(figures.dumps - check.unindexed, "dump")
    sizes = dumps, count(figures.blocks, "block"), count(figures.ops, "op")
    return f"{', '.join(sizes)}{_followed(check)}: all in order"


def _followed(check: Check) -> str:
    frees = sum(block.followed_frees for dump in check.dumps for block in dump.blocks)
    others = check.summary.followed - frees
    parts = []
    if others:
        parts.append(f"{others:,} follow{'s its consumer' if others == 1 else ' their consumers'}")
    if frees:
        parts.append(f"{frees:,} follow{'s its last use' if frees == 1 else ' their last uses'}")
    return f" ({', '.join(parts)})" if parts else ""


def next_steps(dumps: Sequence[DumpAudit], *, moves: bool = True, relabels: bool = True) -> list[Step]:
    """Return the commands that remove inversions, and what they do.

    Wrong indices are corrected first: else ops move to where these put them, and stay there.

    ``moves`` and ``relabels``: whether to return those that reorder and those that correct indices.
    """
    check = Check(tuple(dumps), ())
    named = [dump for dump in dumps if is_readable_again(dump, dump.source)]
    relabelling = _relabelling(check, named) if relabels or moves else []
    return relabelling + (_moving(check, named) if moves else [])


ONLY_MOVES = "only moves ops: wrong indices stay, and decide where"
"""What ``fix`` does without ``--relabel`` where indices are wrong."""


def _moving(check: Check, named: Sequence[DumpAudit]) -> list[Step]:
    worst = max(named, key=lambda dump: dump.summary.avoidable, default=None)
    if worst is None or not worst.summary.avoidable:
        return []
    if _shows_all_of_log(check, worst, named):
        return [Step(command("trace", worst, worst.source), "shows what each pass did")]
    has_wrong = worst.summary.wrong_indices and worst.options.order_from is None
    effect = ONLY_MOVES if has_wrong else "shows the fix; --in-place applies it"
    return [Step(command("fix --diff", worst, worst.source), effect)]


def _relabelling(check: Check, named: Sequence[DumpAudit]) -> list[Step]:
    """Return the command for the dump with most wrong indices, in a log for its last dump."""
    is_log = {dump.source for dump in named if _shows_all_of_log(check, dump, named)}
    last = {dump.source: dump for dump in named}
    wrong = [
        dump
        for dump in (last[one.source] if one.source in is_log else one for one in named)
        if dump.summary.wrong_indices and dump.options.order_from is None
    ]
    if not wrong:
        return []
    worst = max(wrong, key=lambda dump: dump.summary.wrong_indices)
    words = "fix --relabel --diff" + (" --dump last" if worst.source in is_log else "")
    return [Step(command(words, worst, worst.source), order.relabelling(worst.summary, [worst]))]


def _shows_all_of_log(check: Check, dump: DumpAudit, named: Sequence[DumpAudit]) -> bool:
    """Return whether a dump is one of several of a log that the user did not choose from."""
    return check.is_log and not selection(dump) and sum(one.source == dump.source for one in named) > 1
