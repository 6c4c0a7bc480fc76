"""Measure how well ops are matched by the program alone, without locations: recall and wrong pairs.

    python benchmarks/matching.py [FOLDER...]      prints a Markdown table

Each pair of dumps is a program before and after a pass of a real compiler. The places of its ops are unique
(``stamp``), so they show which op is which. Ops with the same name and place that are unique on both sides
are *true pairs*. Then all locations are removed, the dumps are matched, and the pairs are scored. A *line
diff* of the same texts, without value names and locations, is scored the same way. So is zirium, if it is
installed, on the pairs that it reads. For zirium, mlir-opt prints them in generic form. Ops that its diff
does not list are paired in their order.

The pairs come from ``sample_irs/`` (the passes of their logs, one by one, and the whole logs), from
``generate.py``, and from passes of IREE and MLIR over the programs of ``tests/data/real_passes``, generated
programs (``tests/running``) and a network of convolutions. A pass that refuses or does not change a program
is left out. So is a pass with the same result as another one. A folder may hold more: ``NAME/before*.mlir``
and ``NAME/after*.mlir``.
"""

from __future__ import annotations

import difflib
import io
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import regex

try:
    import zirium
except ImportError:
    zirium = None
from generate import CancelledModel, PermutedModel

from eio_audit import Dump, read, read_text, stamp
from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import NO_LOCATION, Interned
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import functions_around

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # for the tests, which are not installed

from tests.real_passes import PROGRAMS, TOOLS, Program, printed  # noqa: E402
from tests.running.memref_programs import memref_program  # noqa: E402
from tests.running.native_programs import native_program  # noqa: E402
from tests.running.tensor_programs import tensor_program  # noqa: E402

LOCATION = regex.compile(rb' ?\bloc(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?1))*\))')
ALIAS = re.compile(rb"^#loc[0-9]* = .*\n?", re.MULTILINE)
LAYOUT_OPS = {"ttir.permute", "ttir.reshape", "ttir.transpose"}
"""Passes of tt-mlir give these ops the places of other ops, so their places tell nothing."""
VALUE = re.compile(r"%[\w$.:#-]+")


SEEDS = range(20)
"""The seeds of the functions of a generated program."""
TYPES_CHANGE = """
    normalize-memrefs flatten-memref arith-emulate-wide-int iree-input-conversion-demote-f32-to-f16
    iree-input-conversion-demote-i64-to-i32 iree-preprocessing-convert-conv-to-channels-last
    iree-preprocessing-convert-1x1-filter-conv2d-to-matmul iree-global-opt-convert-conv2d-to-img2col
    iree-global-opt-demote-contraction-inputs
"""
"""Passes that change the types of the ops they keep."""
WRAPPING = "convert-elementwise-to-linalg"
"""Puts each op on tensors into a region, as an op on numbers."""
OTHER_PASSES = """
    canonicalize cse sccp loop-invariant-code-motion inline symbol-dce mem2reg sroa control-flow-sink
    affine-scalrep affine-loop-fusion affine-loop-unroll lower-affine fold-memref-alias-ops buffer-hoisting
    remove-dead-values arith-expand linalg-fuse-elementwise-ops linalg-generalize-named-ops
    linalg-fold-unit-extent-dims convert-linalg-to-loops convert-linalg-to-affine-loops
    promote-buffers-to-stack expand-strided-metadata memref-expand topological-sort
    scf-for-loop-canonicalization convert-scf-to-cf lift-cf-to-scf iree-util-fold-globals
    iree-util-hoist-into-globals iree-global-opt-raise-special-ops iree-util-optimize-int-arithmetic
    iree-dispatch-creation-bubble-up-expand-shapes
"""
KINDS = {"types change": TYPES_CHANGE, "ops wrapped in regions": WRAPPING, "other": OTHER_PASSES}


@dataclass(frozen=True, slots=True)
class Score:
    """How many of the true pairs were found."""

    true: int
    found: int
    wrong: int
    seconds: float = 0.0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.true + other.true,
            self.found + other.found,
            self.wrong + other.wrong,
            self.seconds + other.seconds,
        )


NOTHING = Score(0, 0, 0)


def without_locations(text: bytes) -> bytes:
    """Return the text without locations."""
    return LOCATION.sub(b"", ALIAS.sub(b"", text))


def compared(before: Dump, after: Dump) -> list[ComparedOps]:
    """Return the ops of two dumps as they are compared."""
    interned = Interned()
    irs = [read_ir(dump.source, dump.span) for dump in (before, after)]
    return [ComparedOps(ir, OriginalIndices(ir), functions_around(ir), interned) for ir in irs]


def truth(before: Dump, after: Dump) -> dict[int, int]:
    """Return the true pairs: by op before, the op after."""
    sides = []
    for ops in compared(before, after):
        keys = list(zip(ops.names, ops.locations, strict=True))
        counts = Counter(keys)
        unique = (
            key for key in keys if counts[key] == 1 and key[1] != NO_LOCATION and key[0] not in LAYOUT_OPS
        )
        sides.append({key: keys.index(key) for key in unique})
    return {op: sides[1][key] for key, op in sides[0].items() if key in sides[1]}


def matched(before: bytes, after: bytes) -> tuple[dict[int, int], float]:
    """Return what eio-audit pairs, and the CPU time that takes."""
    start = time.process_time()
    sides = compared(read_text(before)[0], read_text(after)[0])
    return match_ops(*sides).ops, time.process_time() - start


def by_lines(before: bytes, after: bytes) -> dict[int, int]:
    """Return what a line diff pairs: the first lines of ops, without value names."""
    lines: list[list[str]] = []
    for text in (before, after):
        (dump,) = read_text(text)
        ir = read_ir(dump.source, dump.span)
        lines.append(
            [VALUE.sub("%", ir.text(op).decode("utf-8", "replace").split("\n")[0]) for op in range(len(ir))]
        )
    blocks = difflib.SequenceMatcher(None, *lines, autojunk=False).get_matching_blocks()
    return {a + k: b + k for a, b, size in blocks for k in range(size)}


def score_of_zirium(before: Dump, after: Dump) -> Score:
    """Return what zirium pairs. No true pairs if it is not installed or cannot read the texts."""
    if zirium is None:
        return NOTHING
    dumps = [printed_in_generic_form(dump.text) for dump in (before, after)]
    if None in dumps:
        return NOTHING
    hidden = [without_locations(dump.text) for dump in dumps if dump is not None]
    read = [zirium.parse_bytes(text).lower_best_effort() for text in hidden]
    if not all(one.semantically_complete for one in read):
        return NOTHING
    changes = zirium.diff(*(one.document for one in read)).changes
    sides = []
    for text, ops in zip(hidden, ([c.before for c in changes], [c.after for c in changes]), strict=True):
        (dump,) = read_text(text)
        place = {start: op for op, start in enumerate(read_ir(dump.source, dump.span).op_start)}
        changed = [None if op is None else place.get(op.source_range[0]) for op in ops]
        sides.append((changed, [op for op in place.values() if op not in changed]))
    (old, old_rest), (new, new_rest) = sides
    found = dict(zip(old_rest, new_rest, strict=False))
    found |= {a: b for a, b in zip(old, new, strict=True) if a is not None and b is not None}
    return score(truth(*(dump for dump in dumps if dump is not None)), found)


def printed_in_generic_form(text: bytes) -> Dump | None:
    """Return the dump as mlir-opt prints it. None if mlir-opt cannot read it."""
    options = ("--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-debuginfo", "-")
    if (tool := TOOLS["mlir-opt"]()) is None:
        return None
    done = subprocess.run([tool, *options], input=text, capture_output=True, check=False)
    return read_text(done.stdout)[0] if done.returncode == 0 else None


def score(true: dict[int, int], found: dict[int, int], seconds: float = 0.0) -> Score:
    """Score pairs. A pair is wrong if one end of it has another true partner."""
    partner = {new: old for old, new in true.items()}
    right = sum(found.get(old) == new for old, new in true.items())
    wrong = sum(
        (old in true and true[old] != new) or (new in partner and partner[new] != old)
        for old, new in found.items()
    )
    return Score(len(true), right, wrong, seconds)


def pairs(folders: list[Path]) -> Iterator[tuple[str, Dump, Dump]]:
    """Yield the pairs of dumps, by kind."""
    for folder in [ROOT / "sample_irs", *folders]:
        for before in sorted(folder.glob("*/before*inline.mlir")) or sorted(folder.glob("*/before*.mlir")):
            after = before.with_name(before.name.replace("before", "after"))
            yield f"{before.parent.name}: EIO", read(before)[0], read(after)[0]
        for log in sorted(folder.glob("*/all_passes_inline.log")):
            dumps = read(log)
            for k in range(len(dumps) - 1):
                if dumps[k].text != dumps[k + 1].text:
                    yield f"{log.parent.name}: other passes", dumps[k], dumps[k + 1]
            yield f"{log.parent.name}: all passes at once", dumps[0], dumps[-1]
    for path in PROGRAMS:
        program = Program.read(path)
        if tool := TOOLS[program.tool]():
            stamped = stamp(read_text(path.read_bytes())).decode()
            texts = (printed(tool, stamped, f"builtin.module({passes})") for passes in ("", program.passes))
            (before,), (after,) = map(read_text, texts)
            yield f"{program.tool}, small programs", before, after
    yield generated_pair()
    yield from pairs_of_passes()


def convolutions(layers: int) -> str:
    """Return a network of convolutions, each with a linalg.generic that adds its input and is a ReLU."""
    image, weight = "tensor<1x8x16x16xf32>", "tensor<8x8x1x1xf32>"
    same = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
    weights = ", ".join(f"%w{k}: {weight}" for k in range(layers))
    lines = [f"func.func @net(%r: {image}, {weights}) -> {image} {{", "  %z = arith.constant 0.0 : f32"]
    last = "%r"
    for k in range(layers):
        lines += [
            f"  %e{k} = tensor.empty() : {image}",
            f"  %i{k} = linalg.fill ins(%z : f32) outs(%e{k} : {image}) -> {image}",
            f"  %c{k} = linalg.conv_2d_nchw_fchw {{dilations = dense<1> : vector<2xi64>, "
            f"strides = dense<1> : vector<2xi64>}} ins({last}, %w{k} : {image}, {weight}) "
            f"outs(%i{k} : {image}) -> {image}",
            f"  %n{k} = tensor.empty() : {image}",
            f"  %r{k} = linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = ["
            f'"parallel", "parallel", "parallel", "parallel"]}} ins(%c{k}, {last} : {image}, {image}) '
            f"outs(%n{k} : {image}) {{",
            "  ^bb0(%p: f32, %q: f32, %o: f32):",
            "    %s = arith.addf %p, %q : f32",
            "    %t = arith.maximumf %s, %z : f32",
            "    linalg.yield %t : f32",
            f"  }} -> {image}",
        ]
        last = f"%r{k}"
    return "\n".join([*lines, f"  return {last} : {image}", "}\n"])


def pairs_of_passes() -> Iterator[tuple[str, Dump, Dump]]:
    """Yield what passes do to generated programs, by kind of pass, each result once."""
    programs = [program(SEEDS).text for program in (memref_program, native_program, tensor_program)]
    for text in [*programs, convolutions(len(SEEDS))]:
        stamped = stamp(read_text(text)).decode()
        for name, find in TOOLS.items():
            if (tool := find()) is None or (before := passed(tool, stamped)) is None:
                continue
            seen = {before}
            for kind, passes in KINDS.items():
                for one in passes.split():
                    after = passed(tool, stamped, f"--{one}")
                    if after is not None and after not in seen:
                        seen.add(after)
                        yield f"{name}, generated programs, {kind}", read_text(before)[0], read_text(after)[0]


def passed(tool: str, text: str, *options: str) -> str | None:
    """Return what a tool prints, or None if it refuses the program or the pass."""
    command = [tool, *options, "--mlir-print-debuginfo", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def generated_pair() -> tuple[str, Dump, Dump]:
    """Return a network whose permutes a pass has cancelled. All types between them have changed."""
    texts = []
    for model in (PermutedModel, CancelledModel):
        out = io.StringIO()
        model(2000).write(out, alias=False)
        texts.append(read_text(out.getvalue())[0])
    return "generated: EIO", texts[0], texts[1]


def main() -> None:
    """Print the table."""
    rows: dict[str, list[Score]] = {}
    for name, before, after in pairs([Path(argument) for argument in sys.argv[1:]]):
        true = truth(before, after)
        if not true:
            continue
        hidden = [without_locations(dump.text) for dump in (before, after)]
        mine, line = score(true, *matched(*hidden)), score(true, by_lines(*hidden))
        scores = mine, line, score_of_zirium(before, after)
        rows[name] = [old + new for old, new in zip(rows.get(name, [NOTHING] * 3), scores, strict=True)]
    print("| pairs | true | found | wrong | line diff: found | wrong | zirium: found | wrong |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (mine, line, other) in rows.items():
        share = f"{other.found / other.true:.1%} of {other.true} | {other.wrong}" if other.true else "- | -"
        print(
            f"| {name} | {mine.true} | {mine.found / mine.true:.1%} | {mine.wrong} |"
            f" {line.found / line.true:.1%} | {line.wrong} | {share} |"
        )


if __name__ == "__main__":
    main()
