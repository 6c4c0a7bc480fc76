"""The states of a bisection as a log, which the other commands read."""

from __future__ import annotations

from eio_audit.audit.bisect.bisection import Bisection


def states_log(result: Bisection) -> bytes:
    """Return the log."""
    assert result.log is not None
    return result.log.read_bytes()
