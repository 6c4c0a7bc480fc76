"""Findings that are known and let through, so that only new ones count; the list of them only shrinks.

A finding is known again by its code, file, function, op name and origin in the model, not by value names,
indices or line numbers, so that edits elsewhere leave it known. Several findings may have all of that in
common; the baseline has how many of them there may be in one dump.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.rules import Rule


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """What a finding is known again by.

    Attributes:
        source: the dump's file, relative to the baseline's folder, with forward slashes.
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
    """Findings compared with a baseline.

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
        folder: where the baseline is; the files it names are relative to that.
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
        counts: dict[BaselineEntry, int] = {}
        for _, entry, number in _numbered(findings, folder):
            counts[entry] = max(counts.get(entry, 0), number)
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
        checked = {_relative_to(source, self.folder) for source in sources}
        codes = {rule.code for rule in rules}
        stale = {
            entry: count - found.get(entry, 0)
            for entry, count in self.counts.items()
            if entry.source in checked and entry.code in codes and count > found.get(entry, 0)
        }
        left = {entry: count - stale.get(entry, 0) for entry, count in self.counts.items()}
        remaining = Baseline(self.folder, {entry: count for entry, count in left.items() if count})
        new = [
            finding
            for finding, entry, number in _numbered(findings, self.folder)
            if number > self.counts.get(entry, 0)
        ]
        return BaselineComparison(tuple(new), len(findings) - len(new), stale, remaining)


def _numbered(findings: Iterable[Finding], folder: str) -> Iterator[tuple[Finding, BaselineEntry, int]]:
    """Each finding with its entry, and the how many-th of that entry it is in its dump, from 1."""
    numbers: Counter[tuple[int, BaselineEntry]] = Counter()
    for finding in findings:
        entry = entry_of(finding, folder)
        numbers[finding.dump_line, entry] += 1
        yield finding, entry, numbers[finding.dump_line, entry]


def entry_of(finding: Finding, folder: str) -> BaselineEntry:
    """What a finding is known again by, in a baseline in ``folder``."""
    return BaselineEntry(
        source=_relative_to(finding.source, folder),
        code=finding.rule.code,
        function=finding.function or "",
        op=finding.op.name,
        origin=finding.origin,
    )


def _relative_to(source: str, folder: str) -> str:
    """The relative path, with forward slashes; what is no file, such as ``<stdin>``, as it is."""
    return source if source.startswith("<") else PurePath(os.path.relpath(source, folder)).as_posix()
