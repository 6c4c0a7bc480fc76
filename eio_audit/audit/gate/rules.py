"""The rules of a gate: one per kind of finding, each with a code that never changes its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.options import Follow

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import BlockAudit


class Rule(NamedTuple):
    """A kind of finding, described in docs/rules.md."""

    code: str  # a stable code, such as `EIO001`
    name: str  # a few words with dashes
    summary: str  # one sentence that says what is wrong


AVOIDABLE = Rule(
    "EIO001",
    "avoidable-inversion",
    "Ops are out of their original order; moving this op helps to restore it and breaks no dependence.",
)
UNAVOIDABLE = Rule(
    "EIO002",
    "unavoidable-inversion",
    "An op is out of its original order, and no better order that keeps all dependences was found.",
)
WRONG_INDEX = Rule(
    "EIO003",
    "wrong-index",
    "The index of an op is wrong: no legal order can follow it and the indices of the other ops.",
)

HOISTED = Rule(
    "EIO004",
    "hoisted-constant",
    "Constants are hoisted out of their original order; moving them back breaks no dependence.",
)

SPLIT = Rule(
    "EIO005",
    "split",
    "Splits stay beside their source, away from their original places; moving them breaks no dependence.",
)

TOLD_APART = {Follow.CONSTANTS: HOISTED, Follow.SPLITS: SPLIT}
"""The rules on ops whose avoidable inversions are told apart: one finding for a block."""

ORDER_RULES = (AVOIDABLE, UNAVOIDABLE, WRONG_INDEX, HOISTED, SPLIT)  # the rules on the order of ops
FAIL_ON = {"shuffled": (AVOIDABLE, WRONG_INDEX), "moved": (AVOIDABLE,), "any": ORDER_RULES}  # by what fails

LOCATION_RULES = (
    Rule("EIO101", "unknown-location", "An op has no location, or an unknown one."),
    Rule("EIO102", "no-index", "The location of an op carries no op index."),
    Rule("EIO103", "unknown-index", "The index of an op is negative: the front end did not know its place."),
    Rule("EIO104", "repeated-location", "Several ops have the same location."),
    Rule("EIO105", "two-functions", "Locations name two functions for one place of the model's source."),
    Rule("EIO106", "refused-location", "The location of an op is not a name, as code generation needs it."),
)
"""The rules on locations, with the names of ``broken_locations``."""

UNREADABLE = Rule(
    "EIO107",
    "unreadable-location",
    "The location of an op is a name as it should be, but code generation cannot read that name.",
)

UNINDEXED = Rule(
    "EIO108",
    "unindexed-input",
    "No op of an input carries an op index, so its order cannot be judged.",
)
"""The rule on inputs. It has no findings, fails every gate, and is in force unless the gate allows it."""

RULES = (*ORDER_RULES, *LOCATION_RULES, UNREADABLE, UNINDEXED)  # all rules, sorted by code


def rules_by_prefix(prefix: str) -> tuple[Rule, ...]:
    """Return the rules whose code begins with ``prefix``, or the one of that name: several for ``EIO0``.

    Raises:
        ValueError: there is none.
    """
    rules = tuple(rule for rule in RULES if rule.code.startswith(prefix.upper()) or rule.name == prefix)
    if not rules or not prefix:
        raise ValueError(f"{prefix!r} is no rule and begins none: there are {codes(RULES)}")
    return rules


def codes(rules: Iterable[Rule]) -> str:
    """Return the codes as text: ``EIO001, EIO002``."""
    return ", ".join(rule.code for rule in rules)


def sentences(block: BlockAudit) -> dict[Follow, str]:
    """Return what is known of the hoisted constants and splits of a block, of those that it has.

    ``24 constants are hoisted (1,104 inversions); fix puts them back``;
    ``5 splits stay beside their source (25 inversions); fix moves them``.
    """
    found = {}
    if inversions := block.avoidable_constants:
        one = block.hoisted_constants == 1
        what = "1 constant is" if one else f"{block.hoisted_constants:,} constants are"
        back = f"fix puts {'it' if one else 'them'} back"
        found[Follow.CONSTANTS] = f"{what} hoisted ({inversions:,} inversion{'s' * (inversions > 1)}); {back}"
    if inversions := block.avoidable_splits:
        one = block.left_splits == 1
        what = "1 split stays beside its" if one else f"{block.left_splits:,} splits stay beside their"
        moves = f"fix moves {'it' if one else 'them'}"
        found[Follow.SPLITS] = f"{what} source ({inversions:,} inversion{'s' * (inversions > 1)}); {moves}"
    return found
