"""What a finding is recognized by from one run to the next, by services that track findings."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from eio_audit.audit.gate.baseline import entry_of
from eio_audit.audit.gate.findings import Finding


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """For each finding a number in hexadecimal that stays the same while the finding does, and is its own.

    It is made of what a baseline knows the finding by, the dump's pass, and a number among those alike.
    """
    numbers: Counter[tuple[object, ...]] = Counter()
    prints = [""] * len(findings)
    for k in sorted(range(len(findings)), key=lambda k: (findings[k].line, findings[k].column)):
        entry = entry_of(findings[k], ".")
        parts = (entry.code, entry.source, entry.function, entry.op, entry.origin, findings[k].moment)
        numbers[parts] += 1
        text = "\0".join((*parts, str(numbers[parts])))
        prints[k] = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return prints
