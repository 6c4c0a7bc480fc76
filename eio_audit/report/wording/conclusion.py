"""The verdict of a check, its reasons, and what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, Summary
from eio_audit.audit.gate.gate import BY_FIGURES, Gate, Verdict
from eio_audit.audit.gate.rules import AVOIDABLE, HOISTED, UNAVOIDABLE, Rule
from eio_audit.report.wording import order
from eio_audit.report.wording.numbers import count


def verdict_line(verdict: Verdict) -> str:
    """Return ``failed: 22 avoidable inversions in 1 of 1 dumps; eio-audit fix --diff FILE shows the fix``."""
    return f"{status(verdict)}: {'; '.join(reasons(verdict) + steps_after(verdict)[:1])}"


def status(verdict: Verdict) -> str:
    """Return ``passed``, ``failed`` or ``could not run``."""
    if verdict.check.errors or not verdict.check.summary.has_indices:
        return "could not run"
    return "failed" if verdict.failed else "passed"


def reasons(verdict: Verdict) -> list[str]:
    """Return why a check failed or passed."""
    check, found = verdict.check, Counter(finding.rule for finding in verdict.findings)
    said = [f"{count(len(check.errors), 'input')} could not be read"] if check.errors else []
    if verdict.known is not None:
        new = count(len(verdict.findings), "new finding") if verdict.findings else "no new finding"
        stale = sum(verdict.stale.values())
        gone = [f"{stale:,} of the baseline not found any more"] if stale else []
        said += [f"{new}, {verdict.known:,} known", *gone]
    else:
        others = [rule for rule in verdict.gate.rules if rule not in BY_FIGURES and found[rule]]
        said += [f"{count(found[rule], 'finding')} of {rule.code} {rule.name}" for rule in others]
        said += list(_limits_of(verdict)) or ([_order_of(check)] if check.dumps or not said else [])
    return said


def steps_after(verdict: Verdict) -> list[str]:
    """Return the commands that remove inversions. Empty if the baseline lists them all."""
    return _steps(verdict.check) if verdict.failed or verdict.known is None else []


def _limits_of(verdict: Verdict) -> Iterator[str]:
    dumps, check = verdict.check.dumps, verdict.check

    def where(name: str) -> str:
        broken = sum(1 for dump in dumps if getattr(dump.summary, name))
        return f"in {broken:,} of {len(dumps):,} dumps"

    return limits(verdict.gate, verdict.failed, check.once, check.final if check.is_log else None, where)


def limits(
    gate: Gate, failed: Collection[Rule], once: Summary, final: Summary | None, where: Callable[[str], str]
) -> Iterator[str]:
    """Yield the inversions that fail a gate, or that a ceiling is set for.

    ``once`` and ``final`` are as in ``Check``. ``final`` is None for input other than a log. ``where``
    returns the place of a figure, by its name.
    """
    figures = final if final and gate.is_final else once
    unavoidable = "unavoidable {}" if figures.certified else "{} not proven unavoidable"
    kinds = [
        (AVOIDABLE, "avoidable_others", "avoidable {}", gate.max_avoidable),
        (UNAVOIDABLE, "minimum", unavoidable, None)
        if gate.max_inversions is None
        else (UNAVOIDABLE, "inversions", "{}", gate.max_inversions),
        (HOISTED, "avoidable_constants", "avoidable {} of hoisted constants", None),
    ]
    for rule, name, kind, most in kinds:
        if rule in failed or most is not None:
            number = count(getattr(figures, name), kind.format("inversion"), kind.format("inversions"))
            allowed = "" if most is None else f", {most:,} allowed"
            place = where(name)
            if final:
                rest = getattr(final, name)
                left = f"{place}, {f'{rest:,}' if rest else 'none'} left at the end"
                place = "left at the end" if gate.is_final else left
            is_apart = rule is AVOIDABLE and figures.avoidable_constants and HOISTED not in failed
            besides = f", besides {figures.avoidable_constants:,} of hoisted constants" if is_apart else ""
            yield f"{number} {place}{allowed}{besides}"


def _order_of(check: Check) -> str:
    figures = check.summary
    if not check.dumps:
        return "no IR"
    if not figures.has_indices:
        return "no op carries an op index"
    if figures.inversions:
        broken = sum(1 for dump in check.dumps if dump.summary.inversions)
        return f"{order.sum_of(figures)}, in {broken:,} of {figures.dumps:,} dumps"
    sizes = count(figures.dumps, "dump"), count(figures.blocks, "block"), count(figures.ops, "op")
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


def next_steps(dumps: Sequence[DumpAudit]) -> list[str]:
    """Return the commands for inversions, and what they do."""
    return _steps(Check(tuple(dumps), ()))


def fix_commands(dumps: Sequence[DumpAudit]) -> list[tuple[str, str]]:
    """Return (command, effect) for avoidable inversions and for inversions from wrong indices."""
    return _commands(Check(tuple(dumps), ()))


def _steps(check: Check) -> list[str]:
    return [f"{command} {effect}" for command, effect in _commands(check)]


def _commands(check: Check) -> list[tuple[str, str]]:
    commands = []
    if improvable := [dump for dump in check.dumps if dump.summary.avoidable]:
        command, effect = "fix --diff", "shows the fix, --in-place applies it"
        if check.is_log:
            command, effect = "trace", "shows what each pass did"
        commands.append((_command(command, improvable), effect))
    if mislabelled := [dump for dump in check.dumps if dump.summary.wrong_labels]:
        relabelled = order.relabelling(check.once, mislabelled)
        commands.append((_command("fix --relabel --diff", mislabelled), relabelled))
    return commands


def _command(words: str, dumps: Sequence[DumpAudit]) -> str:
    sources = {dump.source for dump in dumps}
    file = order.argument(sources.pop()) if len(sources) == 1 else "FILE"
    return f"eio-audit {words}{order.options_given(dumps[0])} {file}"
