"""The list beside the chosen pass: the passes of a log, or the steps of one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

from eio_audit.report.html.stored_steps import STATUSES, packed
from eio_audit.report.wording.diff import SIGNS


@dataclass(frozen=True, slots=True)
class PassEntry:
    """A pass in the list.

    Attributes:
        name: its name.
        subject: what it ran on: its functions, or an op.
        place: where it is, for the list: ``line 12``, ``attempt 431``.
        counts: how many ops it changed, in the order of ``STATUSES``.
        note: what the list says of the order; empty if no op has an index.
        order: what it did to the order; empty if no op has an index.
        source: where it is, for the chosen pass: ``passes.log:12``.
        time: its wall time; empty if it is not known.
        command: the command that shows what it did; empty if there is none.
        changed: whether it changed something; None if there is no dump before it.
        is_unchanged: whether it changed nothing, as far as the log shows.
        is_guilty: whether it left ops out of order.
        is_culprit: whether the page opens at it, as the worst.
        is_chosen: whether the list shows it at first.
        mark: the class of its colour in a picture; empty for none.
    """

    name: str
    subject: str
    place: str
    counts: tuple[int, ...]
    note: str
    order: str
    source: str
    time: str
    command: str
    changed: bool | None
    is_unchanged: bool
    is_guilty: bool
    is_culprit: bool
    is_chosen: bool = True
    mark: str = ""

    @property
    def classes(self) -> str:
        """Its classes in the page."""
        flags = {
            "unchanged": self.is_unchanged,
            "guilty": self.is_guilty,
            "culprit": self.is_culprit,
            "unchosen": not self.is_chosen,
            self.mark: bool(self.mark),
        }
        return " ".join(name for name, holds in flags.items() if holds)

    @property
    def signed_counts(self) -> list[tuple[str, str, int]]:
        """The sign, the name and the number of each kind of change that there is."""
        counts = zip(STATUSES, self.counts, strict=True)
        return [(SIGNS[status], status, number) for status, number in counts if number]

    @property
    def unsigned(self) -> str:
        """What is said of a pass without changed ops."""
        if self.changed is None:
            return "nothing to compare with"
        return "nothing changed" if self.is_unchanged else "no op changed"

    def widths(self, most: float) -> list[tuple[str, str]]:
        """Return how wide the bar of each kind of change is. All are as wide as the logarithm of their sum.

        ``most`` is the logarithm of the largest sum plus one.
        """
        total = sum(self.counts)
        share = log1p(total) / most / total
        return [(status, f"{number * share:.1%}") for _, status, number in self.signed_counts]

    @property
    def data(self) -> dict[str, object]:
        """The pass as scripts read it."""
        return {
            "name": self.name,
            "function": self.subject,
            "time": self.time,
            "place": self.source,
            "counts": self.counts,
            "order": self.order,
            "command": self.command,
            "changed": self.changed,
        }


@dataclass(frozen=True)
class PassList:
    """The passes of a page, and what each did to the ops.

    Attributes:
        entries: the passes, by the index of their ``TracedPass``.
        steps: what each did, as ``StoredSteps.data`` gives it.
        one: what an entry is called.
        many: what several are called.
        sought: what the filter finds.
        has_choice: whether options of the report choose some entries.
    """

    entries: Sequence[PassEntry]
    steps: Mapping[str, object]
    one: str = "pass"
    many: str = "passes"
    sought: str = "pass, function or op"
    has_choice: bool = False

    @cached_property
    def most(self) -> float:
        """The logarithm of the largest number of ops that a pass changed, plus one."""
        return log1p(max((sum(entry.counts) for entry in self.entries), default=0))

    @property
    def data(self) -> str:
        """All passes as scripts unpack them."""
        return packed({"passes": [entry.data for entry in self.entries], **self.steps})
