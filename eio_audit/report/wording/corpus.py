"""Sentences about the models and passes of a corpus, without layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # most checks have one model
    from eio_audit.audit.corpus.models import ModelFigures, PassFigures

UNNAMED = "(no pass named)"
"""The dumps that no marker and no file name says the pass of."""


def pass_of(figures: PassFigures) -> str:
    """Return ``after canonicalize``."""
    return figures.moment or UNNAMED


def models_of(figures: PassFigures) -> str:
    """Return in how many models a pass leaves avoidable inversions: ``31 of 44``."""
    return f"{figures.models_avoidable:,} of {figures.models:,}"


def worst_of(figures: ModelFigures) -> str:
    """Return which dump of a model is the worst: ``after canonicalize``, or its line. Empty if none is."""
    worst = figures.worst
    return "" if worst is None else worst.moment or f"line {worst.line}"
