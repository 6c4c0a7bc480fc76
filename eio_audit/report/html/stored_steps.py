"""What the passes of a log did, as the data of a page that shows one pass at a time."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from eio_audit.audit.log.pass_steps import ChangedOp, PassStep
from eio_audit.audit.log.trace import Trace
from eio_audit.audit.log.walk import PassRun
from eio_audit.report.html.page_steps import PageStep, page_step
from eio_audit.report.html.stored_texts import StoredTexts

STATUSES = ("added", "removed", "modified", "moved")
"""What a pass does to an op, in the order of the page's counts."""

LEVEL = 9
"""How hard zlib tries: the page is written once and read often."""


class StoredSteps:
    """The steps of a log, or the only step of a comparison, stored for a page.

    Attributes:
        counts: by the index of a pass, how many ops it changed, by status.
    """

    numbers_ops: ClassVar[bool] = True

    def __init__(self, steps: Iterable[PageStep] = ()) -> None:
        self.counts: dict[int, Counter[str]] = {}
        self._texts = StoredTexts()
        self._names: dict[str, int] = {}
        self._steps: list[list[Any]] = []
        self._keys: dict[tuple[str, int], int] = {}
        for step in steps:
            self.add(step)

    def watch(self, run: PassRun, program: str, step: PassStep, changes: Sequence[ChangedOp]) -> None:
        """Store what a pass did while a log is traced. ``trace`` calls this."""
        key = self._keys.setdefault((program, run.number), len(self._keys))
        self.add(page_step(key, step, changes))

    def of(self, trace: Trace) -> StoredSteps:
        """Return the steps that were watched, with the indices of their passes in the trace."""
        index_of = {self._keys.get((one.program, one.run), -1): one.index for one in trace.passes}
        self.counts = {index_of[key]: counts for key, counts in self.counts.items()}
        for step in self._steps:
            step[0] = index_of[step[0]]
        return self

    def add(self, step: PageStep) -> None:
        """Store a step."""
        self.counts.setdefault(step.index, Counter()).update(change.status for change in step.changes)
        before, after = self._texts.add(step.before), self._texts.add(step.after)
        changes = [
            [STATUSES.index(change.status) for change in step.changes],
            [change.number for change in step.changes],
            [change.origin for change in step.changes],
            [self._name(change.name) for change in step.changes],
            [-1 if change.function is None else self._name(change.function) for change in step.changes],
            [-1 if change.before is None else change.before for change in step.changes],
            [-1 if change.after is None else change.after for change in step.changes],
        ]
        self._steps.append([step.index, before, after, *changes])

    @property
    def sources(self) -> list[str]:
        """The names of the files that the texts are from."""
        return self._texts.sources

    def data(self) -> dict[str, object]:
        """Return all steps as scripts read them.

        ``templates``, ``templateOf`` and ``numbers`` are the lines of all texts (``StoredLines``). ``states``
        are the texts (``StoredTexts``). A step is the index of its pass, the numbers of the texts before and
        after it, and seven lists with an entry per changed op: its status in ``statuses``, its number, its
        origin, its name and function in ``names``, and its lines before and after. -1 stands for none.
        """
        lines = self._texts.lines
        return {
            "statuses": STATUSES,
            "templates": [*lines.templates],
            "templateOf": lines.template_of,
            "numbers": lines.numbers,
            "sources": self._texts.sources,
            "states": self._texts.states,
            "names": [*self._names],
            "steps": self._steps,
        }

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))


def pair_data(step: PageStep) -> dict[str, object]:
    """Return a step as scripts read the only pass of a page."""
    stored = StoredSteps([step])
    counts = [stored.counts[step.index][status] for status in STATUSES]
    shown = {
        "name": "Before and after",
        "function": "",
        "place": "",
        "time": "",
        "order": "",
        "command": "",
        "changed": True,
    }
    return {"passes": [{**shown, "counts": counts}], **stored.data()}


def packed(data: object) -> str:
    """Return data as JSON, deflated, in base64."""
    text = json.dumps(data, separators=(",", ":"))  # in ASCII, so broken encoding comes through
    return base64.b64encode(zlib.compress(text.encode(), LEVEL)).decode()
