"""The inputs of a check whose order cannot be judged, because no op in them carries an index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from eio_audit.audit.check.figures import DumpAudit


class UnjudgedInput(NamedTuple):
    """A file, which may be a log, that has ops of which none carries an index.

    Attributes:
        source: file name, ``<stdin>`` for standard input.
        dumps: number of its dumps that have ops.
        has_locations: whether an op has a location, so that the index may be written in another form.
    """

    source: str
    dumps: int
    has_locations: bool


def unjudged_inputs(dumps: Iterable[DumpAudit]) -> tuple[UnjudgedInput, ...]:
    """Return the inputs that cannot be judged, in the order of their first dumps.

    A file without ops has nothing to judge. A log with an index in some dump is judged by these dumps.
    """
    of_source = defaultdict[str, list[DumpAudit]](list)
    for dump in dumps:
        of_source[dump.source].append(dump)
    found = []
    for source, own in of_source.items():
        unindexed = [dump for dump in own if dump.is_unindexed]
        if unindexed and not any(dump.blocks for dump in own):
            found.append(UnjudgedInput(source, len(unindexed), any(dump.located for dump in unindexed)))
    return tuple(found)
