"""What the audits of all dumps of one source share."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eio_audit.order.effort import Effort

if TYPE_CHECKING:  # a clean dump has none
    from eio_audit.audit.check.disorder import ShapeDisorder


@dataclass(slots=True)
class SharedWork:
    """What may still be done, and what has been found.

    Attributes:
        effort: what may be done to find orders.
        known: by shape, what is to be said of small blocks: layers repeat, and so do dumps of a log.
    """

    effort: Effort = field(default_factory=Effort)
    known: dict[Hashable, ShapeDisorder] = field(default_factory=dict)
