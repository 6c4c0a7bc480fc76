"""What is wrong with locations: one literal location, one rule."""

import pytest

from eio_audit import AuditOptions, Diff, Gate, diff, read_text
from tests.internals import RULES, OpTraits
from tests.report.judged import judged

GOOD = '"DEBUG|1|Net[net]|/m.py:10|forward|11|abs"'


def program(*locations: str) -> str:
    ops = "".join(
        f'  %{k} = "ttir.abs"() {{k = {k}}} : () -> i32{location and f" loc({location})"}\n'
        for k, location in enumerate(locations)
    )
    return f"func.func @f() {{\n{ops}  return\n}}\n"


def unchanged(text: str, options: AuditOptions | None = None) -> Diff:
    [dump] = read_text(text)
    return diff(dump, dump, options or AuditOptions())


def findings(*locations: str) -> list[tuple[str, int]]:
    """Broken rules and the lines of the ops that break them."""
    found = unchanged(program(*locations)).locations.after.findings
    return [(finding.rule.value, finding.op.line) for finding in found]


@pytest.mark.parametrize(
    ("location", "rules"),
    [
        ('"DEBUG|2|Net[net]|/m.py:10|forward|12|neg"', []),
        ('"DEBUG|2|Net[net]|/m.py:10|forward|12|neg_tm0"("DEBUG|2|Net[net]|/m.py:10|forward|12|neg")', []),
        ("", ["unknown-location"]),
        ("unknown", ["unknown-location"]),
        ('"add.17"', ["no-index"]),
        ('"-1|unknown|unknown|-1|xla__device_data"', ["unknown-index"]),
        (GOOD, ["repeated-location"]),
        ('"DEBUG|2|Net[net]|/m.py:10|call|12|neg"', ["two-functions"]),
        ('callsite("DEBUG|2|x" at "m")', ["refused-location"]),
        ('fused["DEBUG|2|x", "y"]', ["refused-location"]),
        ('"/m.py":3:4', ["refused-location", "no-index"]),
    ],
)
def test_one_rule_for_each_location(location: str, rules: list[str]) -> None:
    assert findings(GOOD, location) == [(rule, 3) for rule in rules]


def test_a_gate_has_the_rules_by_the_same_names() -> None:
    locations = (
        *(GOOD, "", '"add.17"', '"-1|unknown|unknown|-1|x"', GOOD),
        *('"DEBUG|2|Net[net]|/m.py:10|call|12|neg"', 'callsite("DEBUG|2|x" at "m")'),
    )
    gate = Gate([rule for rule in RULES if "EIO101" <= rule.code <= "EIO106"])
    found = judged(read_text(program(*locations)), gate=gate).findings
    assert {(one.rule.name, one.line) for one in found} == {*findings(*locations)}
    assert {one.rule.name for one in found} == {rule.name for rule in gate.rules}


def test_terminators_and_functions_are_not_printed() -> None:
    assert findings(GOOD) == []


def test_terminators_are_those_of_the_op_table() -> None:
    text = program(GOOD).replace("  return\n", '  "my.stop"() : () -> ()\n')
    own = AuditOptions(ops={"my.stop": OpTraits(flags=frozenset({"terminator"}))})
    assert [len(unchanged(text, o).locations.after.findings) for o in (None, own)] == [1, 0]


def test_every_rule_is_counted() -> None:
    health = unchanged(program(GOOD, GOOD)).locations.after
    assert health.ops == 2
    assert [rule for rule, number in health.counts.items() if number] == ["repeated-location"]
    assert len(health.counts) == 6


def test_a_diff_says_what_became_worse() -> None:
    before = program(GOOD, '"DEBUG|2|a"', "unknown")
    after = program(GOOD, "unknown", "unknown")
    result = diff(read_text(before)[0], read_text(after)[0]).locations
    assert [(finding.rule.value, finding.op.line) for finding in result.new] == [("unknown-location", 3)]
    assert [op.line for op in result.lost] == [3]
