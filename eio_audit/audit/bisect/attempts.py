"""The attempts of patterns, and the names of the steps that they make.

They are in a log of MLIR's actions (``--log-actions-to``). The i-th line of an ``apply-pattern`` action is
attempt i. It names the pattern and the root op:
``apply-pattern pattern: ns::MyPattern (%3 = "my.add"(%1) : ... loc("m.py":7:3))``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.diff.made_ops import number_in
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import ModelLine
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source, Span, decoded

WITHOUT_PATTERNS = "without patterns"
"""The name of the step that the pass takes without any pattern, such as folding."""
_PLAIN = str.maketrans({"(": "[", ")": "]", "{": "[", "}": "]", ":": ".", "\n": " "})
"""What the name of a pass in a marker cannot have."""
_STEP = pattern(rf"{WITHOUT_PATTERNS}|attempts \d+ to \d+ not resolved|(?:.* )?attempt \d+(?: on .*)?")
UNNAMED = "(unnamed pattern)"  # what a pattern without a debug name is called
_ATTEMPT = b"Action `apply-pattern pattern: "
_OP = pattern(
    r"(?:(?P<result>%[\w$.-]+)(?::\d+)?(?:, %[\w$.:-]+)* = )?"
    r'(?:"(?P<generic>[^"]+)"|(?P<custom>[A-Za-z_][\w$.]*))'
)
_NAMESPACE = pattern(r"(?:(?:\b\w++|\(anonymous namespace\)|\(anonymous class\)|`anonymous namespace')::)+")


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a pattern on an op."""

    number: int  # which attempt of the run it is, from 1
    pattern: str  # the name of the pattern, with its namespaces
    op: str  # the name of the root op; empty if the log does not tell it
    result: str | None = None  # its first result; None for an op without results
    index: int | None = None  # its op index; None if it has none
    model: ModelLine | None = None  # its line in the model's source; None if its location has none

    @property
    def name(self) -> str:
        """The name of the pattern without namespaces; of one without a name, with that of the root op."""
        name = short_pattern(self.pattern)
        is_named = name != UNNAMED and "lambda" not in name
        return name if is_named or not self.op else f"{name} on {self.op}"

    @property
    def title(self) -> str:
        """The root op as reports name it: ``#69 ttir.add %130``."""
        index = None if self.index is None else f"#{self.index}"
        return " ".join(filter(None, (index, self.op, self.result)))

    def named_as_in(self, state: KeyedDump) -> Attempt:
        """Return the attempt with the name that its root has in the state before it.

        The log of actions numbers values in another way than the printed IR. The root is found by its name,
        its index and its line in the model. Of several such ops, it is the one whose number is closest.
        """
        if self.result is None or (self.index is None and self.model is None):
            return self
        ir, indices = state.ir, state.indices
        alike = [op for op in range(len(ir)) if ir.name(op) == self.op and indices.index(op) == self.index]
        found = [op for op in alike if indices.parsed.model_line(op) == self.model]
        names, number = filter(None, map(ir.first_result_name, found)), number_in(self.result)
        closest = min(names, key=lambda name: abs(number_in(name) - number), default=self.result)
        return replace(self, result=closest)


def short_pattern(name: str) -> str:
    """Return the name of a pattern without namespaces: ``MyPattern<AddOp, UP>``.

    Example:
        >>> short_pattern("mlir::(anonymous namespace)::MyPattern<mlir::tosa::AddOp>")
        'MyPattern<AddOp>'
    """
    return _NAMESPACE.sub("", name) or name


def count_attempts(path: Path) -> int:
    """Return how many attempts a log has."""
    with path.open("rb") as file:
        return sum(_ATTEMPT in line for line in file)


def read_attempts(path: Path, numbers: Collection[int], options: AuditOptions) -> dict[int, Attempt]:
    """Return the attempts with some numbers, by number, as far as there are so many.

    Complexity: linear in the text. Only the lines of these attempts are looked into.
    """
    wanted, found = set(numbers), dict[int, Attempt]()
    with path.open("rb") as file:
        for number, line in enumerate((line for line in file if _ATTEMPT in line), start=1):
            if number in wanted:
                text = decoded(line.partition(_ATTEMPT)[2]).rstrip()
                found[number] = parse_attempt(number, text.removesuffix("`").removesuffix(")"), options)
    return found


def parse_attempt(number: int, text: str, options: AuditOptions) -> Attempt:
    """Return the attempt that ``PATTERN (OP`` describes."""
    begin = _root_start(text)
    name, root = text[:begin].strip() or UNNAMED, text[begin:].removeprefix(" (")
    match = _OP.match(root)
    if match is None:
        return Attempt(number, name, "")
    index, model = _origin(root, options)
    return Attempt(number, name, match["generic"] or match["custom"], match["result"], index, model)


def _root_start(text: str) -> int:
    """Return where `` (OP`` begins: the first such parenthesis outside the pattern's angle brackets."""
    depth = 0
    for position, char in enumerate(text):
        if char == "<":
            depth += 1
        elif char == ">":
            depth = max(depth - 1, 0)
        elif char == " " and not depth and text.startswith("(", position + 1):
            return position
    return len(text)


def _origin(root: str, options: AuditOptions) -> tuple[int | None, ModelLine | None]:
    """Return the index and the line of the model in the location at the end of an op's text."""
    start = root.rfind(" loc(")
    if start < 0:
        return None, None
    text = b'"root.op"() : () -> ()' + root[start:].encode()
    try:
        ir = read_ir(Source("<action>", text), Span(0, len(text)), options.op_table)
        indices = OriginalIndices(ir, options.pattern)
        return indices.index(0), indices.parsed.model_line(0)
    except InputError:
        return None, None


def name_of_step(step: tuple[int, int], attempt: Attempt | None) -> str:
    """Return ``MyPattern<AddOp> attempt 431 on #69 ttir.add %130``, as a marker can have it.

    The step has the attempts above its first number, up to its second.
    """
    first, last = step
    if last - first > 1:
        return f"attempts {first + 1} to {last} not resolved"
    if attempt is None:
        return f"attempt {last}"
    root = f" on {attempt.title}" if attempt.op else ""
    return f"{short_pattern(attempt.pattern)} attempt {last}{root}".translate(_PLAIN)


def is_step(name: str) -> bool:
    """Whether the pass of a marker is such a step, or the one without patterns: a state that was kept."""
    return _STEP.fullmatch(name) is not None
