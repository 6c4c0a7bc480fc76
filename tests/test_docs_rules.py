"""docs/rules.md has a section for every rule, with an example in which the rule finds something."""

import re
from pathlib import Path

import pytest

from eio_audit import Gate, Rule, check, read_text
from tests.internals import RULES, audit_dump, find, judge
from tests.rules import UNINDEXED

PAGE = (Path(__file__).parent.parent / "docs" / "rules.md").read_text()
SECTIONS = {text[:6]: text for text in PAGE.split("\n## ")[1:]}


def test_a_section_for_every_rule_in_order() -> None:
    assert list(SECTIONS) == [rule.code for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_what_a_section_says(rule: Rule) -> None:
    section = " ".join(SECTIONS[rule.code].split())
    assert section.startswith(f"{rule.code} **{rule.name}**: {rule.summary} *Why it matters.* ")
    assert "*How to fix it.* " in section


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_rule_finds_its_example_and_no_other_does(rule: Rule) -> None:
    [example] = re.findall(r"^```mlir\n(.*?)^```", SECTIONS[rule.code], re.MULTILINE | re.DOTALL)
    [dump] = read_text(example)
    expected = [rule]
    if rule is UNINDEXED:  # a rule on inputs, which has no findings
        assert judge(check([dump]), [], Gate()).failed == (UNINDEXED,)
        expected = []
    assert [finding.rule for finding in find(audit_dump(dump), RULES)] == expected
