"""What the proof refuses although the texts are the same."""

import pytest

from eio_audit import VerificationError, read_text
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.dependence import DependenceGraph, DependenceKind, Dependences
from eio_audit.audit.fix.dump_fix import corrected
from tests.audit.test_fix import SHUFFLED


@pytest.mark.parametrize("pair", [(0, 1), (1, 2)])
def test_effects_that_only_the_new_text_has(pair: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    dump = audit_dump(read_text(SHUFFLED)[0])
    corrected(dump)
    by_effect = Dependences.by_effect

    def with_another(self: Dependences, blocks: list[int]) -> dict[int, DependenceGraph]:
        graphs = by_effect(self, blocks)
        graphs[1].add(*pair, DependenceKind.EFFECT)
        return graphs

    monkeypatch.setattr(Dependences, "by_effect", with_another)
    with pytest.raises(VerificationError, match="the dependences changed in \\^bb0"):
        corrected(dump)
