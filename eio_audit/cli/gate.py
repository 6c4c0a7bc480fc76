"""Options that make a command a gate: what fails, what is let through, what is known."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from eio_audit import (
    AVOIDABLE,
    RULES,
    UNAVOIDABLE,
    Check,
    Gate,
    InputError,
    Rule,
    Source,
    Verdict,
    judge,
    rules_by_prefix,
)
from eio_audit.cli.options import fail_on_option
from eio_audit.cli.output import write_bytes

if TYPE_CHECKING:
    from eio_audit import AuditedDump, Baseline, Finding
    from eio_audit.cli.source_root import SourceRoot

F = TypeVar("F", bound=Callable[..., Any])


class RulesType(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """Codes of rules or what they begin with, separated by commas."""

    name = "code"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Makes sure that there are such rules."""
        try:
            rules_named(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


def rules_named(*texts: str) -> set[Rule]:
    """The rules that texts with codes mean.

    Raises:
        ValueError: a code is none.
    """
    prefixes = [prefix.strip() for text in texts for prefix in text.split(",")]
    return {rule for prefix in prefixes for rule in rules_by_prefix(prefix)}


max_inversions_option = click.option(
    "--max-inversions",
    type=click.IntRange(min=0),
    metavar="N",
    help="Let up to N inversions pass, of whatever kind, in all that is checked.",
)
max_avoidable_option = click.option(
    "--max-avoidable",
    type=click.IntRange(min=0),
    metavar="N",
    help="Let up to N avoidable inversions pass in all that is checked.",
)
select_option = click.option(
    "--select",
    multiple=True,
    type=RulesType(),
    metavar="CODE",
    help="Look for this too: a code such as EIO002, or how codes begin. With commas, or repeated: several. "
    "'eio-audit rule' lists all.",
)
ignore_option = click.option(
    "--ignore", multiple=True, type=RulesType(), metavar="CODE", help="Do not look for this. May be repeated."
)
baseline_option = click.option(
    "--baseline",
    type=click.Path(),
    metavar="FILE",
    help="Let findings pass that this file knows; only new ones fail.",
)
source_root_option = click.option(
    "--source-root",
    type=click.Path(),
    metavar="DIR",
    help="Where the model's source is in this repository: findings point at its lines where they can.",
)


@dataclass(frozen=True, slots=True)
class GateChoice:
    """What the options of a gate say.

    Attributes:
        gate: what fails.
        baseline: the file of known findings, or None.
        update_baseline: create that file, or remove from it what is not found any more.
        source_root: finds the model's files in the repository, or None.
    """

    gate: Gate
    baseline: str | None
    update_baseline: bool
    source_root: SourceRoot | None

    @property
    def needs_findings(self) -> bool:
        """Whether the findings decide, not the figures alone."""
        return self.baseline is not None or self.gate.needs_findings

    def collect(self, findings: list[Finding]) -> Callable[[AuditedDump], None]:
        """What adds the findings of a dump to a list."""
        from eio_audit import find

        return lambda dump: findings.extend(find(dump, self.gate.rules))

    def judge(self, check: Check, findings: Sequence[Finding], *, quiet: bool = False) -> Verdict:
        """Holds a check against the gate, and brings the baseline up to date if that is asked for.

        What that changes is said on standard error, unless ``quiet``.

        Raises:
            InputError: the baseline cannot be read or written.
        """
        if self.source_root is not None:
            findings = [replace(f, model_path=self.source_root.path_of(f.model)) for f in findings]
        if self.baseline is None:
            return judge(check, findings, self.gate)
        is_complete = not check.errors and check.summary.has_indices
        baseline = self._read_baseline(self.baseline, findings, may_create=is_complete, quiet=quiet)
        verdict = judge(check, findings, self.gate, baseline)
        if self.update_baseline and verdict.stale and is_complete:
            sources = {dump.source for dump in check.dumps}
            remaining = baseline.compare(findings, sources, self.gate.rules).remaining
            write_baseline(remaining, self.baseline)
            stale = sum(verdict.stale.values())
            if not quiet:
                click.echo(f"{self.baseline}: {stale:,} removed, {remaining.size:,} left", err=True)
        return verdict

    def _read_baseline(
        self, path: str, findings: Sequence[Finding], *, may_create: bool, quiet: bool
    ) -> Baseline:
        from eio_audit import Baseline
        from eio_audit.report.ci.baseline_file import parse_baseline

        folder = str(Path(path).parent)
        if Path(path).exists():
            return parse_baseline(Source.read(path), folder)
        if not self.update_baseline:
            raise InputError(path, None, "no such baseline; --update-baseline creates it")
        baseline = Baseline.of(findings, folder)
        if may_create:
            write_baseline(baseline, path)
            if not quiet:
                click.echo(f"{path}: created, {baseline.size:,} known", err=True)
        return baseline


def write_baseline(baseline: Baseline, path: str) -> None:
    """Writes the file of known findings."""
    from eio_audit.report.ci.baseline_file import baseline_to_json

    write_bytes(baseline_to_json(baseline).encode("utf-8", "backslashreplace"), path)


def ceiling_options(command: F) -> F:
    """What of the order fails, by the figures alone; the command gets it as one ``gate``."""

    @fail_on_option
    @max_avoidable_option
    @max_inversions_option
    @functools.wraps(command)
    def with_ceilings(
        *args: Any, fail_on: str, max_avoidable: int | None, max_inversions: int | None, **others: Any
    ) -> Any:
        looks_at_all = fail_on == "any" or max_inversions is not None
        rules = (AVOIDABLE, UNAVOIDABLE) if looks_at_all else (AVOIDABLE,)
        gate = Gate(rules, fail_on == "never", max_inversions, max_avoidable)
        return command(*args, gate=gate, **others)

    return cast(F, with_ceilings)


def gate_options(command: F) -> F:
    """All options of a gate; the command gets them as one ``choice``."""

    @ceiling_options
    @select_option
    @ignore_option
    @baseline_option
    @click.option(
        "--update-baseline",
        is_flag=True,
        help="Create the file of --baseline, or remove from it what is not found any more; nothing is added.",
    )
    @source_root_option
    @functools.wraps(command)
    def with_gate(
        *args: Any,
        gate: Gate,
        select: tuple[str, ...],
        ignore: tuple[str, ...],
        baseline: str | None,
        update_baseline: bool,
        source_root: str | None,
        **others: Any,
    ) -> Any:
        if baseline is None and update_baseline:
            raise click.UsageError("--update-baseline needs the file: --baseline FILE")
        if baseline is not None and (gate.max_avoidable is not None or gate.max_inversions is not None):
            raise click.UsageError("--baseline knows what may pass: it goes with no --max-... option")
        wanted = {*gate.rules, *rules_named(*select)} - rules_named(*ignore)
        gate = replace(gate, rules=tuple(rule for rule in RULES if rule in wanted))
        choice = GateChoice(gate, baseline, update_baseline, _source_root(source_root))
        return command(*args, choice=choice, **others)

    return cast(F, with_gate)


def _source_root(folder: str | None) -> SourceRoot | None:
    if folder is None:
        return None
    from eio_audit.cli.source_root import SourceRoot

    return SourceRoot(folder)
