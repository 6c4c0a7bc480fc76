"""The reader's fast path and its exact path give the same result, on whatever they are given."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Dump, InputError, VerificationError, check, fix
from eio_audit.mlir.input.dumps import find_dumps
from eio_audit.mlir.reading import reader
from tests.internals import OpTable, Source
from tests.programs import programs
from tests.reading import ir_of
from tests.test_samples import FILES, SAMPLES


def seeds(quick: int, long: int) -> list[Any]:
    """So many for the quick suite, and more for the long one."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, long))]


FIELDS = [name for name in vars(ir_of("")) if name not in ("source", "span", "op_table", "names", "op_name")]
DATA = Path(__file__).parent.parent / "data"


def outcome(dump: Dump, *, exact: bool) -> dict[str, object] | str:
    mentions = reader.Mentions()
    read = reader.Reader(dump.source, dump.span, OpTable(), exact=exact, mentions=mentions)
    try:
        ir = read.read()
    except InputError as error:
        return str(error)
    names = {"op_names": list(map(ir.name, range(len(ir)))), "names": set(ir.names)}
    named = {"named": mentions.values, "defined": [*mentions.definitions.items()], "same": mentions.same}
    named["stand-ins"] = [match.span() for match in read.stand_ins]
    return {name: getattr(ir, name) for name in FIELDS} | names | named


def assert_same(data: bytes) -> None:
    source = Source("f", data)
    try:
        dumps = find_dumps(source)
    except InputError:
        return
    for dump in dumps:
        assert outcome(dump, exact=False) == outcome(dump, exact=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_on_every_sample(path: Path) -> None:
    assert_same(path.read_bytes())


@given(programs(max_ops=30))
def test_on_random_programs(text: str) -> None:
    assert_same(text.encode())


def test_on_an_empty_region_in_a_line() -> None:
    """It is a region, though it holds no op: a block more."""
    lines = [
        f'  %{k} = gpu.all_reduce and %a uniform {{}} : (i32) -> (i32) loc("DEBUG|{k}|x")' for k in range(9)
    ]
    assert_same("\n".join(["func.func @f(%a: i32) {", *lines, "  return", "}\n"]).encode())


@pytest.mark.parametrize(
    "line",
    [
        "%{k}0 = my.op %a dense<{k}.5e-0{k}> : tensor<{k}x1{k}x?xf32>",
        "my.op %a tf{k}",
        "my.op %a : tf{k}",
        "my.op %a : i{k} -> {k}xi{k}",
        "my.op {{ x{k}.op }}",
        'my.op "{k}.op"(%a)',
        "my.op {k} = {k}",
        "my.op %a, #map{k}, !t{k}, -{k}, 0x{k}, [{k}",
        "my.op %a : <unknown>:{k}",
        "my.op %a :{k}:{k}: error: {k}",
        "my.op %a #{k}",
        "my.op @f{k}, {k}",
    ],
)
def test_on_lines_that_differ_only_in_digits(line: str) -> None:
    lines = [line.format(k=k) for k in (0, 1, 3, 9, 19, 32, 33, 86)]
    assert_same("\n".join(["func.func @f(%a: i32) {", *lines, "  return", "}\n"]).encode())


@pytest.mark.parametrize("stand_in", ["<<NULL TYPE>>", "{...}", "<<UNKNOWN SSA VALUE>>"])
def test_what_is_not_printed_is_found_among_plain_lines(stand_in: str) -> None:
    ops = ["t.a : i32", f't.b "{stand_in}" : i32', f"t.c {stand_in} : i32", "t.d : i32"]
    lines = [f'  {op} loc("{stand_in}")' for op in ops]
    source = Source("f", "\n".join(["module {", *lines, "}\n"]).encode())
    with pytest.raises(InputError) as caught:
        reader.read_ir(source)
    assert caught.value.position == (4, 7)


@pytest.mark.parametrize(
    "location", ['"a\\"', '"a\\\\"', '"a\\"b"', '"a\nb"', '"a" "b"', '"a"b"', '"a', '"a")"']
)
def test_on_a_location_that_is_nearly_one_name(location: str) -> None:
    lines = [f'"t.a"() : () -> () loc({inside})' for inside in ('"x"', location, '"y"')]
    assert_same("\n".join(['"top"() ({', *lines, "}) : () -> () loc(unknown)", ""]).encode())


@pytest.mark.parametrize(
    "operands",
    [
        *(
            "%0,%1",
            "%0 ,%1",
            " %0",
            "%0, ",
            "%0,  %1",
            "%0 %1",
            "%0%1",
            "%0.%1",
            "0",
            "%0, 0",
            ", %0",
            " ",
            "%",
        ),
        *(
            "%1#0",
            "%1#1, %0",
            "%1#1,%0",
            "%1#01",
            "%1#",
            "%1#a",
            "%1#1a",
            "%1#0#1",
            "#1",
            "%0, #1",
            "%1 #1",
            "%1#1 ",
        ),
        *("%1#2", "%0#1", "%1#9999999999", "%00", "%0a", "%0, %a"),
    ],
)
def test_on_what_is_nearly_a_list_of_operands(operands: str) -> None:
    op = f'"t.c"({operands}) : () -> () loc("x")'
    lines = ['%0 = "t.a"() : () -> i32 loc("x")', '%1:2 = "t.b"() : () -> (i32, i32) loc("x")', op, op]
    lines += [
        "^bb1:",
        '"t.c"(%1, %0) : () -> () loc("x")',
        '"t.d"() ({',
        '"t.e"(%0) : () -> () loc("x")',
        "}) loc(unknown)",
    ]
    assert_same("\n".join(['"top"() ({', *lines, "}) : () -> () loc(unknown)", ""]).encode())


@pytest.mark.parametrize(
    "results",
    [
        *("%a, %b", "%a, %b, %c", "%a, %1", "%a,%b", "%a , %b", "%a,  %b", "%a, b", "%a, ", "%a,", "%a %b"),
        *(
            "%a:2, %b",
            "%a, %b:2",
            "%a:2:2",
            "%a:, %b",
            "%a: 2",
            "%a, 2",
            "%a2, 2",
            "%a, %a",
            "%a, %0",
            "%a, %0b",
        ),
    ],
)
@pytest.mark.parametrize("op", ['"t.b"() : () -> (i32, i32)', "t.b : i32, i32", "t.b : i32 {"])
def test_on_what_is_nearly_a_list_of_results(results: str, op: str) -> None:
    uses = ['"t.c"(%a, %b) : (i32, i32) -> () loc("x")', '"t.c"(%a#1) : (i32) -> () loc("x")']
    region = ['"t.a"() : () -> () loc("x")', '} loc("x")'] if op.endswith("{") else []
    location = "" if region else ' loc("x")'
    lines = ['%0 = "t.a"() : () -> i32 loc("x")', f"{results} = {op}{location}", *region, *uses]
    assert_same("\n".join(['"top"() ({', *lines, "}) : () -> () loc(unknown)", ""]).encode())


@pytest.mark.parametrize("below", [": 1", "(", ", i32)", "<2>", "-> 3", "[", "{", "x", '"t.b"() : () -> ()'])
def test_on_what_is_below_an_alias(below: str) -> None:
    assert_same(f'"t.a"() : () -> () loc(#b)\n#a = loc("x")\n#b = loc("y")\n  {below}\n'.encode())


@pytest.mark.parametrize("brace", ["%2 = }", "%2:2 = }", "%2 = } else {"])
def test_on_results_before_a_closing_brace(brace: str) -> None:
    lines = [
        '%0 = "t.a"() : () -> i1',
        "scf.if %0 {",
        '  %1 = "t.b"() : () -> i32',
        brace,
        '"t.c"() : () -> ()',
        "}",
    ]
    assert_same("\n".join(["module {", *lines, "}", ""]).encode())


HEADERS = [  # what opens a region, what may open the next one, what ends the op
    ("{n} = scf.if {u} -> i32 {{", "}} else {{", "}} loc({l})"),
    ("{n}, %d{k} = my.loop {u}, %0#1 {{", "}} while {{", "}} : i32, i32 loc({l})"),
    ("{n}:2 = my.loop {u}, %0#1 {{", "}} while {{", "}} : i32, i32 loc({l})"),
    ("{n} = scf.for {n} = {u} to %1 step %1 {{", None, "}} loc({l})"),
    ('"my.op"({u}) ({{', "}}, {{", "}}) : (i32) -> () loc({l})"),
    ('{n} = "scf.if"({u}) <{{x = 1}}> ({{', "}},{{", "}}) {{y}} : (i1) -> i32 loc({l})"),
    ("my.assign {{", "}} to ({n}: i32) {{", "}} loc({l})"),
    ("module {{", None, "}} loc({l})"),
    ("func.func @f() {{", None, "}} loc({l})"),
    ("my.graph attributes {{a}} {{", None, "}}"),
    ("{n} = my.list {u} ({{", "}}, {{", "}}) loc({l})"),
    ("my.op {u} {{ // a comment", "}} else {{", "}} loc({l}) // )"),
]
OPS = [
    '{n} = "t.a"({u}, {u}) : (i32, i32) -> i32 loc({l})',
    '{n}:2 = "t.b"() {{s = "%0"}} : () -> (i32, i32) loc({l})',
    '{n}, %a{k} = "t.f"() : () -> (i32, i32) loc({l})',
    "%b{k}, {n}, %c{k} = t.g {u}, {u} : i32 loc({l})",
    '"t.c"({u}#1) : (i32) -> () loc({l})',
    "{n} = arith.addi {u}, {u} : i32 loc({l})",
    "scf.yield {u} : i32 loc({l})",
    "return {u} : i32 loc({l})",
    '{n} = "t.d"() : () -> i32',
    '{n} = t.e "<<NULL TYPE>>", {u} : tensor<<8x17>, i32> loc({l})',
    "^bb1({n}: i32):",
    "my.note = 1 loc({l})",
]
LOCATIONS = ["#loc1", "unknown", '"a"', '"a":1:2', '"a"("b")', '"a"("b":1:2)', 'fused["a", "b"]']
LOCATIONS += ['"7|a"', '"DEBUG|007|"', '"-7|a"', '"7|\\22"', '"7|a":1:2', '"7|a"("8|b")', f'"{10**18}|a"']


def nested_program(rng: random.Random) -> str:
    """Regions in each other, in every form that ends a line; now and then a name clashes or is out of scope."""

    def filled(text: str) -> str:
        name = f"%{len(lines) if rng.random() < 0.98 else rng.randrange(len(lines))}"
        used = f"%{rng.randrange(4) if rng.random() < 0.95 else rng.randrange(len(lines))}"
        return "  " * len(open_ops) + text.format(n=name, u=used, l=rng.choice(LOCATIONS), k=len(lines))

    open_ops: list[tuple[str, str | None, str]] = []
    lines = ['"top"() ({', *(f'  %{k}:2 = "t.v"() : () -> (i32, i32) loc(unknown)' for k in range(4))]
    for _ in range(rng.randrange(40)):
        action = rng.randrange(8)
        if action == 0 and len(open_ops) < 6:
            form = rng.choice(HEADERS)
            lines.append(filled(form[0]))
            open_ops.append(form)
        elif action == 1 and open_ops and (following := open_ops[-1][1]) is not None:
            lines.append(filled(following))
        elif action == 2 and open_ops:
            lines.append(filled(open_ops.pop()[2]))
        else:
            lines.append(filled(rng.choice(OPS)))
    lines += [filled(open_ops.pop()[2]) for _ in list(open_ops)]
    return "\n".join([*lines, "}) : () -> () loc(unknown)", '#loc1 = loc("x")', ""])


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_on_nested_programs(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        assert_same(nested_program(rng).encode())


def without_locations(text: str, rng: random.Random) -> str:
    """The text without some of its locations, or without any."""
    share = rng.choice([0.2, 0.9, 1.0])
    return re.sub(
        r" loc\(.*$", lambda match: "" if rng.random() < share else match[0], text, flags=re.MULTILINE
    )


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_on_nested_programs_without_locations(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text = without_locations(nested_program(rng), rng)
        assert_same((with_lines_moved(text, rng) if rng.random() < 0.3 else text).encode())


BELOW = [
    'loc("x")',
    ': i32 loc("x")',
    "-> i32",
    "// a comment",
    "",
    "{a = 1}",
    "to (%1)",
    "my.op",
    "}",
    "^bb1:",
]
BELOW += [
    "%1, %2 = my.op",
    "%1 = ",
    "%0",
    '"t.a"()',
    '"t.a"',
    "loc.x",
    "attributes {a}",
    "({",
    "= 1",
    "my.op {",
]


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("op", ['"t.a"(%0) : (i32) -> ()', "%3 = my.op %0 : i32", "my.op %0 :", "my.op"])
def test_on_what_may_follow_an_op_without_location(op: str, below: str) -> None:
    ops = ["%0 = my.op : i32", op, op.replace("%3", "%4"), below, op.replace("%3", "%5"), "my.end"]
    assert_same("\n".join(["module {", *(f"  {line}" for line in ops), "}\n"]).encode())


def with_lines_moved(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    for _ in range(rng.randrange(8)):
        start, length, to = rng.randrange(len(lines)), rng.randrange(5), rng.randrange(len(lines))
        moved = lines[start : start + length]
        del lines[start : start + length]
        lines[to:to] = moved
    return "".join(lines)


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_on_nested_programs_with_lines_moved(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        moved = with_lines_moved(nested_program(rng), rng).encode()
        assert_same(moved if rng.random() < 0.7 else mutated(moved, rng))


PIECES = [
    b"{", b"}", b"(", b")", b'"', b"loc(", b"<", b">", b"[", b"]", b"%0", b" = ", b"\n", b"//", b"#loc1", b"^bb0",
    b"\\", b":", b",", b"->", b"\x00", b"\xff", b"%", b"return", b' loc("DEBUG|1|x")', b"{-#", b"#-}", b"\r\n",
    b"} else {\n", b"}, {\n", b"({\n", b"}) : () -> () loc(unknown)\n", b"} loc(#loc1)\n", b"%9 = scf.if %c {\n",
    b'"t.a"() : () -> ()', b"%0:2 = ", b"scf.if %c {", b"#loc7 = loc(", b"[1] [DEBUG] x", b"\x1b[31m", b"%0#1",
    b"\n#k = #t.k<\n#a, {\n", b"\n#a = 1\n", b"}>\n",
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The text with a few pieces inserted, removed, repeated or overwritten, or cut off."""
    text = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(text) + 1)
        match rng.randrange(5):
            case 0:
                text[place:place] = rng.choice(PIECES)
            case 1:
                del text[place : place + rng.choice([1, 2, 5, 40, 300])]
            case 2:
                start = rng.randrange(len(text) + 1)
                text[place:place] = text[start : start + rng.choice([1, 5, 50, 300])]
            case 3:
                text[place : place + 1] = bytes([rng.randrange(256)])
            case _:
                del text[max(place, 1) :]
    return bytes(text)


SEEDS = [
    path.read_bytes()[:8000]
    for path in (
        SAMPLES / "small" / "after_inline.mlir",
        SAMPLES / "small" / "after_alias.mlir",
        SAMPLES / "small" / "eio_only_alias.log",
        SAMPLES / "small" / "eio_inline_generic.log",
        SAMPLES / "resnet" / "after_inline.mlir",
        DATA / "shuffled_loops.mlir",
    )
]


@pytest.mark.parametrize("seed", seeds(5, 80))
def test_no_damaged_dump_gives_anything_but_an_error_or_a_verified_fix(seed: int) -> None:
    """Bounded fuzzing: no traceback, no wrong rewrite, both paths alike, a second fix changes nothing."""
    rng = random.Random(seed)
    for _ in range(25):
        data = mutated(rng.choice(SEEDS), rng)
        assert_same(data)
        source = Source("f", data)
        try:
            dumps = find_dumps(source)
            check(dumps)
            fixed = Source("f", fix(dumps).text)
            assert fix(find_dumps(fixed)).text == fixed.data
        except (InputError, VerificationError):
            continue


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert_same(data)
