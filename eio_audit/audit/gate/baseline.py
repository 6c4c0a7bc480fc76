"""Findings that are known and let through, so that only new ones count; the list of them only shrinks.

A finding is known again by its code, file, function, op name and origin in the model, not by value names,
indices or line numbers, so that edits elsewhere leave it known. Several findings may have all of that in
common; the baseline holds how many of them there may be in one dump.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.rules import Rule


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """What a finding is known again by.

    Attributes:
        source: the dump's file, seen from the baseline's folder, with forward slashes.
        code: of the rule.
        function: symbol of the function; empty outside one.
        op: the op's name.
        origin: where in the model the op comes from.
    """

    source: str
    code: str
    function: str
    op: str
    origin: str


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Findings held against a baseline.

    Attributes:
        new: the findings that are not known.
        known: how many are.
        stale: entries for which fewer findings are left than there may be, and by how many fewer.
        remaining: the baseline without what is stale.
    """

    new: tuple[Finding, ...]
    known: int
    stale: Mapping[BaselineEntry, int]
    remaining: Baseline


class Baseline:
    """The known findings.

    Attributes:
        folder: where the baseline stands; the files it names are seen from there.
        counts: how many findings of each entry one dump may have.
    """

    def __init__(self, folder: str, counts: Mapping[BaselineEntry, int]) -> None:
        self.folder = folder
        self.counts = counts

    @property
    def size(self) -> int:
        """How many findings it knows."""
        return sum(self.counts.values())

    @classmethod
    def of(cls, findings: Iterable[Finding], folder: str) -> Baseline:
        """The baseline that knows all of the findings, and no more."""
        numbers: Counter[tuple[int, BaselineEntry]] = Counter()
        counts: dict[BaselineEntry, int] = {}
        for finding in findings:
            entry = entry_of(finding, folder)
            numbers[finding.dump_line, entry] += 1
            counts[entry] = max(counts.get(entry, 0), numbers[finding.dump_line, entry])
        return cls(folder, counts)

    def compare(
        self, findings: Sequence[Finding], sources: Iterable[str], rules: Collection[Rule]
    ) -> BaselineComparison:
        """Tells new findings from known ones.

        Args:
            findings: of all rules in force; of those alike in a dump the last ones are new.
            sources: the files that were checked; entries of others are not stale.
            rules: that were in force; entries of others are not stale.
        """
        found = Baseline.of(findings, self.folder).counts
        checked = {_seen_from(source, self.folder) for source in sources}
        codes = {rule.code for rule in rules}
        stale = {
            entry: count - found.get(entry, 0)
            for entry, count in self.counts.items()
            if entry.source in checked and entry.code in codes and count > found.get(entry, 0)
        }
        remaining = {
            entry: count - stale.get(entry, 0)
            for entry, count in self.counts.items()
            if count > stale.get(entry, 0)
        }
        new = []
        numbers: Counter[tuple[int, BaselineEntry]] = Counter()
        for finding in findings:
            entry = entry_of(finding, self.folder)
            numbers[finding.dump_line, entry] += 1
            if numbers[finding.dump_line, entry] > self.counts.get(entry, 0):
                new.append(finding)
        return BaselineComparison(
            tuple(new), len(findings) - len(new), stale, Baseline(self.folder, remaining)
        )


def entry_of(finding: Finding, folder: str) -> BaselineEntry:
    """What a finding is known again by, in a baseline that stands in ``folder``."""
    return BaselineEntry(
        source=_seen_from(finding.source, folder),
        code=finding.rule.code,
        function=finding.function or "",
        op=finding.op.name,
        origin=finding.origin,
    )


def _seen_from(source: str, folder: str) -> str:
    """The relative path, with forward slashes; what is no file, such as ``<stdin>``, as it is."""
    return source if source.startswith("<") else PurePath(os.path.relpath(source, folder)).as_posix()
