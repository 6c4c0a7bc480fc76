"""What a person reads about one op."""

from __future__ import annotations

import io

import eio_audit
from tests.internals import Console, rendered
from tests.report.test_text import MISSION, SHUFFLED, function, op


def explained(text: str, op: str, *, verbose: bool = False, follow: tuple[str, ...] = ()) -> str:
    file = io.StringIO()
    options = eio_audit.AuditOptions(follow=follow)
    explanation = eio_audit.explain(eio_audit.read_text(text, "after.mlir"), op, options)
    rendered(explanation, "text", Console(file, verbose=verbose))
    return file.getvalue()


def test_a_forced_inversion() -> None:
    assert explained(MISSION, "#23") == (
        "after.mlir:1:1\n"
        "  #23 ttir.abs %56 at line 3: op 2 of 4 in @forward ^bb0 (line 2)\n"
        "    from net.py:2, forward(), Conv2d[net.conv1], ttir.abs\n"
        "    its index is wrong: it should carry #18 (of ttir.relu %57, line 4); fix --relabel corrects it\n"
        "    no memory effects (from the op table)\n"
        "    next lower index: #18 ttir.relu %57 (line 4), 1 place after it\n"
        "    1 inversion: it cannot be moved back\n"
        "      with #18 ttir.relu %57 (line 4), which depends on it\n"
        "        #23 ttir.abs %56 (line 3)\n"
        "        value: used by #18 ttir.relu %57 (line 4)\n"
        "    without --relabel, fix leaves it where it is\n"
        "next:\n"
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions\n"
    )


FIX = ["next:", "  eio-audit fix --diff after.mlir  # shows the fix; --in-place applies it"]


def test_an_avoidable_inversion() -> None:
    assert explained(SHUFFLED, "%0").splitlines()[-6:] == [
        "    2 inversions: all can be moved back",
        "      with #0 ttir.abs %1 (line 3): can be moved back",
        "      with #1 ttir.abs %2 (line 4): can be moved back",
        "    fix puts it after #1 ttir.abs %2 (line 4), before func.return (line 5): 0 inversions instead of 2",
        *FIX,
    ]


def test_an_avoidable_inversion_where_the_other_op_moves() -> None:
    assert explained(SHUFFLED, "%1").splitlines()[-6:] == [
        "    1 inversion: it can be moved back",
        "      with #2 ttir.abs %0 (line 2): can be moved back",
        "        fix puts that op after #1 ttir.abs %2 (line 4), before func.return (line 5)",
        "    fix leaves it and moves others: 0 inversions instead of 1",
        *FIX,
    ]


def test_a_knock_on_inversion() -> None:
    text = function(op("%0", 5), op("%1", 1, "%0"), op("%2", 3))
    assert explained(text, "%2").splitlines()[-5:] == [
        "    1 inversion: it stays because of other ops",
        "      with #5 ttir.abs %0 (line 2), though neither depends on the other",
        "    fix leaves it where it is",
        "next:",
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions",
    ]


def test_an_op_of_unknown_effect_without_index() -> None:
    text = function('%0 = "my.op"(%a) : (i32) -> i32', op("%1", 3, "%0"))
    assert explained(text, "%0").splitlines()[2:] == [
        "    unindexed: its location carries no op index; it stays with #3 ttir.abs %1 (line 3)",
        "    may do anything to memory (not in the op table)",
        "    no inversions",
    ]


def test_an_op_that_follows_its_consumer() -> None:
    text = function('%0 = "ttir.constant"() : () -> i32 loc("9|x")', op("%1", 3, "%0"))
    assert explained(text, "%0", follow=("constants",)).splitlines()[3:] == [
        "    its index does not count (--follow constants); it stays with #3 ttir.abs %1 (line 3)",
        "    no memory effects (from the op table)",
        "    no inversions",
    ]


def test_ops_that_share_an_index_get_an_outline_each() -> None:
    text = function(op("%0", 2), op("%1", 2), op("%2", 1, "%0"))
    assert explained(text, "#2") == (
        "after.mlir:1:1\n"
        "2 ops carry index 2:\n"
        "  #2 ttir.abs %0 at line 2: op 1 of 4 in @forward ^bb0 (line 2)\n"
        "    1 inversion: it cannot be moved back\n"
        "    fix leaves it where it is\n"
        "  #2 ttir.abs %1 at line 3: op 2 of 4 in @forward ^bb0 (line 2)\n"
        "    1 inversion: it can be moved back\n"
        "    fix puts it after #1 ttir.abs %2 (line 4), before func.return (line 5): 0 inversions instead of 1\n"
        "--verbose explains all of them; a line instead of the index selects one\n"
        "next:\n"
        "  eio-audit fix --relabel --diff after.mlir  # corrects 1 wrong index and removes all inversions\n"
        "  eio-audit fix --diff after.mlir  # only moves ops: wrong indices stay, and decide where\n"
    )


def test_of_several_inversions_none_may_be_movable() -> None:
    text = function(op("%0", 3), op("%1", 1, "%0"), op("%2", 2, "%0"))
    assert "    2 inversions: none " in explained(text, "#3")


def test_a_long_path_loses_its_middle_unless_verbose() -> None:
    unindexed = [f'%{k} = "ttir.abs"(%{k - 1}) : (i32) -> i32' for k in range(1, 12)]
    text = function(op("%0", 9), *unindexed, op("%12", 1, "%11"))
    assert "\n        ... 4 more ops ...\n" in explained(text, "#1")
    assert "more ops" not in explained(text, "#1", verbose=True)


def test_more_inversions_than_shown() -> None:
    text = function(op("%x", 99), *(op(f"%{k}", k) for k in range(6)))
    assert " 3 more " in explained(text, "%x")
