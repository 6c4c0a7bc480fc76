"""Sentences and parts of sentences about an audit and its findings, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, Summary, summarize_blocks
from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.gate.rules import ORDER_RULES
from eio_audit.audit.options import Follow
from eio_audit.mlir.source import InputError, printable
from eio_audit.report.wording import LEFT, count, more, span

if TYPE_CHECKING:  # a report on a clean dump does not need these
    from eio_audit.audit.check.figures import Blocker, DisplacedOp
    from eio_audit.audit.corpus.models import ModelFigures, PassFigures
    from eio_audit.audit.gate.findings import BaselineEntry, Finding
    from eio_audit.audit.gate.rules import Rule
    from eio_audit.audit.locations.original_index import OpLabel


def place_of(dump: DumpAudit) -> str:
    """Return ``after.mlir:1:1``, which terminals and editors open on a click."""
    return f"{dump.source}:{dump.line}:1"


def heading_of(dump: DumpAudit) -> str:
    """Return ``passes.log:12:1 after canonicalize``."""
    return f"{place_of(dump)} {dump.moment}".strip()


def block_name(function: str | None, block: str) -> str:
    """Return ``@main ^bb0``."""
    return f"{function} {block}" if function else block


def tiles(figures: Summary) -> list[tuple[str, str]]:
    """Return the sums, each as a number and what it counts."""
    texts = [
        count(figures.dumps, "dump"),
        count(figures.blocks, "block"),
        count(figures.ops, "op"),
        f"{figures.indexed:,} indexed",
        count(figures.inversions, "inversion"),
    ]
    return [(number, noun) for number, noun in map(str.split, texts)]


def shares(figures: Summary) -> list[tuple[str, int, str]]:
    """Return the class in a page, the number and the name of each kind of inversions that there is."""
    unordered = in_graph_regions(figures)
    kinds = (
        ("stays", figures.unavoidable - unordered, "not avoidable"),
        ("avoidable", figures.avoidable, "avoidable"),
        ("incomparable", figures.not_compared, f"not comparable: {not_comparable(figures)}"),
        ("unordered", unordered, "in graph regions"),
    )
    return [kind for kind in kinds if kind[1]]


def sum_of(figures: BlockAudit | Summary, *, verbose: bool = False) -> str:
    """Return ``789 inversions: 767 come from 42 wrong indices, 22 can be moved back``.

    Where hoisted constants or splits cause some of these: ``5 can be moved back (3 of splits)``. With
    ``verbose``, it says why the others cannot: ``(388 forced by dependences, ...; proven minimal)``.
    """
    return "".join(sum_pieces(figures, verbose=verbose))


def sum_pieces(figures: BlockAudit | Summary, *, verbose: bool = False) -> tuple[str, str]:
    """Return the pieces of ``sum_of``: all inversions, and what causes them."""
    if isinstance(figures, BlockAudit):
        figures = summarize_blocks([figures])
    total, unordered = figures.inversions, in_graph_regions(figures)
    name = count(total, "inversion")
    if total == unordered:
        return name, " in a graph region, which has no order to keep"
    apart = figures.not_compared + figures.reversed_dependences
    least, most = (bound - unordered - apart for bound in (figures.lower_bound, figures.minimum))
    movable, perhaps = figures.avoidable, total - figures.lower_bound
    is_all = total in (least, movable, figures.not_compared, figures.reversed_dependences)
    everything = "it" if total == 1 else "all"
    parts = []
    if reversals := figures.reversed_dependences:
        verb = "reverses" if reversals == 1 else "reverse"
        parts.append(f"{everything if is_all else f'{reversals:,}'} {verb} a dependence")
    if most:
        number = everything if is_all else span(least, most)
        why = f" ({unavoidable_kinds(figures)})" if verbose else ""
        source, verb = f"in every {'' if figures.certified else 'known '}order", "stay"
        if figures.wrong_indices:
            source, verb = f"from {count(figures.wrong_indices, 'wrong index', 'wrong indices')}", "come"
        parts.append(f"{number} {verb}{'s' if most == 1 else ''} {source}{why}")
    if perhaps:
        number = everything if is_all else span(movable, perhaps)
        parts.append(f"{number} {BACK}{told_apart_share(figures)}")
    if apart := figures.not_compared:
        are = f"{everything if is_all else f'{apart:,}'} {'is' if apart == 1 else 'are'} not comparable"
        parts.append(f"{are} ({not_comparable(figures)})" if verbose else are)
    if unordered:
        parts.append(f"{unordered:,} in graph regions")
    return f"{name}: ", ", ".join(parts)


BACK = "can be moved back"  # what is said of avoidable inversions


def not_comparable(figures: BlockAudit | Summary) -> str:
    """Return ``12 across copies of an unrolled loop, 2 with a terminator``: the pairs by their class."""
    return ", ".join(f"{number:,} {one.words}" for one, number in figures.not_comparable.items() if number)


def told_apart_share(figures: Summary | ModelFigures | PassFigures) -> str:
    """Return the share of hoisted constants and splits: `` (3 of hoisted constants, 4 of splits)``."""
    shares = {"hoisted constants": figures.avoidable_constants, "splits": figures.avoidable_splits}
    parts = [
        f"{f'{number:,} ' if number < figures.avoidable else 'all ' if number > 1 else ''}of {what}"
        for what, number in shares.items()
        if number
    ]
    return f" ({', '.join(parts)})" if parts else ""


def avoidable_of(figures: Summary) -> str:
    """Return ``22 avoidable inversions (3 of hoisted constants)``, or ``no avoidable inversion``."""
    if not figures.avoidable:
        return "no avoidable inversion"
    return count(figures.avoidable, "avoidable inversion") + told_apart_share(figures)


def unavoidable_kinds(figures: Summary) -> str:
    """Return ``388 forced by dependences, 379 caused by these; proven minimal``, without graph regions."""
    proof = "proven minimal" if figures.certified else "not proven minimal"
    if figures.not_compared or figures.reversed_dependences:
        return proof
    if not figures.knock_on:
        return "forced by a dependence" if figures.forced == 1 else "all forced by dependences"
    least = figures.lower_bound - figures.forced - in_graph_regions(figures)
    caused = f"{span(least, figures.knock_on)} caused by {'it' if figures.forced == 1 else 'these'}"
    kinds = f"{figures.forced:,} forced by {'a dependence' if figures.forced == 1 else 'dependences'}"
    return f"{kinds}, {caused}; {proof}"


def notes(block: BlockAudit, *, verbose: bool = False) -> list[str]:
    """Return what is told apart, and the inversions of ops that ``--follow`` may ignore.

    Those of derived ops are for ``verbose`` reports.
    """
    derived = "op that a pass derived from another", "ops that passes derived from others"
    kinds = [
        (block.inherited if verbose else 0, block.derived, derived, Follow.DERIVED),
        (block.at_constants, block.constants, ("constant", "constants"), Follow.CONSTANTS),
        (block.at_frees, block.frees, ("op that only frees", "ops that only free"), Follow.FREES),
    ]
    total = count(block.inversions, "inversion")
    texts = [said for _, said in told_apart(block)]
    for number, ops, (noun, plural), follow in kinds:
        if not number:
            continue
        what = f"the one {noun}" if ops == 1 else f"one of {ops:,} {plural}"
        share = f"{number:,} of {total}"
        if number == block.inversions:
            share = total if number == 1 else f"all {total}"
        verb = "involves" if number == 1 else "involve"
        if follow is Follow.FREES:
            left = block.inversions - block.at_frees
            without = f"without it {f'{left:,}' if left else 'none'} would be left"
            texts.append(f"{share} {verb} {what}: --follow {Follow.NONE.value} counts them, {without}")
        else:
            texts.append(f"{share} {verb} {what}: see --follow {follow.value}")
    return texts


def wrong_labels(figures: BlockAudit | Summary) -> str:
    """Return ``42 ops carry another op's index (the fewest possible)``. Empty if none does."""
    number = figures.wrong_indices
    if not number:
        return ""
    proof = " (the fewest possible)" if number > 1 else ""
    what = f"{count(number, 'op')} {'carries' if number == 1 else 'carry'} another op's index"
    return f"{what}{proof if figures.wrong_certified else ' (perhaps fewer do)'}"


def told_apart(block: BlockAudit, rules: Collection[Rule] = ()) -> list[tuple[int, str]]:
    """Return what is known of the hoisted constants and splits of a block, and their inversions.

    ``24 constants are hoisted (1,104 inversions); fix puts them back``. Those of rules in force are left out.
    """
    if not (block.avoidable_constants or block.avoidable_splits):
        return []
    from eio_audit.audit.gate.rules import RULE_OF, sentences

    return [
        (getattr(block, one.figure), said)
        for one, said in sentences(block).items()
        if one.follow is not None and RULE_OF[one] not in rules
    ]


def should_carry(right: OpLabel) -> str:
    """Return ``#15 (of ttir.multiply %4, line 7)``."""
    name = " ".join(filter(None, (right.name, right.result)))
    return f"#{right.index} (of {name}, line {right.line})"


def relabelling(figures: Summary, dumps: Sequence[DumpAudit]) -> str:
    """Return what ``fix --relabel`` does: ``corrects 42 wrong indices and ...``. Empty if none is wrong."""
    if not figures.wrong_indices:
        return ""
    # Frees that follow their last use are not counted, but may also get another index.
    has_frees = any(block.followed_frees for dump in dumps for block in dump.blocks)
    others = " other than those of frees" if has_frees else ""
    indices = count(figures.wrong_indices, "wrong index", "wrong indices") + others
    left = {
        "those in graph regions": in_graph_regions(figures),
        "those not comparable": figures.not_compared,
        "reversed dependences": figures.reversed_dependences,
    }
    exceptions = " and ".join(what for what, number in left.items() if number)
    return f"corrects {indices} and removes all inversions{f' except {exceptions}' if exceptions else ''}"


def in_graph_regions(figures: Summary) -> int:
    """Return the number of inversions in graph regions, which have no order."""
    return figures.minimum - figures.forced - figures.knock_on


def reason(displaced: DisplacedOp, block: BlockAudit) -> str:
    """Return why a displaced op is where it is. Empty in a graph region, which has no order."""
    if block.forced is None:
        return ""
    if displaced.blocker is not None:
        return _blocked_by(displaced.blocker, displaced)
    return "no dependence keeps it there" + (
        "" if block.avoidable else ", yet no order found has fewer inversions"
    )


_BLOCKED = {
    (DependenceKind.VALUE, True): "its user {} needs it",
    (DependenceKind.VALUE, False): "it waits for its producer {}",
    (DependenceKind.CAPTURE, True): "{} uses it inside its regions",
    (DependenceKind.CAPTURE, False): "it waits for {}, which its regions use",
    (DependenceKind.EFFECT, True): "memory effects keep it before {}",
    (DependenceKind.EFFECT, False): "memory effects keep it after {}",
    (DependenceKind.TERMINATOR, True): "{} ends the block",
    (DependenceKind.TERMINATOR, False): "it ends the block, after {}",
}
"""What a blocker does, by kind of dependence and by whether the displaced op is early."""


def _blocked_by(blocker: Blocker, displaced: DisplacedOp) -> str:
    index, other, early = displaced.op.index, blocker.op.index, displaced.early
    assert index is not None
    words = _BLOCKED[blocker.kind, early].format(str(blocker.op))
    explains = other is not None and (other < index if early else other > index)
    if explains:
        return words
    return f"{words}, which is kept {'early' if early else 'late'} itself"


def unknown_ops(names: Counter[str], limit: int | None) -> str:
    """Return how many ops are not in the op table, and which. Empty if none."""
    total = sum(names.values())
    keep = "keeps its" if total == 1 else "keep their"
    if not total:
        return ""
    return f"{count(total, 'op')} of unknown effect {keep} order ({_most(names, limit)}): see --assume-pure"


def assumed_pure(patterns: Counter[str]) -> str:
    """Return how many ops are assumed to have no effects, and by which pattern. Empty if none."""
    total = sum(patterns.values())
    named = [pattern for pattern, number in patterns.items() if number]
    listed = named[0] if len(named) == 1 else _most(patterns, None)
    return f"{count(total, 'op')} assumed pure ({listed})" if total else ""


def _most(numbers: Counter[str], limit: int | None) -> str:
    """Return ``7 c.d, 5 e.f, 1 more``: the most frequent names."""
    listed = sorted((-number, name) for name, number in numbers.items() if number)
    rest = -sum(number for number, _ in listed[limit:]) if limit else 0
    return ", ".join(
        [*(f"{-n:,} {name}" for n, name in listed[:limit]), *([f"{rest:,} more"] if rest else [])]
    )


CLASSES = {
    "avoidable_constants": "of constants",
    "avoidable_splits": "of splits",
    "wrong_indices": "wrong indices",
}
"""Figures of the classes of inversions that many dumps lack, and the titles of their columns."""

UNNAMED = "(no pass named)"  # the dumps that no marker and no file name says the pass of


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


STATISTICS = (
    "inversions are added up over the findings: a pair in two of them counts twice, in the verdict once"
)
"""What the numbers of findings have beside those of the verdict."""

SHOWN_FIELDS = 4  # the fields of an origin to show: the innermost module, file, function and framework op


def not_found(entry: BaselineEntry, number: int) -> str:
    """Return ``not found any more (2 times): after.mlir EIO001 @main ...``, of an entry of a baseline."""
    times = f" ({number:,} times)" if number > 1 else ""
    origin = "|".join(entry.origin.split("|")[-SHOWN_FIELDS:])
    what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, origin)))
    return f"not found any more{times}: {what}"


SHOWN_FINDINGS = 30  # the most findings that a report for people lists unless verbose


def sentence(finding: Finding) -> str:
    """Return ``#23 ttir.permute %8 belongs after #7 ttir.exp %9 (line 9): 3 inversions, fix moves it``."""
    colon, log = "" if finding.rule in ORDER_RULES else ":", lifetime(finding)
    subject = "" if finding.is_of_block else f"{finding.op.title}{colon} "
    return printable(f"{subject}{finding.message}{f'; {log}' if log else ''}")


def lifetime(finding: Finding) -> str:
    """Return ``introduced by canonicalize, gone after cse``. Empty if unknown."""
    origin = f"introduced by {finding.pass_name}" if finding.pass_name else ""
    gone = f"gone {finding.until}" if finding.until else ""
    left = LEFT if finding.left else ""
    return ", ".join(filter(None, (origin, gone or left))) if gone or left else ""


def place(finding: Finding) -> str:
    """Return ``after.mlir:3:7``."""
    return f"{finding.source}:{finding.line}:{finding.column}"


def background(finding: Finding) -> str:
    """Return where its op comes from: ``Conv2d[net.conv1], model.py:14``. Empty if unknown or of a block."""
    if finding.is_of_block:
        return ""
    return printable(", ".join(filter(None, (finding.op.module, str(finding.model or "")))))


def lines_of(findings: Sequence[Finding], most: int | None = SHOWN_FINDINGS) -> list[str]:
    """Return a line for each finding, ``path:line:column: CODE message (its origin)``, then the ``rest``."""
    shown = findings[:most]
    lines = [f"{place(f)}: {f.rule.code} {with_origin(sentence(f), background(f))}" for f in shown]
    return [*lines, *filter(None, [rest(findings, len(shown))])]


def with_origin(text: str, origin: str) -> str:
    """Return the text with its origin in parentheses, if there is one."""
    return f"{text} ({origin})" if origin else text


def place_of_error(error: InputError) -> str:
    """Return ``after.mlir:3:7``, or as much of it as is known."""
    position = f":{error.position.line}:{error.position.column}" if error.position else ""
    return printable(error.source) + position


def rest(findings: Sequence[Finding], shown: int) -> str:
    """Return ``... and 12 more findings``. Empty if all are shown."""
    return more(max(len(findings) - shown, 0), "finding")
