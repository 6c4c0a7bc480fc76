"""Known findings, which pass, so that only new ones count. A baseline only shrinks.

A baseline identifies a finding by its code, file, function, op name and origin in the model. It does not use
value names, indices or line numbers, so a finding stays known after edits elsewhere. Several findings may
agree in all of these, so the baseline stores how many of them one dump may have. A finding about a block has
neither op name nor origin.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import PurePath

from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.rules import Rule
from eio_audit.mlir.source import InputError, Source, printable_in_json


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """The identity of a finding in a baseline."""

    source: str  # the dump's file, relative to the baseline's folder, with forward slashes
    code: str  # the code of the rule
    function: str  # symbol of the function; empty outside functions
    op: str  # the op's name; empty for a finding about a block
    origin: str  # the op's place in the model


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Findings compared with a baseline."""

    new: tuple[Finding, ...]  # the findings that are not known
    known: int  # number of known findings
    stale: Mapping[BaselineEntry, int]  # per entry with fewer findings than it allows, how many are missing
    remaining: Baseline  # the baseline without stale findings


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings."""

    folder: str  # the folder of the baseline; the files of its entries are relative to it
    counts: Mapping[BaselineEntry, int]  # per entry, how many findings one dump may have

    @property
    def size(self) -> int:
        """Number of known findings."""
        return sum(self.counts.values())

    @classmethod
    def of(cls, findings: Iterable[Finding], folder: str) -> Baseline:
        """Return the baseline that knows exactly these findings."""
        counts: dict[BaselineEntry, int] = {}
        for _, entry, number in _numbered(findings, folder):
            counts[entry] = max(counts.get(entry, 0), number)
        return cls(folder, counts)

    def compare(
        self, findings: Sequence[Finding], sources: Iterable[str], rules: Collection[Rule]
    ) -> BaselineComparison:
        """Tell new findings from known ones.

        Args:
            findings: of all rules in force. If a dump has too many of one entry, the last ones are new.
            sources: the files that were checked. Entries of other files are not stale.
            rules: the rules that were in force. Entries of other rules are not stale.
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
    """Yield each finding, its entry, and its number from 1 among those of that entry in its dump."""
    numbers: Counter[tuple[int, BaselineEntry]] = Counter()
    for finding in findings:
        entry = entry_of(finding, folder)
        numbers[finding.place.line, entry] += 1
        yield finding, entry, numbers[finding.place.line, entry]


def entry_of(finding: Finding, folder: str) -> BaselineEntry:
    """Return the identity of a finding in a baseline in ``folder``."""
    return BaselineEntry(
        source=_relative_to(finding.source, folder),
        code=finding.rule.code,
        function=finding.function or "",
        op="" if finding.is_of_block else finding.op.name,
        origin=finding.origin,
    )


def _relative_to(source: str, folder: str) -> str:
    """Return the relative path, with forward slashes; a name such as ``<stdin>`` is unchanged."""
    return source if source.startswith("<") else PurePath(os.path.relpath(source, folder)).as_posix()


def _parse_json(source: Source) -> object:
    try:
        text = bytes(source.data).decode()
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise source.error(error.start, "this is not UTF-8, which JSON is written in") from error
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise source.error(offset, error.msg[:1].lower() + error.msg[1:]) from error
    except ValueError as error:
        raise InputError(source.name, None, "a number in this file has too many digits") from error
    except RecursionError as error:
        raise InputError(source.name, None, "this is nested too deeply to be a baseline") from error


BASELINE_SCHEMA = "eio-audit-baseline/1"
_ENTRY_FIELDS = tuple(field.name for field in fields(BaselineEntry))


def baseline_to_json(baseline: Baseline) -> str:
    """Return the text of a baseline: one finding per line, sorted, so that changes to it can be reviewed."""
    lines = []
    for entry, count in sorted(baseline.counts.items()):
        known = asdict(entry) | ({"count": count} if count > 1 else {})
        lines.append(printable_in_json(json.dumps(known, ensure_ascii=False)))
    listed = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{{"schema": "{BASELINE_SCHEMA}", "findings": [{listed}]}}\n'


def parse_baseline(source: Source, folder: str) -> Baseline:
    """Parse the text of a baseline. Equal entries add up.

    Raises:
        InputError: the text is not a baseline.
    """
    document = _parse_json(source)
    if not isinstance(document, dict) or document.get("schema") != BASELINE_SCHEMA:
        raise InputError(source.name, None, f'expected a baseline: {{"schema": "{BASELINE_SCHEMA}", ...}}')
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise InputError(source.name, None, 'expected a list of "findings"')
    counts: dict[BaselineEntry, int] = {}
    for number, known in enumerate(findings, 1):
        entry, count = _entry(source, number, known)
        counts[entry] = counts.get(entry, 0) + count
    return Baseline(folder, counts)


def _entry(source: Source, number: int, known: object) -> tuple[BaselineEntry, int]:
    if not isinstance(known, dict):
        raise InputError(source.name, None, f"finding {number}: expected an object")
    texts = [known.get(name) for name in _ENTRY_FIELDS]
    count = known.get("count", 1)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(
            source.name, None, f"finding {number}: expected texts for {', '.join(_ENTRY_FIELDS)}"
        )
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(source.name, None, f"finding {number}: expected a count from 1")
    return BaselineEntry(*map(str, texts)), count
