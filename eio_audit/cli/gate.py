"""Options that make a command a gate: what fails, what a baseline allows, and where the model's source is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eio_audit.cli.inputs import is_given
from eio_audit.cli.options import PATH, Command, parsed_by, together, whole
from eio_audit.cli.output import encoded, write_bytes
from eio_audit.mlir.source import InputError
from eio_audit.report.wording import count

if TYPE_CHECKING:
    from eio_audit.audit.check.check import Check
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.gate.gate import Gate, Verdict
    from eio_audit.audit.gate.rules import Rule
    from eio_audit.audit.locations.parsed_locations import ModelLine


class GateChoice(NamedTuple):
    """The gate, its baseline file, and the folder of the model's source."""

    gate: Gate
    baseline: str | None
    update_baseline: bool
    source_root: SourceRoot | None

    @property
    def needs_findings(self) -> bool:
        """Whether the verdict depends on findings, not only on figures."""
        return self.baseline is not None or self.gate.needs_findings

    def judge(self, check: Check, findings: Sequence[Finding], *, quiet: bool) -> Verdict:
        """Judge a check and update the baseline, with a note unless ``quiet``.

        Raises:
            InputError: the baseline cannot be read or written.
        """
        from eio_audit.audit.gate.gate import judge
        from eio_audit.mlir.source import Source

        if self.source_root is not None:
            findings = [f._replace(model_path=self.source_root.path_of(f.model)) for f in findings]
        if self.baseline is None:
            return judge(check, findings, self.gate)
        from eio_audit.audit.gate.findings import Baseline, baseline_to_json, parse_baseline

        path, folder, note = self.baseline, str(Path(self.baseline).parent), ""
        if exists := Path(path).exists():
            baseline = parse_baseline(Source.read(path), folder)
        elif self.update_baseline:
            baseline = Baseline.of(findings, folder)
            note = f"created with {count(baseline.size, 'finding')}"
        else:
            raise InputError(path, None, "no such file; --update-baseline creates it")
        verdict = judge(check, findings, self.gate, baseline)
        if verdict.stale:
            baseline = baseline.compare(findings, check.judged_sources, self.gate.rules).remaining
            note = f"{count(sum(verdict.stale.values()), 'finding')} removed, {baseline.size:,} left"
        if note and self.update_baseline and not check.errors and check.summary.has_indices:
            write_bytes(path, [encoded(baseline_to_json(baseline))])
            if not quiet:
                click.echo(f"{path}: {note}", err=True)
        if exists and self.update_baseline and verdict.findings and not quiet:
            new = f"{count(len(verdict.findings), 'new finding')} not added"
            click.echo(f"{path}: {new}: to accept all findings, remove the file and run this again", err=True)
        return verdict


def _rules(texts: Sequence[str]) -> set[Rule]:
    from eio_audit.audit.gate.rules import rules_by_prefix

    prefixes = [prefix.strip() for text in texts for prefix in text.split(",")]
    return {rule for prefix in prefixes for rule in rules_by_prefix(prefix)}


def _rule_codes(text: str) -> str:
    _rules([text])
    return text


def _gate(fail_on: str, max_inversions: int | None = None, allow_unindexed: bool = False) -> Gate:
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.gate.rules import FAIL_ON

    rules = FAIL_ON.get(fail_on, FAIL_ON["shuffled"])
    introduced = 0 if fail_on == "introduced" else None
    return Gate(rules, fail_on == "never", max_inversions, introduced, allow_unindexed)


def is_asked_for(gate: Gate) -> bool:
    """Return whether the current command or its configuration asks for a gate, and it may fail."""
    return not gate.never_fails and any(map(is_given, ("fail_on", "max_inversions")))


_INTRODUCED = "only on what the pass of --pass put out of order and is left at the end (introduced), "

MAX_INVERSIONS = click.option(
    "--max-inversions",
    type=whole(0),
    help="Allow up to N inversions in all inputs together: with --fail-on out-of-place those of ops out of "
    "place, else those of any kind, also of wrong indices. It allows no reversed dependence.",
)
ALLOW_UNINDEXED = click.option(
    "--allow-unindexed",
    is_flag=True,
    help="Let inputs pass whose order cannot be judged because no op in them carries an index, as in folders "
    "of mixed IR. The report still names them.",
)


def ceiling_options(*options: Callable[[Any], Any], introduced: bool = False) -> Callable[[Command], Command]:
    """Return ``--fail-on`` and others for what order fails by figures alone. The command gets ``gate``.

    With what a pass ``introduced``, if one can be chosen.
    """
    kinds = ["shuffled", "out-of-place", *["introduced"] * introduced, "any", "never"]
    fail_on = click.option(
        "--fail-on",
        type=click.Choice(kinds),
        metavar="WHAT",
        default="shuffled",
        show_default=True,
        help="Fail on an op out of place or with a wrong index (shuffled), only on ops out of place "
        f"(out-of-place), {_INTRODUCED * introduced}on any inversion (any), or never. Only any counts those "
        "of hoisted constants and splits, and those that the original order does not compare. A reversed "
        "dependence fails all but never.",
    )
    return together("gate", _gate, fail_on, *options)


def _gate_choice(
    gate: Gate,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline: str | None,
    update_baseline: bool,
    source_root: str | None,
) -> GateChoice:
    from eio_audit.audit.gate.rules import RULES, UNINDEXED

    if baseline is None and update_baseline:
        raise click.UsageError("--update-baseline requires --baseline FILE")
    if baseline is not None and gate.max_inversions is not None:
        raise click.UsageError("--baseline cannot be used with --max-inversions")
    ignored, selected = _rules(ignore), _rules(select)
    if not select or gate.max_inversions is not None:
        selected |= {*gate.rules}
    wanted = selected - ignored - {UNINDEXED}
    gate = gate._replace(
        rules=tuple(rule for rule in RULES if rule in wanted),
        allows_unindexed=gate.allows_unindexed or UNINDEXED in ignored,
    )
    root = None if source_root is None else SourceRoot(source_root)
    return GateChoice(gate, baseline, update_baseline, root)


gate_options = together(
    "gate_choice",
    _gate_choice,
    ceiling_options(MAX_INVERSIONS, ALLOW_UNINDEXED),
    click.option(
        "--select",
        multiple=True,
        type=parsed_by(_rule_codes),
        metavar="CODE",
        help="Check only the rules with this code or prefix, in place of those that --fail-on enables: "
        "EIO002, EIO1. Separate several with commas, or repeat the option. 'eio-audit help rules' lists all.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        type=parsed_by(_rule_codes),
        metavar="CODE",
        help="Do not check the rules with this code or prefix. May be repeated.",
    ),
    click.option(
        "--baseline",
        type=PATH,
        metavar="FILE",
        help="Ignore the findings listed in FILE; fail only on new ones.",
    ),
    click.option(
        "--update-baseline",
        is_flag=True,
        help="Create the --baseline file, or remove from it the findings that no longer occur.",
    ),
    click.option("--source-root", type=PATH, metavar="DIR"),
)

_SEPARATOR = re.compile(r"[/\\]")


class SourceRoot:
    """The folder of the model's source here. The compiler recorded paths of another machine."""

    def __init__(self, folder: str) -> None:
        self._root = Path(folder)
        self._found: dict[str, str | None] = {}
        if not self._root.is_dir():
            raise InputError(folder, None, "no such folder (source-root)")

    def path_of(self, line: ModelLine | None) -> str | None:
        """Return the file below the root that shares the longest end with the recorded path.

        ``/build/7/net/model.py`` is ``ROOT/7/net/model.py`` if that exists, else ``ROOT/net/model.py``, else
        ``ROOT/model.py``, else None.
        """
        if line is None:
            return None
        if line.file not in self._found:
            parts = [part for part in _SEPARATOR.split(line.file) if part not in ("", ".")]
            tails = (parts[start:] for start in range(len(parts)) if ".." not in parts[start:])
            files = (self._root.joinpath(*tail) for tail in tails)
            is_file = os.path.isfile  # of a path that is no valid name, it does not raise an error
            self._found[line.file] = next((file.as_posix() for file in files if is_file(file)), None)
        return self._found[line.file]
