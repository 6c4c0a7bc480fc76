"""The rules of a gate: one per kind of finding, each with a code that never changes its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.pair_class import SHUFFLED, PairClass

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

REVERSED = Rule(
    "EIO006",
    "reversed-dependence",
    "Two ops touch one resource in the wrong order: no legal reorder gives this, unless an index is wrong.",
)

NOT_COMPARABLE = Rule(
    "EIO007",
    "not-comparable",
    "Pairs of ops are out of order that the original order does not compare, such as copies of a loop body.",
)

ORDER_RULES = (AVOIDABLE, UNAVOIDABLE, WRONG_INDEX, HOISTED, SPLIT, REVERSED, NOT_COMPARABLE)
"""The rules on the order of ops."""

OF_BLOCKS = frozenset({HOISTED, SPLIT, NOT_COMPARABLE})
"""The rules with one finding for a block, not for each op."""

RULE_OF = {one: next(rule for rule in ORDER_RULES if rule.code == one.code) for one in PairClass}
"""By class of inversions, the rule on it."""

FAIL_ON = {
    "shuffled": tuple(rule for rule in ORDER_RULES if rule in {RULE_OF[one] for one in SHUFFLED}),
    "out-of-place": (AVOIDABLE, REVERSED),
    "any": ORDER_RULES,
}
"""The rules in force, by what fails."""

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

RULES = tuple(sorted((*ORDER_RULES, *LOCATION_RULES, UNREADABLE, UNINDEXED)))  # all rules, by code


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


def sentences(block: BlockAudit) -> dict[PairClass, str]:
    """Return what is known of the classes of pairs that have a finding for the whole block.

    ``24 constants are hoisted (1,104 inversions); fix puts them back``;
    ``5 splits stay beside their source (25 inversions); fix moves them``;
    ``2 pairs with a terminator are out of order, which the original order does not compare``.
    """
    found = {}
    if inversions := block.avoidable_constants:
        one = block.hoisted_constants == 1
        what = "1 constant is" if one else f"{block.hoisted_constants:,} constants are"
        back = f"fix puts {'it' if one else 'them'} back"
        said = f"{what} hoisted ({inversions:,} inversion{'s' * (inversions > 1)}); {back}"
        found[PairClass.HOISTED_CONSTANT] = said
    if inversions := block.avoidable_splits:
        one = block.left_splits == 1
        what = "1 split stays beside its" if one else f"{block.left_splits:,} splits stay beside their"
        moves = f"fix moves {'it' if one else 'them'}"
        found[PairClass.SPLIT] = f"{what} source ({inversions:,} inversion{'s' * (inversions > 1)}); {moves}"
    for kind, number in block.not_comparable.items():
        pairs = f"1 pair {kind.words} is" if number == 1 else f"{number:,} pairs {kind.words} are"
        found[kind] = f"{pairs} out of order, which the original order does not compare"
    return found
