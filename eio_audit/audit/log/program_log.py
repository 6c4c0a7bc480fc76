"""One program of a log, walked once: each dump is compared with what was known, and its pairs are followed.

``trace``, ``history`` and ``check`` of a log differ in what they tell of these steps. None of them compares
texts or follows pairs by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from eio_audit.audit.log.followed_pairs import FollowedPairs
from eio_audit.audit.log.scope_steps import ScopeStep, ScopeSteps
from eio_audit.audit.log.walk import LogStep, ProgramWalk
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import FunctionText
from eio_audit.mlir.source import InputError


class ProgramLog:
    """The dumps of one program: each is a step of the ``walk``; ``compare`` it, then ``follow`` its pairs.

    A step may also be compared later: those in order need not be read.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.walk = ProgramWalk()  # which passes are charged with what
        self.steps = ScopeSteps(options)  # the last known text, and the numbers of its ops
        self.followed = FollowedPairs(options)  # the pairs out of order
        self._matches_whole_dumps = options.order_from is not None
        self._known: dict[str, FunctionText] = {}  # by symbol, the last known text of a function

    def compare(
        self, step: LogStep, same: Collection[FunctionOrModule] | None = None, *, is_read: bool = False
    ) -> None:
        """Compare a dump with the text before it, and number its ops.

        Functions that are the ``same`` as in the dump that showed them last are not read again; their texts
        tell which these are, if the caller does not know. Of a dump with the same text, nothing is, unless
        it ``is_read``.
        """
        try:
            step.compared = self.compared(step.dump, same, is_read=is_read)
        except InputError as error:
            step.unread = error

    def compared(
        self, dump: Dump, same: Collection[FunctionOrModule] | None = None, *, is_read: bool = False
    ) -> ScopeStep:
        """Return a dump and the text before it, as ``compare`` does; an InputError if one cannot be read."""
        shown = self.steps.show(dump)
        texts = shown.function_texts
        if same is None:
            known = texts.keys() & self._known
            same = {symbol for symbol in known if self._known[symbol].is_same_as(texts[symbol])}
        found = self.steps.take(shown, () if self._matches_whole_dumps else same, is_read=is_read)
        self._known |= texts
        return found

    def follow(self, step: LogStep, origin: Callable[[str | None], int], *, is_judged: bool) -> None:
        """Follow the pairs into a dump that was compared, if it was.

        ``origin`` tells what is charged with what is new in a function. A dump cannot be judged if no op
        carries an index, or if it is invalid.
        """
        if step.compared is not None and is_judged:
            self.followed.take(step.compared, origin)
        elif step.compared is not None:
            self.followed.pass_over(step.compared)
