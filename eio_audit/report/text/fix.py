"""What ``fix`` prints of each file, and of all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eio_audit.report.wording import configured, count, order
from eio_audit.report.wording.fix import outcome

if TYPE_CHECKING:
    from eio_audit.audit.fix.fix import Fix
    from eio_audit.report.text.console import Console


def print_fix(fix: Fix, source_name: str, console: Console, *, is_dry: bool = False) -> None:
    """Print what a fix moved, or with ``is_dry`` would move, what inversions remain and why."""
    assumed = order.assumed_pure(sum((dump.assumed_pure for dump in fix.dumps), Counter()))
    if assumed and (fix.before.inversions or fix.relabelled):
        console.print(f"{source_name}: {assumed}")
    would = "would be changed: " if is_dry and fix.changed else ""
    console.print(f"{source_name}: {would}{outcome(fix)}{configured(fix.dumps[0].options)}")


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Print how many files changed, or with ``is_dry`` would change, and how many did not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    console.print(f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")
