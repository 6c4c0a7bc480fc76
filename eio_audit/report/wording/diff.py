"""Sentences about the ops of a diff, without layout, and the words in which two texts differ."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.diff.check_lines import CheckComparison, CheckOrder
from eio_audit.audit.diff.dump_comparison import FoundChange, OpChange, OpDifference, Relation, RepeatedChange
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.tokens import after_arrow
from eio_audit.mlir.traits import listed_dialects
from eio_audit.report.wording import configured, count, shortened_list
from eio_audit.report.wording.conclusion import Step, argument, configured_value, is_kept

if TYPE_CHECKING:
    from eio_audit.audit.diff.compared_dump import Ignored
    from eio_audit.audit.diff.diff import Diff, Fragmentation
    from eio_audit.audit.diff.inverse_ops import InverseOps
    from eio_audit.audit.locations.original_index import OpLabel
    from eio_audit.mlir.input.pass_times import ComparedTime

LONGEST_STRETCH = 40  # the most characters of an unchanged part that a report shows unless verbose
MOST_NAMES = 3  # the most ops of unknown effect that a verdict names
MOST_WORDS = 1_000  # the most words of two texts to compare one by one, in quadratic time

_WORD = re.compile(r"affine_(?:map|set)<(?:->|[<>]=|[^<>])*>|[%@#!^]?\w[\w$.]*|%[,)\]]?|\s+|.", re.DOTALL)
"""A word. An affine map is one. So is ``%,``, an operand in a list, or else a mark could look like ``%[``."""

_QUOTED_FILE = re.compile(r'"([^"\\]+)"(?=:\d)')


class Stretch(NamedTuple):
    """A part of two texts: what the earlier and the later text have there."""

    before: str
    after: str
    differs: bool


def word_diff(before: str, after: str, *, verbose: bool) -> list[Stretch]:
    """Split two texts into equal and different parts. Long ones are shortened unless verbose.

    >>> word_diff("dims: 1, 16, 16", "dims: 1, 256, 1", verbose=True)[1]
    Stretch(before='16, 16', after='256, 1', differs=True)
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        stretches = [Stretch(before, after, differs=True)]
    else:
        places = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        stretches = _joined(
            [Stretch("".join(old[i:j]), "".join(new[k:n]), kind != "equal") for kind, i, j, k, n in places]
        )
    if verbose:
        return stretches
    return [_excerpt(one, place, len(stretches)) for place, one in enumerate(stretches)]


def marked(stretches: list[Stretch]) -> str:
    """Return the parts as one text: ``dims: 1, [-16, 16-]{+256, 1+}``."""
    return "".join(removed(one.before) + added(one.after) if one.differs else one.before for one in stretches)


def removed(text: str) -> str:
    """Return ``[-16, 16-]``. Empty for no text."""
    return f"[-{text}-]" if text else ""


def added(text: str) -> str:
    """Return ``{+256, 1+}``. Empty for no text."""
    return f"{{+{text}+}}" if text else ""


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Return the parts. Punctuation between two different parts also differs."""
    inner = range(1, len(stretches) - 1)

    def is_changed(place: int) -> bool:
        one = stretches[place]
        return one.differs or (place in inner and not any(map(str.isalnum, one.before)))

    joined = []
    for differs, places in groupby(range(len(stretches)), is_changed):
        before, after, _ = zip(*(stretches[place] for place in places), strict=True)
        joined.append(Stretch("".join(before), "".join(after), differs))
    return joined


def _excerpt(one: Stretch, place: int, number: int) -> Stretch:
    """Shorten a part: an unchanged one to its ends next to changes, a changed one around its difference."""
    if one.differs:
        return Stretch(*_around_difference(one.before, one.after), differs=True)
    if len(one.before) <= LONGEST_STRETCH:
        return one
    width = LONGEST_STRETCH // 2 - 2
    head = _head(one.before, width) if place > 0 else ""
    tail = _tail(one.before, width) if place < number - 1 else ""
    return Stretch(f"{head}...{tail}", f"{head}...{tail}", differs=False)


def _around_difference(before: str, after: str) -> tuple[str, str]:
    """Return two texts, each cut to the surroundings of the first character in which they differ."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), min(len(before), len(after)))
    if max(len(before), len(after)) > LONGEST_STRETCH and same > LONGEST_STRETCH // 2:
        start = same - len(_tail(before[:same], LONGEST_STRETCH // 4))
        before, after = f"...{before[start:]}", f"...{after[start:]}"
    return _shortened(before), _shortened(after)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_STRETCH else _head(text, LONGEST_STRETCH - 3) + "..."


def _head(text: str, width: int) -> str:
    """Return the first words that fit in a width, or a part of a long word if they are short."""
    end = max((word.end() for word in _WORD.finditer(text) if word.end() <= width), default=0)
    return text[: end if end > width // 2 else width]


def _tail(text: str, width: int) -> str:
    """Return the last words that fit in a width, or a part of a long word if they are short."""
    first = max(len(text) - width, 0)
    start = min((word.start() for word in _WORD.finditer(text) if word.start() >= first), default=len(text))
    return text[start if len(text) - start > width // 2 else first :]


SIGNS = {"unchanged": " ", "moved": ">", "modified": "~", "added": "+", "removed": "-"}
"""The sign before an op, by what happened to it."""


def signed(numbers: Mapping[str, int], between: str = " ") -> str:
    """Return ``+2 -1 ~2 moved 3``: how many ops changed in which way. Empty if none did."""
    signs = {**{status: SIGNS[status] for status in ("added", "removed", "modified")}, "moved": "moved "}
    return between.join(f"{sign}{numbers[status]:,}" for status, sign in signs.items() if numbers[status])


DERIVATIONS = {
    Relation.DERIVED: "made from",
    Relation.CLONED: "cloned from",
    Relation.COMMUTED: "moved here from",
    Relation.CONVERTED: "converted from",
}
"""How an added op came from another op."""


def order_summary(diff: Diff) -> tuple[str, str]:
    """Return ``0 -> 18 inversions``, ``0 -> 0 avoidable, 0 -> 6 wrong indices``. Empty without indices."""
    before, after = diff.before.summary, diff.after.summary
    if not before.has_indices and not after.has_indices:
        return "", ""
    told_apart = [one for one in PairClass if one.follow is not None]
    shares = {one.words: (getattr(before, one.figure), getattr(after, one.figure)) for one in told_apart}
    changes = [f"{old:,} -> {new:,} {what}" for what, (old, new) in shares.items() if old or new]
    apart = f" ({', '.join(changes)})" if changes else ""
    wrong = ""
    if before.wrong_indices or after.wrong_indices:
        indices = count(after.wrong_indices, "wrong index", "wrong indices")
        wrong = f", {before.wrong_indices:,} -> {indices}"
    apart_from = {
        "reversed dependences": (before.reversed_dependences, after.reversed_dependences),
        "not comparable": (before.not_compared, after.not_compared),
    }
    wrong += "".join(f", {old:,} -> {new:,} {what}" for what, (old, new) in apart_from.items() if old or new)
    return (
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}",
        f"{before.avoidable:,} -> {after.avoidable:,} avoidable{apart}{wrong}",
    )


def ops_summary(diff: Diff) -> str:
    """Return ``4 unchanged, 0 moved, 8 modified, 8 added, 6 removed``."""
    sizes = {"unchanged": diff.ops.unchanged} | {name: len(ops) for name, ops in diff.ops.found.items()}
    return ", ".join(f"{number:,} {name}" for name, number in sizes.items())


def same_in(sense: Sameness, ignored: Sequence[Ignored]) -> str:
    """Return ``same text up to names and locations``. Empty for dumps that are the same in no sense."""
    return {
        Sameness.BYTES: "identical",
        Sameness.NAMES: f"same text up to {''.join(f'{what}, ' for what in ignored)}names and locations",
        Sameness.ORDER: f"same program{up_to(ignored)} in another order",
        Sameness.NONE: "",
    }[sense]


def up_to(ignored: Sequence[Ignored]) -> str:
    """Return `` up to types and constants``. Empty if nothing was ignored."""
    return f" up to {' and '.join(ignored)}" if ignored else ""


def verdict(diff: Diff) -> str:
    """Return in what sense the dumps are the same, ``same program in another order``, or what differs."""
    return _sameness(diff) + configured(diff.after.options)


def _sameness(diff: Diff) -> str:
    found = diff.sameness
    if same := same_in(found.sameness, diff.ignored):
        return same
    if found.unknown_ops:
        return f"not proven to be the same: {_unknown_effects(diff)}"
    changed = [f"{len(ops):,} {name}" for name, ops in diff.ops.found.items() if ops]
    if changed:
        besides = f" besides {' and '.join(diff.ignored)}" if diff.ignored else ""
        return f"different{besides}: {', '.join(changed)}"
    return f"not proven to be the same: {found.reason}"


def _unknown_effects(diff: Diff) -> str:
    """Return which ops would have to have no effects, and what assumes it."""
    names = diff.sameness.unknown_ops
    op_table, given = diff.after.options.op_table, diff.after.options.assume_pure
    unlisted = [name for name in names if name not in op_table.rows]
    dialects = {name.partition(".")[0] for name in unlisted} - listed_dialects()
    globs = dict.fromkeys(
        f"{dialect}.*" if (dialect := name.partition(".")[0]) in dialects else name for name in names
    )
    be = "is" if len(names) == 1 else "are"
    why = f"{be} not in the table of effects" if unlisted == [*names] else f"{be} of unknown effect"
    assumption = shlex.join(["--config", configured_value("assume-pure", [*given, *globs])])
    return f"{shortened_list(names, MOST_NAMES)} {why}; {assumption}"


def inverse_summary(inverse: InverseOps) -> str:
    """Return what happened to permutes, transposes and reshapes. Empty if there are none."""
    if not inverse.before and not inverse.after:
        return ""
    return (
        f"{inverse.before:,} -> {inverse.after:,} permutes, transposes and reshapes: "
        f"{len(inverse.cancelled):,} of {count(inverse.inverse_before, 'inverse pair')} cancelled, "
        f"{len(inverse.moved):,} moved and not cancelled, "
        f"{count(len(inverse.remaining), 'inverse pair')} still there"
    )


def cancelled(inverse: InverseOps) -> str:
    """Return how many pairs a pass cancelled, and what it left of them on other operands."""
    pairs = f"{count(len(inverse.cancelled), 'inverse pair')} cancelled"
    if not inverse.copies:
        return pairs
    copies = count(sum(len(op.after) for op in inverse.copies), "copy", "copies")
    ops = "1 op" if len(inverse.copies) == 1 else f"{len(inverse.copies):,} of these ops"
    return f"{pairs}, which left {copies} of {ops} on other operands"


def runs_summary(fragmentation: Fragmentation) -> str:
    """Return ``30 model modules are in 61 pieces (24 before; 60 after fix)``. Empty if none is named."""
    runs = fragmentation.modules or fragmentation.functions
    if not runs:
        return ""
    stages_of = attrgetter("before", "after", "fixed", "relabelled")
    before, after, fixed, relabelled = map(sum, zip(*map(stages_of, runs), strict=True))
    what = count(len(runs), "model module" if fragmentation.modules else "source function")
    stages = [f"{before:,} before"]
    for number, earlier, command in ((fixed, after, "fix"), (relabelled, fixed, "fix --relabel")):
        if number != earlier:
            stages.append(f"{number:,} {'again ' if number == before else ''}after {command}")
    verb = "is" if len(runs) == 1 else "are"
    return f"{what} {verb} in {count(after, 'piece')} ({'; '.join(stages)})"


def implied_ops(diff: Diff) -> str:
    """Return how many ops are in no group because only one printing form shows them. Empty if none."""
    ops = count(diff.ops.implied, "op")
    return f"not counted: {ops} that only one of the two printing forms shows" if diff.ops.implied else ""


def cells_of(change: OpChange) -> tuple[str, str, str, str, str]:
    """Return the op's index, name, result, line and module, before and after if they differ."""
    return (
        _from_to(change, lambda op: "" if op.index is None else f"#{op.index}"),
        _from_to(change, lambda op: op.name),
        _from_to(change, lambda op: op.result or ""),
        _from_to(change, lambda op: str(op.line)),
        _from_to(change, lambda op: op.module or ""),
    )


def row_of(change: OpChange) -> str:
    """Return the cells as one text: ``#27  ttir.add  %106 -> %92  line 178 -> 164  ReLU[net.act]``."""
    index, name, result, line, module = cells_of(change)
    return "  ".join(filter(None, (index, name, result, f"line {line}", module)))


def _from_to(change: OpChange, text_of: Callable[[OpLabel], str]) -> str:
    """Return a text of an op before and after, or only once if both are equal."""
    texts = [text_of(op) for op in (change.before, change.after) if op is not None]
    return " -> ".join(dict.fromkeys(text or "none" for text in texts)) if any(texts) else ""


def what_happened(change: OpChange, *, verbose: bool) -> list[str]:
    """Return the differences, ``operand 0: [-%3 ttir.permute-]{+%1 ttir.conv2d+}``, then the notes."""
    told = differences(change, verbose=verbose)
    return [*(": ".join(filter(None, (title, marked(words)))) for title, words in told), *notes(change)]


def notes(change: OpChange) -> list[str]:
    """Return where an op moved or came from, and its inversions."""
    said = []
    if change.block_before is not None:
        said.append(f"from {change.block_before} to {change.block_after}")
    if change.moved and change.differences:
        said.append("moved")
    if change.ancestor is not None:
        said.append(f"{DERIVATIONS[change.ancestor.relation]} {change.ancestor.op}")
    elif change.derived and change.before is None:
        said.append("made from another op")
    if inversions := inversions_of(change):
        said.append(inversions)
    return said


def repetition(one: RepeatedChange) -> str:
    """Return ``36 times in 18 modules: BatchNorm2d[net.layers.*.norm]``. Empty for a single change."""
    if len(one.changes) == 1:
        return ""
    where = f" in {one.modules:,} modules: {one.module}" if one.modules > 1 else ""
    return f"{len(one.changes):,} times{where}"


def inversions_of(change: OpChange) -> str:
    """Return ``in 6 inversions, in none before``. Empty for an op in none."""
    before, after = change.inversions_before, change.inversions_after
    if after is None or (not after and not before):
        return ""
    now = f"in {count(after, 'inversion')}" if after else "in no inversion"
    if change.before is None or before == after:
        return now
    return f"{now}, {f'{before:,}' if before else 'none'} before"


def kinds_of(changes: Sequence[FoundChange]) -> str:
    """Return the kinds of change in a group: ``: operands of 7, types of 6``. Empty if none."""
    derived = sum(change.origin is not None for change in changes)
    moved = sum(change.moved for change in changes if change.differences)
    kinds = Counter(kind for change in changes for kind in {one.kind for one in change.differences})
    order = ("operands", "attributes", "types", "location")
    parts = [f"{kind} of {kinds[kind]:,}" for kind in order if kinds[kind]]
    others = {"also moved": moved, "from another op": derived}
    parts += [f"{number:,} {what}" for what, number in others.items() if number]
    return f": {', '.join(parts)}" if parts else ""


def differences(change: OpChange, *, verbose: bool) -> list[tuple[str, list[Stretch]]]:
    """Return the name of each thing that differs, ``operand 0``, ``types``, an attribute, and its words.

    Unless verbose, one of the arguments whose location changed stands for all.
    """
    arguments = [one for one in change.differences if one.kind == "location" and one.name]
    others = [one for one in change.differences if one not in arguments]
    told = [(_title(one), _words_of(one, verbose=verbose)) for one in (*others, *arguments[:1])]
    if arguments and not verbose:
        told[-1] = f"location of {count(len(arguments), 'argument')}", told[-1][1]
    return told + [(_title(one), _words_of(one, verbose=verbose)) for one in arguments[1:] if verbose]


def _title(one: OpDifference) -> str:
    if one.kind in ("operands", "location") and one.name:
        return f"{'operand' if one.kind == 'operands' else 'location of'} {one.name}"
    return one.name or one.kind


def _words_of(one: OpDifference, *, verbose: bool) -> list[Stretch]:
    """Return the words that differ.

    Unless verbose, types are compared by their results if these differ. All words of an operand differ,
    because another value may have the same name.
    """
    before, after = one.before, one.after
    if one.kind == "operands":
        return [Stretch(before, after, differs=True)]
    if one.kind == "location":
        before, after = (_QUOTED_FILE.sub(r"\1", text) for text in (before, after))
    results = after_arrow(before), after_arrow(after)
    if not verbose and one.kind == "types" and results[0] != results[1]:
        before, after = results
    return word_diff(before, after, verbose=verbose)


SHOWN_TIMES = 3  # of how many passes a change of the time is said
SLOWER = 0.1  # the least change of the time of a pass that is said, as a part of the longer time
LEAST_SECONDS = 0.005  # and in seconds


SAME_TIMES = "no pass takes longer, or less"  # what is said of two reports of times


def change_of_time(times: Sequence[ComparedTime]) -> str:
    """Return ``canonicalize 1.2000 -> 3.4000 s``: the passes whose time changed most; empty if none did."""
    changed = [
        one for one in times if abs(one.change) >= max(LEAST_SECONDS, SLOWER * max(one.before, one.after))
    ]
    said = [f"{one.name} {one.before:.4f} -> {one.after:.4f} s" for one in changed]
    return shortened_list(said, SHOWN_TIMES)


def verdict_of_checks(checks: CheckComparison) -> str:
    """Return ``the CHECK lines match in another order: 1 of 5 is out of place``."""
    total = len(checks.lines)
    match checks.order:
        case CheckOrder.SAME if checks.apart:
            where = f"{checks.check_file}:{checks.apart[0]}"
            return f"the CHECK lines match in their order, but not on adjoining lines: {where}"
        case CheckOrder.SAME:
            return "the CHECK lines match in their order"
        case CheckOrder.OTHER:
            number = len(checks.displaced)
            verb = "is" if number == 1 else "are"
            return f"the CHECK lines match in another order: {number:,} of {total:,} {verb} out of place"
        case CheckOrder.MISSING:
            number = len(checks.missing)
            return f"not only another order: {number:,} of {count(total, 'CHECK line')} found nowhere"
    return f"too many ways to match {count(total, 'CHECK line')}: not known"


def note_on_checks(checks: CheckComparison) -> str:
    """Return what is not said by the verdict; empty if that says it all."""
    if checks.forbidden:
        return f"the order of the CHECK lines is not legal: {checks.forbidden}"
    if checks.forbidden == "":
        return "the order of the CHECK lines is legal, too: no dependence of the ops forbids it"
    if checks.is_in_order and not checks.apart:
        return "what failed is a CHECK-NOT or CHECK-EMPTY, or the way that FileCheck takes a pattern"
    return ""


def next_steps_of_checks(checks: CheckComparison) -> Iterator[Step]:
    """Yield the command that writes the IR without what FileCheck added."""
    if is_kept(checks.source):
        yield Step(
            f"eio-audit show {argument(checks.source)} -o actual.mlir", "writes the IR that was checked"
        )
