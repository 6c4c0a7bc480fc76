"""What to change in the passes of a log, made for those passes only for which it is asked."""

from __future__ import annotations

from eio_audit.audit.diff.advice import Advice, advise_step
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.order.inverted_pairs import InvertedPairs

MOST_BYTES = 1 << 23  # of how much text what passes did is kept until the end of the log


class PassAdvice:
    """The advice on the runs of passes of one program: ``take`` what each did, then ask ``on`` some.

    Advice takes longer than all else that is told of a pass, so it is made when it is asked for. Only if too
    much is kept, it is made before that on the earliest run of which something is left.
    """

    def __init__(self, pairs: InvertedPairs) -> None:
        self._pairs = pairs
        self._bytes = 0  # of the text of all that is kept
        self._did: dict[int, DumpComparison] = {}  # by run
        self._known: dict[int, Advice | None] = {}  # by run, of those that were looked at

    def take(self, run: int, comparison: DumpComparison) -> None:
        """Take what a run did. Its pairs are followed."""
        if not comparison.after.dump.keys.disordered_blocks:
            return
        self._did[run] = comparison
        self._bytes += _size(comparison)
        while self._bytes > MOST_BYTES and len(self._did) > 1:
            earliest = next(iter(self._did))
            if self._pairs.left[earliest]:
                self.on(earliest)
            else:
                self._bytes -= _size(self._did.pop(earliest))

    def on(self, run: int) -> Advice | None:
        """Return what to change in a run; None if it left nothing out of order, or there is no advice."""
        if run in self._did:
            comparison = self._did.pop(run)
            self._bytes -= _size(comparison)
            self._known[run] = advise_step(comparison)
        return self._known.get(run)


def _size(comparison: DumpComparison) -> int:
    return len(comparison.after.ir.source.data)
