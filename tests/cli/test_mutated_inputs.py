"""Mutated inputs of all commands: no traceback, no hang, no output that does not parse. And long runs in a small text.

EIO_AUDIT_MUTATIONS=20000 EIO_AUDIT_PLACES=all python -m pytest -m slow tests/cli/test_mutated_inputs.py
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.running import SAMPLES, run
from tests.limits import TooSlowError, limited

MUTATIONS = int(os.environ.get("EIO_AUDIT_MUTATIONS", "4000"))
PLACES = os.environ.get("EIO_AUDIT_PLACES", "4")  # how many places of the small text get long runs, or all
MOST_SECONDS = 20
TEXT = b"""#map = affine_map<(d0) -> (d0)>
func.func @f(%a: i32, %t: tensor<4x4xf32>) -> i32 attributes {x = "y"} {
  %0 = "my.op"(%a) <{p = 1 : i32}> {k = "v", d = #my.a<b>} : (i32) -> i32 loc("DEBUG|5|n"("f.mlir":1:2))
  %1 = my.custom %a, %0 {q = dense<1> : tensor<4xi32>} : i32 loc("DEBUG|2|n")
  %2 = call @g(%1) : (i32) -> i32 loc("DEBUG|3|m")
  return %2 : i32 loc("DEBUG|9|r")
}
func.func private @g(i32) -> i32
"""
LOG = b"".join(
    b"// -----// IR Dump %b Canonicalizer (canonicalize) ('func.func' operation: @f) //----- //\n%b\n"
    % (when, TEXT)
    for when in (b"Before", b"After")
)
SEEDS = [TEXT, LOG, (SAMPLES / "small" / "after_alias.mlir").read_bytes()[:20_000]]
PIECES = [
    *(
        b" ",
        b"\n",
        b'"',
        b"\\",
        b"(",
        b")",
        b"{",
        b"}",
        b"<",
        b">",
        b"[",
        b"]",
        b"#",
        b"%",
        b"^",
        b"@",
        b"//",
        b"\0",
    ),
    *(
        b"\x1b[31m",
        b"\xff",
        b"loc(",
        b"dense<",
        b"// -----\n",
        b"%0 = ",
        b'"a"(',
        b"99999999999999999999",
        b"-1",
    ),
]
COMMANDS = [
    ["check", "FILE", "--format", "json"],
    ["check", "FILE", "--format", "sarif"],
    ["check", "FILE", "--format", "junit"],
    ["check", "FILE"],
    ["fix", "FILE"],
    ["fix", "FILE", "--relabel", "--diff"],
    ["diff", "BASE", "FILE", "--format", "json"],
    ["diff", "FILE", "BASE"],
    ["trace", "FILE", "--format", "json"],
    ["trace", "FILE", "--order-from", "first"],
    ["history", "FILE", "%0", "--format", "json"],
    ["explain", "FILE", "%0", "--format", "json"],
    ["graph", "FILE", "--format", "svg"],
    ["normalize", "FILE", "--order"],
    ["stamp", "FILE"],
    ["repeat", "--runs", "2", "--format", "json", "--", "cat", "FILE"],
    ["bisect", "--format", "json", "--", "sh", "-c", 'cat "$0" >&2', "FILE"],
]


def mutated(text: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.randrange(len(text) + 1)
        other = rng.randrange(len(text) + 1)
        begin, end = min(place, other), max(place, other)
        piece = rng.choice(PIECES) * rng.choice((1, 1, 2, 50, 2000))
        match rng.randrange(5):
            case 0:
                text = text[:place] + piece + text[place:]
            case 1:
                text = text[:begin] + text[min(end, begin + 40) :]
            case 2:
                text = text[:place] + text[begin : min(end, begin + 200)] + text[place:]
            case 3:
                text = text[:place] + piece + text[place + len(piece) :]
            case _:
                text = text[:place]
    return text


def problem(command: list[str], file: Path, base: Path) -> str:
    """What is wrong with what a command does; empty if nothing is."""
    words = [str({"FILE": file, "BASE": base}.get(word, word)) for word in command]
    try:
        with limited(MOST_SECONDS):
            done = run(*words)
    except TooSlowError:
        return "it hangs"
    if done.returncode not in (0, 1, 2, 3) or b"this is a bug" in done.stderr or b"Traceback" in done.stderr:
        return f"exit code {done.returncode}: {done.stderr.decode()[-300:]}"
    try:
        if done.stdout and ("json" in command or "sarif" in command):
            json.loads(done.stdout)
        if done.stdout and ("junit" in command or "svg" in command):
            ElementTree.fromstring(done.stdout)
    except ValueError as error:
        return f"output that does not parse: {error}"
    except ElementTree.ParseError as error:
        return f"output that does not parse: {error}"
    return ""


def problems(number: int, folder: Path, seed: int) -> dict[str, str]:
    base, file, rng = folder / "base.mlir", folder / "mutated.mlir", random.Random(seed)
    base.write_bytes(TEXT)
    found = {}
    for attempt in range(number):
        text = mutated(rng.choice(SEEDS), rng)
        file.write_bytes(text)
        command = COMMANDS[attempt % len(COMMANDS)]
        if what := problem(command, file, base):
            (folder / f"found-{attempt}.mlir").write_bytes(text)
            found[f"{' '.join(command)} of {folder}/found-{attempt}.mlir"] = what
    return found


def test_some_mutated_inputs(tmp_path: Path) -> None:
    assert problems(60, tmp_path, seed=1) == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_mutated_inputs(seed: int, tmp_path: Path) -> None:
    assert problems(MUTATIONS // 20, tmp_path, seed=seed + 100) == {}


# ---------------------------------------------------------------- long runs


RUNS = b' "\n\\()[]{}<>#%@/-,a0:'
SIZES = 10_000, 20_000
MOST_TIMES = 2.3
START_UP = 0.05  # the seconds up to which a run is too short to be compared
RUN_COMMANDS = [
    *([name, "FILE"] for name in ("check", "fix", "normalize", "trace")),
    ["diff", "BASE", "FILE"],
    ["history", "FILE", "%0"],
]


def seconds(command: list[str], text: bytes, folder: Path) -> float:
    base, file = folder / "base.mlir", folder / "long.mlir"
    base.write_bytes(TEXT)
    file.write_bytes(text)
    started = time.process_time()
    assert problem(command, file, base) == ""
    return time.process_time() - started


def growth(place: int, character: int, command: list[str], folder: Path, sizes: tuple[int, int]) -> float:
    """How many times as long twice the length takes, the least of three; 0 if it is too short to tell."""
    short, long = (TEXT[:place] + bytes([character]) * size + TEXT[place:] for size in sizes)
    least = float("inf")
    for _ in range(3):
        if (whole := seconds(command, long, folder)) <= MOST_TIMES * START_UP:
            return 0
        least = min(least, whole / max(seconds(command, short, folder), START_UP))
        if least <= MOST_TIMES:
            break
    return least


WORST = [
    (325, " ", ["trace", "FILE"]),
    (315, " ", ["normalize", "FILE"]),
    (56, '"', ["check", "FILE"]),
    (56, '"', ["fix", "FILE"]),
]


@pytest.mark.parametrize(("place", "character", "command"), WORST)
def test_twice_the_length_takes_at_most_twice_the_time(
    place: int, character: str, command: list[str], tmp_path: Path
) -> None:
    assert growth(place, ord(character), command, tmp_path, (20_000, 40_000)) <= MOST_TIMES


@pytest.mark.parametrize("command", RUN_COMMANDS[:4])
def test_many_sections_without_an_end_take_linear_time(command: list[str], tmp_path: Path) -> None:
    assert seconds(command, b"{-#\n" * 25_000, tmp_path) < 1


def test_a_long_line_of_an_error_takes_linear_time(tmp_path: Path) -> None:
    assert seconds(["trace", "FILE"], LOG + b"]" * 200_000 + b": error: x\n", tmp_path) < 2


@pytest.mark.slow
@pytest.mark.parametrize("character", RUNS, ids=lambda character: f"{character:02x}")
def test_a_long_run_at_any_place_takes_linear_time(character: int, tmp_path: Path) -> None:
    every = range(len(TEXT) + 1)
    places = every if PLACES == "all" else random.Random(character).sample(every, int(PLACES))
    found = {
        (place, *command): growth(place, character, command, tmp_path, SIZES)
        for place in places
        for command in RUN_COMMANDS
    }
    assert {key: times for key, times in found.items() if times > MOST_TIMES} == {}
