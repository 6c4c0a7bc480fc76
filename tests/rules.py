"""The rules of a gate, by the codes that users type. A code never changes its meaning."""

from __future__ import annotations

from tests.internals import RULES

_RULE_OF = {rule.code: rule for rule in RULES}

AVOIDABLE = _RULE_OF["EIO001"]
UNAVOIDABLE = _RULE_OF["EIO002"]
WRONG_INDEX = _RULE_OF["EIO003"]
HOISTED = _RULE_OF["EIO004"]
SPLIT = _RULE_OF["EIO005"]
REVERSED = _RULE_OF["EIO006"]
NOT_COMPARABLE = _RULE_OF["EIO007"]
ORDER_RULES = (AVOIDABLE, UNAVOIDABLE, WRONG_INDEX, HOISTED, SPLIT, REVERSED, NOT_COMPARABLE)
UNKNOWN_LOCATION = _RULE_OF["EIO101"]
UNREADABLE = _RULE_OF["EIO107"]
UNINDEXED = _RULE_OF["EIO108"]
