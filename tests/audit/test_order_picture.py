from typing import Any

import pytest
from hypothesis import given

from eio_audit import AuditOptions, Dump, Finding, check, read_text
from tests.audit.test_check import ISSUE
from tests.audit.test_fix import SHUFFLED
from tests.cli.running import SAMPLES
from tests.internals import AuditedDump, WorstBlocks, audit_dump, find
from tests.programs import programs
from tests.rules import AVOIDABLE


def pictures(text: str, options: AuditOptions | None = None, limit: int = 9) -> list[Any]:
    worst_blocks = WorstBlocks(limit)
    check(read_text(text), options or AuditOptions(), worst_blocks.visit)
    return worst_blocks.pictures()


def test_every_op_has_its_place_and_its_original_place() -> None:
    [picture] = pictures(ISSUE)
    assert [op.result for op in picture.labels] == ["%55", "%56", "%57", None]
    assert [*picture.textual_ranks] == [0, 1, 2, -1]
    assert [*picture.originals] == [0, 2, 1, -1]
    assert picture.disorders == {1: "wrong index", 2: "blocked"}


def test_what_surrounds_the_displaced_ops() -> None:
    [picture] = pictures(ISSUE)
    assert list(picture.displaced) == [2]
    assert [(flow.around, [op.place for op in flow.ops]) for flow in picture.dataflow] == [
        ((2,), [0, 1, 2, 3])
    ]


def test_an_avoidable_inversion_is_gone_after_a_fix() -> None:
    [picture] = pictures(ISSUE.replace("(%56)", "(%55)"))
    assert picture.disorders[1] == "avoidable"
    assert (picture.inversions[1], picture.inversions_fixed[1]) == (1, 0)


def test_a_derived_op_is_derived_whatever_holds_it() -> None:
    text = ISSUE.replace(
        'loc("DEBUG|18|ResNet[resnet]|m.py:1|forward|2|reshape")', 'loc("18|m|a_tm0"("18|m|a"))'
    )
    [picture] = pictures(
        text.replace('loc("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")', 'loc("23|m|b_tm0"("23|m|b"))')
    )
    assert picture.disorders == {1: "wrong index", 2: "made by a pass"}


def test_a_followed_op_has_no_place_in_the_order() -> None:
    derived = 'loc("9|m|a_tm0"("9|m|a"))'
    text = ISSUE.replace('loc("DEBUG|15|ResNet[resnet]|m.py:1|forward|2|bn")', derived)
    [picture] = pictures(text, AuditOptions(follow=["derived"]))
    assert [*picture.textual_ranks] == [-1, 0, 1, -1]
    assert [*picture.originals] == [-1, 1, 0, -1]


def test_a_graph_region_is_unordered_and_has_no_dataflow() -> None:
    [picture] = pictures('"t.a"() : () -> () loc("2|a")\n"t.b"() : () -> () loc("1|b")\n')
    assert picture.disorders == {1: "unordered"}
    assert picture.dataflow == ()


def log_of(**dumps: str) -> str:
    return "".join(
        f"// -----// IR Dump After {name} ({name}) //----- //\n{text}" for name, text in dumps.items()
    )


def test_the_worst_blocks_are_pictured_in_the_order_of_the_report() -> None:
    avoidable = ISSUE.replace("(%56)", "(%55)")
    log = log_of(a=ISSUE, b=avoidable.replace("@main", "@b"), c=SHUFFLED.replace("@main", "@c"))
    assert [picture.dump.pass_name for picture in pictures(log, limit=2)] == ["b", "c"]


def test_of_a_block_in_several_dumps_the_first_of_its_worst_states_is_pictured() -> None:
    avoidable = ISSUE.replace("(%56)", "(%55)")
    log = log_of(a=ISSUE, b=avoidable, c=avoidable, d=ISSUE)
    assert [picture.dump.pass_name for picture in pictures(log)] == ["b"]


def test_blocks_are_chosen_while_dumps_are_audited() -> None:
    worst_blocks = WorstBlocks()
    result = check(read_text(ISSUE), visit=worst_blocks.visit)
    assert [picture.block for picture in worst_blocks.pictures()] == list(result.dumps[0].blocks)


def test_a_dump_that_was_kept_is_drawn_without_another_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    [first, second] = read_text(log_of(a=ISSUE, b=SHUFFLED.replace("@main", "@b")))
    audited = [audit_dump(first), audit_dump(second)]
    again = []

    def audit_again(dump: Dump, options: AuditOptions) -> AuditedDump:
        again.append(dump)
        return audit_dump(dump, options)

    monkeypatch.setattr("eio_audit.audit.explain.order_picture.audit_dump", audit_again)
    worst_blocks = WorstBlocks()
    worst_blocks.keep(audited[0])
    worst_blocks.visit_audit(first, audited[0].audit)
    worst_blocks.visit_audit(second, audited[1].audit)  # another process audited it
    assert [picture.dump for picture in worst_blocks.pictures()] == [one.audit for one in audited]
    assert again == [second]
    assert worst_blocks.pictures() == []


def test_the_resnet() -> None:
    [picture] = pictures((SAMPLES / "resnet" / "after_alias.mlir").read_text())
    disorders = [*picture.disorders.values()]
    kinds = "wrong index", "avoidable", "blocked"
    assert [disorders.count(kind) for kind in kinds] == [42, 21, 2]
    assert (len(disorders), len(picture.displaced), len(picture.dataflow)) == (65, 63, 15)


def test_the_ops_that_a_fix_moves_are_those_of_the_findings() -> None:
    found: list[Finding] = []
    worst_blocks = WorstBlocks()

    def visit(dump: AuditedDump) -> None:
        found.extend(find(dump, [AVOIDABLE]))
        worst_blocks.visit(dump)

    check(read_text((SAMPLES / "resnet" / "after_alias.mlir").read_text()), visit=visit)
    [picture] = worst_blocks.pictures()
    lines = {one.line for one in found}
    moved, wrong = (
        {picture.labels[op].line for op, one in picture.disorders.items() if one == why}
        for why in ("avoidable", "wrong index")
    )
    assert moved == lines - wrong


def test_a_large_block_has_the_texts_around_what_is_out_of_order() -> None:
    body = "".join(f'"t.op"() : () -> () loc("{index}|m|x")\n' for index in [*range(1, 2500), 0])
    [picture] = pictures(f"func.func @f() {{\n{body}return\n}}\n", AuditOptions(assume_pure=["t.op"]))
    assert list(picture.texts) == [2497, 2498, 2499, 2500]
    assert picture.texts[2499] == '"t.op"() : () -> () loc("0|m|x")'


def test_a_long_text_is_shortened() -> None:
    [picture] = pictures(ISSUE.replace("|reshape", "|reshape" * 100))
    assert max(map(len, picture.texts.values())) == 244


@given(programs())
def test_pictures_add_up_to_the_audit(text: str) -> None:
    for picture in pictures(text):
        counted = [place for place, rank in enumerate(picture.textual_ranks) if rank != -1]
        assert [picture.textual_ranks[place] for place in counted] == [*range(len(counted))]
        assert sorted(picture.originals[place] for place in counted) == [*range(len(counted))]
        assert sum(picture.inversions) == 2 * picture.block.inversions
        assert sum(picture.inversions_fixed) == 2 * picture.block.minimum
        in_order = [picture.originals[place] for place in counted if place not in picture.disorders]
        assert in_order == sorted(in_order)
