"""One program of a log, walked once: each dump is compared with what was known, and its pairs are followed.

``trace``, ``history`` and ``check`` of a log differ in what they tell of these steps. None of them compares
texts or follows pairs by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from eio_audit.audit.log.inverted_pairs import FollowedPairs
from eio_audit.audit.log.scope_steps import ScopeStep, ScopeSteps
from eio_audit.audit.log.walk import FunctionOrModule, ProgramWalk, ShownT, Step
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import FunctionText


class ProgramLog:
    """The dumps of one program: ``begin`` each with what it shows, ``compare`` it, ``follow`` its pairs."""

    def __init__(self, options: AuditOptions) -> None:
        self.walk = ProgramWalk()  # which passes are charged with what
        self.steps = ScopeSteps(options)  # the last known text, and the numbers of its ops
        self.followed = FollowedPairs(options)  # the pairs out of order
        self._known: dict[str, FunctionText] = {}  # by symbol, the last known text of a function

    def begin(self, dump: Dump, shown: ShownT) -> Step[ShownT]:
        """Begin or end the pass of a dump."""
        return self.walk.step(dump.marker, shown)

    def compare(self, dump: Dump, same: Collection[FunctionOrModule] | None = None) -> ScopeStep:
        """Compare a dump with the text before it, and number its ops.

        Functions that are the ``same`` as in the dump that showed them last are not read again; their texts
        tell which these are, if the caller does not know. An InputError says that a text cannot be read.
        """
        shown = self.steps.show(dump)
        if same is None:
            texts = shown.function_texts
            same = {
                symbol
                for symbol in texts.keys() & self._known
                if self._known[symbol].is_same_as(texts[symbol]) and symbol not in self.steps.texts.namesakes
            }
        found = self.steps.take(shown, same)
        self._known |= shown.function_texts
        return found

    def follow(
        self,
        found: ScopeStep | None,
        origin: Callable[[str | None], int],
        judged: Collection[FunctionOrModule] | None,
        vanished: Collection[FunctionOrModule] = (),
    ) -> None:
        """Follow the pairs into a dump that was compared, if it was.

        ``origin`` tells what is charged with what is new in a function. ``judged`` are the functions of the
        dump; None if its order cannot be judged, as no op carries an index.
        """
        if found is not None and judged is None:
            self.followed.pass_over(found)
        elif found is not None:
            self.followed.take(found, origin)
        self.followed.end(judged or (), vanished)
