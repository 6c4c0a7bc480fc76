"""The findings of a dump, one per op and rule, and a baseline of known findings, so that only new ones count.

A baseline identifies a finding by its code, file, function, op name and origin in the model. It does not use
value names, indices or line numbers, so a finding stays known after edits elsewhere. Several findings may
agree in all of these, so the baseline stores how many of them one dump may have. A finding about a block has
neither op name nor origin. A baseline only shrinks.
"""

from __future__ import annotations

import os
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from heapq import nsmallest
from pathlib import PurePath
from typing import NamedTuple

from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.check.reversed_dependences import name_of_resource
from eio_audit.audit.gate.rules import (
    AVOIDABLE,
    LOCATION_RULES,
    OF_BLOCKS,
    REVERSED,
    RULE_OF,
    UNAVOIDABLE,
    UNREADABLE,
    WRONG_INDEX,
    Rule,
    sentences,
)
from eio_audit.audit.locations.original_index import OpLabel, Sentence, label
from eio_audit.audit.locations.parsed_locations import ModelLine
from eio_audit.mlir.input.dumps import DumpPlace
from eio_audit.mlir.source import InputError, Position, Source, printable_in_json
from eio_audit.order.permutation import displaced, inversions_charged

BASELINE_SCHEMA = "eio-audit-baseline/1"


class Finding(NamedTuple):
    """An op that breaks a rule, or a block with pairs of a class that is told apart: ``op`` is the first."""

    rule: Rule
    sentence: Sentence  # what is wrong: `belongs after #7 ttir.exp %8 (line 9): 3 inversions, fix moves it`
    place: DumpPlace  # where the dump is
    line: int  # 1-based line of the op
    column: int  # 1-based column of the op
    function: str | None  # symbol of the function around the op, or None
    block: str  # label of its block, which begins at `block_line` and `block_column`
    block_line: int
    block_column: int
    op: OpLabel  # the op
    origin: str  # its place in the model, without line numbers and indices
    model: ModelLine | None  # its line of the model's source, if its location names one
    # How many inversions the op is charged with; 0 for other kinds of findings. The avoidable findings
    # of a block add up to its inversions out of place, the unavoidable findings to those that a fix
    # leaves. It is negative if a fix moves the op for the sake of others and that adds inversions. For
    # a wrong index: how many the op is in. If wrong indices are findings, the ops that carry them are
    # no other findings, and a block that has some has no unavoidable findings.
    inversions: int
    # Path of the file of `model` in the repository, if it was looked for and found.
    model_path: str | None = None
    pass_name: str | None = None  # the pass that introduced it, as far as the log shows
    until: str | None = None  # the first dump without it, such as `after cse`; None if there is none
    # Whether the op breaks the rule at the end of the log; None if no later dump shows it.
    left: bool | None = None

    @property
    def source(self) -> str:
        """The file of the dump, ``<stdin>`` for standard input."""
        return self.place.source

    @property
    def is_of_block(self) -> bool:
        """Whether it is about its block, not about one op."""
        return self.rule in OF_BLOCKS

    @property
    def message(self) -> str:
        """The sentence, as text."""
        return str(self.sentence)

    def at(self, place: DumpPlace, lines: int) -> Finding:
        """Return the same finding in a dump of the same text, which begins a number of lines further down."""
        there = self._replace(place=place)
        if not lines:
            return there
        return there._replace(
            sentence=self.sentence.shifted(lines),
            line=self.line + lines,
            block_line=self.block_line + lines,
            op=self.op.shifted(lines),
        )


def find(dump: AuditedDump, rules: Collection[Rule], described: int | None = None) -> list[Finding]:
    """Return the findings of some rules in one dump.

    With ``described``, only so many are described, the worst. The others are there to be counted and sorted:
    their sentence and origin are empty, their op has no module, and they have no line of the model.
    Complexity: O(n log n) for a block of n ops with inversions, nothing for other blocks. Rules on locations
    visit every op.

    Raises:
        InputError: a location is malformed.
    """
    said = list(_in_locations(dump, rules))
    for number, audit in zip(dump.blocks, dump.audit.blocks, strict=True):
        if audit.inversions:
            block = FixedBlock(dump, number)
            comparable = block.comparable
            wrong = _wrong_indices(block) if WRONG_INDEX in rules else {}
            reversals = _reversed(block) if REVERSED in rules else {}
            turned = {block.ops[place] for pair in dump.reversed_pairs.get(number, ()) for place in pair}
            if AVOIDABLE in rules and audit.avoidable_others:
                said += (one for one in _avoidable(comparable.of_others()) if one.op not in wrong)
            if not OF_BLOCKS.isdisjoint(rules):
                said += (one for one in _of_block(block, audit) if one.rule in rules)
            if UNAVOIDABLE in rules and not wrong:
                unavoidable = _unavoidable(comparable.without_handles(), audit)
                said += (one for one in unavoidable if REVERSED not in rules or one.op not in turned)
            said += (*wrong.values(), *reversals.values())
    return list(_found(dump, said, described))


class _Said(NamedTuple):
    """What is wrong with an op."""

    op: int
    rule: Rule
    sentence: Callable[[], Sentence]  # many are never shown, and each names another op
    inversions: int = 0


def _found(dump: AuditedDump, said: Sequence[_Said], described: int | None) -> Iterator[Finding]:
    ir, indices, parsed = dump.ir, dump.indices, dump.indices.parsed
    blocks: dict[int, tuple[str, Position]] = {}  # per block, its label and where it begins
    positions = [ir.source.position_at(ir.op_start[one.op]) for one in said]

    def severity(k: int) -> tuple[int, str, Position]:  # in one dump, that of `by_severity`
        return -said[k].inversions, said[k].rule.code, positions[k]

    numbers = range(len(said))
    worst = numbers if described is None else {*nsmallest(described, numbers, severity)}
    for k, (op, rule, sentence, inversions) in enumerate(said):
        block = ir.op_block[op]
        if block not in blocks:
            blocks[block] = ir.block_name(block), ir.source.position_at(ir.block_offset(block))
        block_name, block_position = blocks[block]
        position, is_described = positions[k], k in worst
        is_about_op = is_described and rule not in OF_BLOCKS
        yield Finding(
            rule=rule,
            sentence=sentence() if is_described else Sentence(""),
            place=dump.audit.place,
            line=position.line,
            column=position.column,
            function=dump.functions[block],
            block=block_name,
            block_line=block_position.line,
            block_column=block_position.column,
            op=label(ir, indices, op, position.line, has_module=is_described),
            origin=parsed.place_in_model(op) if is_about_op else "",
            model=parsed.model_line(op) if is_about_op else None,
            inversions=inversions,
        )


def _in_locations(dump: AuditedDump, rules: Collection[Rule]) -> Iterator[_Said]:
    on_locations = {rule.name: rule for rule in LOCATION_RULES if rule in rules}
    if on_locations:
        from eio_audit.audit.check.location_health import broken_locations

        for op, broken in broken_locations(dump):
            if broken.rule in on_locations:
                yield _Said(op, on_locations[broken.rule], partial(Sentence, *broken.sentence))
    if UNREADABLE in rules:
        from eio_audit.audit.check.location_health import unreadable_locations

        for op, unreadable in unreadable_locations(dump.ir, dump.indices.parsed):
            what = f"{unreadable.reason.value}: {unreadable.message}"
            yield _Said(op, UNREADABLE, partial(Sentence, what))


def _avoidable(block: FixedBlock) -> Iterator[_Said]:
    """Yield the indexed ops that a fix moves, charged with the avoidable inversions."""
    label_of = cache(block.label)  # many ops may move past the same one
    order = block.indexed_order
    moved = block.moved.intersection(order)
    now, then = _charged(block, block.indexed, moved), _charged(block, order, moved)
    unmoved = [place for place in range(len(block.ops)) if place not in block.moved]
    keyed = [k for k, place in enumerate(unmoved) if block.keys[place] is not None]

    def sentence(place: int, before_new: int, removed: int) -> Sentence:
        before = bisect(unmoved, place)  # how many are before it in the text, never as many
        goes_up = before_new < before
        # The op next to its new place that it moves past is an indexed one if there is one.
        nearest = bisect_left(keyed, before_new) - (not goes_up)
        if 0 <= nearest < len(keyed) and (keyed[nearest] < before) == goes_up:
            passed = unmoved[keyed[nearest]]
            own, other = block.key(place), block.key(passed)
            belongs = own < other if goes_up else own > other  # whether its index says so, too
        else:
            passed, belongs = unmoved[before_new - (not goes_up)], removed > 0
        past = label_of(passed)
        verb, side = "belongs" if belongs else "goes", "before" if goes_up else "after"
        gain = f"{_inversions(removed)}, " if removed > 0 else ""
        why = "" if removed > 0 else " for the sake of others"
        cost = f", which adds {_inversions(-removed)}" if removed < 0 else ""
        fix = "fix" if place in block.fixed.moved else f"fix{block.follow_options}"
        what = f"{verb} {side} {past.title} (line ", past.line, f"): {gain}{fix} moves it{why}{cost}"
        return Sentence(*what)

    before_new = 0  # how many unmoved ops are before a place of the new order
    for place in block.order:
        if place not in block.moved:
            before_new += 1
        elif place in moved:
            removed = now[place] - then[place]
            said = partial(sentence, place, before_new, removed)
            yield _Said(block.ops[place], AVOIDABLE, said, removed)


def _of_block(block: FixedBlock, audit: BlockAudit) -> Iterator[_Said]:
    """Yield what is said about some classes of pairs of a block, each at the first op in such a pair."""
    for one, said in sentences(audit).items():
        if one.follow is not None:
            number, places = getattr(audit, one.figure), block.comparable.places_of(one.follow)
            now, then = block.comparable.inversions_at, block.comparable.inversions_at_fixed
        else:
            number, places = audit.not_comparable[one], block.indexed
            now, then = block.inversions_around(one)
        first = next((place for place in places if now[place] > then.get(place, 0)), places[0])
        yield _Said(block.ops[first], RULE_OF[one], partial(Sentence, said), number)


def _reversed(block: FixedBlock) -> dict[int, _Said]:
    """Return the earlier ops of reversed dependences, each with what is said about it."""
    pairs = block.dump.reversed_pairs.get(block.number, {})
    label_of = cache(block.label)
    later: dict[int, list[int]] = {}
    for early, late in sorted(pairs):
        later.setdefault(early, []).append(late)

    def sentence(early: int) -> Sentence:
        late = later[early][0]
        touched = name_of_resource(block.dump.ir, block.ops[early], pairs[early, late])
        unless = "" if block.dump.options.order_from else ", unless an index is wrong"
        end = (
            f"), and both touch {touched}: no legal reorder of the original gives this{unless}. See: "
            "eio-audit diff BEFORE AFTER. Effects changed on purpose need --assume-pure or --baseline"
        )
        return Sentence(f"stands before {label_of(late).title} (line ", label_of(late).line, end)

    return {
        block.ops[early]: _Said(block.ops[early], REVERSED, partial(sentence, early), len(late))
        for early, late in later.items()
    }


def _unavoidable(block: FixedBlock, audit: BlockAudit) -> Iterator[_Said]:
    """Yield the ops that are displaced even in the best order, charged with its inversions."""
    order = block.indexed_order
    keys = [block.key(place) for place in order]
    out_of_place = displaced(keys)
    charged = _charged(block, order, {order[k] for k in out_of_place})
    ascending = sorted(range(len(keys)), key=keys.__getitem__)
    rank = {k: place for place, k in enumerate(ascending)}
    if audit.forced is None:
        kind, why = "", " in a graph region, which has no order"
    elif audit.certified:
        kind, why = "unavoidable ", ""
    else:
        kind, why = "", ", not proven unavoidable"
    for k in out_of_place:
        place = order[k]
        # A stable sort moves an op right by the smaller keys after it minus the larger keys before it.
        side = "early" if rank[k] >= k else "late"
        number = charged[place]
        what = f"is {side}: {_inversions(number, kind)}{why}"
        yield _Said(block.ops[place], UNAVOIDABLE, partial(Sentence, what), number)


def _charged(block: FixedBlock, order: Sequence[int], chosen: Collection[int]) -> dict[int, int]:
    """Return, per chosen place, the inversions that it is charged with in an order of the places."""
    positions = [k for k, place in enumerate(order) if place in chosen]
    charges = inversions_charged([block.key(place) for place in order], positions)
    return {order[k]: charge for k, charge in zip(positions, charges, strict=True)}


def _inversions(number: int, kind: str = "") -> str:
    return f"{number:,} {kind}inversion{'' if number == 1 else 's'}"


def _wrong_indices(block: FixedBlock) -> dict[int, _Said]:
    """Return the ops whose index contradicts the dependences, each with what is said about it."""
    donors = block.dump.donors
    label_of = cache(block.dump.label)  # many ops may take the index of the same one

    def sentence(op: int, number: int) -> Sentence:
        right = label_of(donors[op])
        name = " ".join(filter(None, (right.name, right.result)))
        cure = f"): in {_inversions(number)}, fix --relabel corrects it"
        return Sentence(f"should carry #{right.index} (of {name}, line ", right.line, cure)

    found = {}
    for place, op in enumerate(block.ops):
        if op in donors:
            number = block.inversions_at[place]
            found[op] = _Said(op, WRONG_INDEX, partial(sentence, op, number), number)
    return found


class BaselineEntry(NamedTuple):
    """The identity of a finding in a baseline."""

    source: str  # the dump's file, relative to the baseline's folder, with forward slashes
    code: str  # the code of the rule
    function: str  # symbol of the function; empty outside functions
    op: str  # the op's name; empty for a finding about a block
    origin: str  # the op's place in the model


class BaselineComparison(NamedTuple):
    """Findings compared with a baseline."""

    new: tuple[Finding, ...]  # the findings that are not known
    known: int  # number of known findings
    stale: Mapping[BaselineEntry, int]  # per entry with fewer findings than it allows, how many are missing
    remaining: Baseline  # the baseline without stale findings


class Baseline(NamedTuple):
    """The known findings."""

    folder: str  # the folder of the baseline; the files of its entries are relative to it
    counts: Mapping[BaselineEntry, int]  # per entry, how many findings one dump may have

    @property
    def size(self) -> int:
        """Number of known findings."""
        return sum(self.counts.values())

    @classmethod
    def of(cls, findings: Iterable[Finding], folder: str) -> Baseline:
        """Return the baseline that knows exactly these findings."""
        counts: dict[BaselineEntry, int] = {}
        for _, entry, number in _numbered(findings, folder):
            counts[entry] = max(counts.get(entry, 0), number)
        return cls(folder, counts)

    def compare(
        self, findings: Sequence[Finding], sources: Iterable[str], rules: Collection[Rule]
    ) -> BaselineComparison:
        """Tell new findings from known ones.

        Args:
            findings: of all rules in force. If a dump has too many of one entry, the last ones are new.
            sources: the files that were checked. Entries of other files are not stale.
            rules: the rules that were in force. Entries of other rules are not stale.
        """
        found = Baseline.of(findings, self.folder).counts
        checked = {_relative_to(source, self.folder) for source in sources}
        codes = {rule.code for rule in rules}
        stale = {
            entry: count - found.get(entry, 0)
            for entry, count in self.counts.items()
            if entry.source in checked and entry.code in codes and count > found.get(entry, 0)
        }
        left = {entry: count - stale.get(entry, 0) for entry, count in self.counts.items()}
        remaining = Baseline(self.folder, {entry: count for entry, count in left.items() if count})
        new = [
            finding
            for finding, entry, number in _numbered(findings, self.folder)
            if number > self.counts.get(entry, 0)
        ]
        return BaselineComparison(tuple(new), len(findings) - len(new), stale, remaining)


def _numbered(findings: Iterable[Finding], folder: str) -> Iterator[tuple[Finding, BaselineEntry, int]]:
    """Yield each finding, its entry, and its number from 1 among those of that entry in its dump."""
    numbers: Counter[tuple[int, BaselineEntry]] = Counter()
    for finding in findings:
        entry = entry_of(finding, folder)
        numbers[finding.place.line, entry] += 1
        yield finding, entry, numbers[finding.place.line, entry]


def entry_of(finding: Finding, folder: str) -> BaselineEntry:
    """Return the identity of a finding in a baseline in ``folder``."""
    return BaselineEntry(
        source=_relative_to(finding.source, folder),
        code=finding.rule.code,
        function=finding.function or "",
        op="" if finding.is_of_block else finding.op.name,
        origin=finding.origin,
    )


def _relative_to(source: str, folder: str) -> str:
    """Return the relative path, with forward slashes; a name such as ``<stdin>`` is unchanged."""
    return source if source.startswith("<") else PurePath(os.path.relpath(source, folder)).as_posix()


def _parse_json(source: Source) -> object:
    import json

    try:
        text = bytes(source.data).decode()
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise source.error(error.start, "this is not UTF-8, which JSON is written in") from error
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise source.error(offset, error.msg[:1].lower() + error.msg[1:]) from error
    except ValueError as error:
        raise InputError(source.name, None, "a number in this file has too many digits") from error
    except RecursionError as error:
        raise InputError(source.name, None, "this is nested too deeply to be a baseline") from error


def baseline_to_json(baseline: Baseline) -> str:
    """Return the text of a baseline: one finding per line, sorted, so that changes to it can be reviewed."""
    import json

    lines = []
    for entry, count in sorted(baseline.counts.items()):
        known = entry._asdict() | ({"count": count} if count > 1 else {})
        lines.append(printable_in_json(json.dumps(known, ensure_ascii=False)))
    listed = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{{"schema": "{BASELINE_SCHEMA}", "findings": [{listed}]}}\n'


def parse_baseline(source: Source, folder: str) -> Baseline:
    """Parse the text of a baseline; an InputError if it is none. Equal entries add up."""
    document = _parse_json(source)
    if not isinstance(document, dict) or document.get("schema") != BASELINE_SCHEMA:
        raise InputError(source.name, None, f'expected a baseline: {{"schema": "{BASELINE_SCHEMA}", ...}}')
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise InputError(source.name, None, 'expected a list of "findings"')
    counts: dict[BaselineEntry, int] = {}
    for number, known in enumerate(findings, 1):
        entry, count = _entry(source, number, known)
        counts[entry] = counts.get(entry, 0) + count
    return Baseline(folder, counts)


def _entry(source: Source, number: int, known: object) -> tuple[BaselineEntry, int]:
    if not isinstance(known, dict):
        raise InputError(source.name, None, f"finding {number}: expected an object")
    texts = [known.get(name) for name in BaselineEntry._fields]
    count = known.get("count", 1)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(
            source.name, None, f"finding {number}: expected texts for {', '.join(BaselineEntry._fields)}"
        )
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(source.name, None, f"finding {number}: expected a count from 1")
    return BaselineEntry(*map(str, texts)), count
