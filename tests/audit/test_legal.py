"""Programs in which op #5 must stay before op #1, whatever order the indices ask for.

Each shows one way in which a new order would mean something else, though no value leads from #5 to #1.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from eio_audit import AuditOptions, fix, read
from tests.running.mutations import MUTATIONS
from tests.running.orders import fixed_unverified

KEPT_BY_THE_TABLE = {"d2m_spatial_yield", "d2m_yield", "spirv_module_init", "spirv_spec"}
"""Their block has no order to restore."""
CASES = sorted((Path(__file__).parents[1] / "data" / "legal").glob("*.mlir"))
RULES = [name for name, mutation in MUTATIONS.items() if mutation.judge == "legal"]
QUICK = set(RULES[::8])
SWITCHED_OFF = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow, id=name) for name in RULES
]
FOLLOWING = [AuditOptions(follow=follow) for follow in ("none", "frees")]


def keeps_its_order(case: Path) -> bool:
    """Whether #5 stays before #1, with frees that count and with frees that follow."""
    return is_kept(fix(read(case), options).text for options in FOLLOWING)


def keeps_its_order_unverified(case: Path) -> bool:
    """The same without the verification, which has the same model."""
    (dump,) = read(case)
    return is_kept(fixed_unverified(dump, options) for options in FOLLOWING)


def is_kept(texts: Iterable[bytes]) -> bool:
    return all(text.index(b'"DEBUG|5|m"') < text.index(b'"DEBUG|1|m"') for text in texts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_must_come_first_stays_first(case: Path) -> None:
    assert keeps_its_order(case)


@pytest.mark.parametrize("name", SWITCHED_OFF)
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case whose name has the words of the rule is the first that may be lost."""
    MUTATIONS[name].patch(monkeypatch)
    likely = sorted(CASES, key=lambda case: -len({*name.split()} & {*case.stem.split("_")}))
    assert not all(map(keeps_its_order_unverified, likely))


@pytest.mark.slow
def test_every_case_is_lost_without_some_rule() -> None:
    kept = set(CASES)
    for mutation in MUTATIONS.values():
        with pytest.MonkeyPatch.context() as monkeypatch:
            mutation.patch(monkeypatch)
            kept = set(filter(keeps_its_order_unverified, kept))
    assert {case.stem for case in kept} == KEPT_BY_THE_TABLE
