"""A log in any other medium gets the answer of the clean log, or the medium is named. There is no third outcome."""

import gzip
import html
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import Dump, InputError, read, stream, trace
from tests.logs import dump, function, module
from tests.mlir.test_prefixes import PREFIXES, behind
from tests.programs import programs

Disguise = Callable[[str, Random], str | bytes]
BAR = "\rCompiling:  50%|#####     | 10/20 [00:00<00:00, 93.75it/s]"
IN_STRING, WEB, JSON, FILECHECK = "IR in a string", "web page", "JSON", "FileCheck"
TIMING = '[\n{"wall": {"duration":   0.0021, "percentage":  90.1}, "name": "Parser", "passes": [\n{}]}\n]\n'
DEBUG = "[greedy-rewriter:1] Processing operation : 'ttir.add'(0x5581) {\n[greedy-rewriter:1] }\n"
ACTION = (
    "[thread opt] begins (no breakpoint) Action `pass-execution` running `CSE` on Operation `m` (m {...})`\n"
)


def by_line(change: Callable[[int, str], str]) -> Disguise:
    return lambda text, _: "".join(change(*line) for line in enumerate(text.splitlines(keepends=True), 1))


def with_a_bar(bar: str) -> Disguise:
    """A progress bar before a line that holds IR or a marker."""

    def change(text: str, random: Random) -> str:
        lines = text.splitlines(keepends=True)
        place = random.choice([k for k, line in enumerate(lines) if line.strip()])
        return "".join([*lines[:place], bar + lines[place], *lines[place + 1 :]])

    return change


def between(printed: str) -> Disguise:
    """Text between two dumps, or around them."""

    def change(text: str, random: Random) -> str:
        dumps = re.split(r"(?m)^(?=// -----//)", text)
        dumps.insert(random.randint(1, len(dumps)), printed)
        return "".join(dumps)

    return change


def pretty(number: int, line: str) -> str:
    if line.startswith("//") or line.rstrip().endswith("{") or not line.strip():
        return line
    named = re.sub(r"loc\((\"[^\"]*\")\)", r"\1", line.rstrip())
    return named + (" [unknown]\n" if named == line.rstrip() else "\n")


def numbered_by_filecheck(number: int, line: str) -> str:
    note = f"check:{number}'0   ^~~~ error: no match found\n" if number % 5 == 2 else ""
    return f"{number:9}: {line.rstrip()} \n{note}"


def archived(kind: str) -> Disguise:
    def change(text: str, _: Random) -> bytes:
        file = io.BytesIO()
        if kind == "zip":
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("a.log", text)
                archive.writestr("b.log", text)
        else:
            with tarfile.open(fileobj=file, mode=f"w:{kind.partition('.')[2]}") as tar:
                member = tarfile.TarInfo("a.log")
                member.size = len(text.encode())
                tar.addfile(member, io.BytesIO(text.encode()))
        return file.getvalue()

    return change


def replaced(old: str, new: str) -> Disguise:
    return lambda text, _: re.sub(old, new, text)


DISGUISES: dict[str, tuple[Disguise, str]] = {
    **{f"prefix {prefix!r}": ((lambda text, _, p=prefix: behind(text, p)), "") for prefix in PREFIXES},  # type: ignore[misc]
    "indentation trimmed": (by_line(lambda _, line: line.lstrip(" ") or "\n"), ""),
    "two blanks less": (by_line(lambda _, line: line.removeprefix("  ")), ""),
    "tabs": (replaced("  ", "\t"), ""),
    "carriage returns": (replaced("\n", "\r\n"), ""),
    "gzip": (lambda text, _: gzip.compress(text.encode()), ""),
    "byte order mark": (lambda text, _: "\ufeff" + text, ""),
    "progress bar": (with_a_bar(BAR), "progress bar"),
    "two progress bars": (with_a_bar(BAR + BAR), "progress bar"),
    "progress bar in colours": (with_a_bar(f"\x1b[A\x1b[32m{BAR[1:]}\x1b[0m"), "progress bar"),
    "progress bar without a total": (with_a_bar("12it [00:00, 93.75it/s]"), "progress bar"),
    "a line of a progress bar": (between(BAR + "\n"), ""),
    "debug log between": (between(DEBUG), ""),
    "timing between": (between(TIMING), ""),
    "actions between": (between(ACTION), ""),
    "print-ir": (replaced(r"IR Dump After \w+ \((\w+)\)", r"IR Dump \1"), ""),
    "titles": (replaced(r"// -----// IR Dump After \w+ \((\w+)\) //----- //", r"IR after \1:"), ""),
    "titles with rules": (
        replaced(r"// -----// IR Dump After \w+ \((\w+)\) //----- //", r"After \1\n======"),
        "",
    ),
    "FileCheck": (by_line(numbered_by_filecheck), FILECHECK),
    "line numbers": (by_line(lambda number, line: f"{number:6}\t{line}"), ""),
    "pretty locations": (by_line(pretty), "--mlir-pretty-debuginfo"),
    "curly quotes": (replaced('"([^"\n]*)"', "\u201c\\1\u201d"), "curly quote"),
    "single curly quotes": (replaced('"([^"\n]*)"', "\u2018\\1\u2019"), "curly quote"),
    "non-breaking blanks": (replaced("  ", "\u00a0\u00a0"), "blank"),
    "long dashes": (replaced("--", "\u2014"), "long dash"),
    "arrows": (replaced("->", "\u2192"), "write '->'"),
    "web page": (lambda text, _: html.escape(text), WEB),
    "only its quotes": (replaced('"', "&quot;"), WEB),
    "its source": (lambda text, _: f"<!DOCTYPE html>\n<pre>{html.escape(text)}</pre>\n", WEB),
    "JSON string": (lambda text, _: json.dumps(text), IN_STRING),
    "JSON object": (lambda text, _: json.dumps({"ir": text}), IN_STRING),
    "JSON lines": (by_line(lambda _, line: json.dumps({"level": "info", "msg": line.rstrip()}) + "\n"), JSON),
    "docker": (by_line(lambda _, line: json.dumps({"log": line}, separators=(",", ":")) + "\n"), "docker"),
    "JSON list": (lambda text, _: json.dumps(text.splitlines(), indent=1), JSON),
    "Python string": (lambda text, _: repr(text), IN_STRING),
    "Python bytes": (lambda text, _: repr(text.encode()), IN_STRING),
    "UTF-16": (lambda text, _: text.encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": (lambda text, _: text.encode("utf-16-le"), "UTF-16"),
    "zip": (archived("zip"), "zip archive"),
    "tar": (archived("tar"), "tar archive"),
    "tar.gz": (archived("tar.gz"), "tar archive"),
    "zstd": (lambda text, _: b"\x28\xb5\x2f\xfd" + text.encode(), "zstd -d"),
}
"""By name, what a text becomes, and what is said of it if it is not read."""


def answer(dumps: Iterator[Dump] | list[Dump]) -> list[object]:
    """What is said of the passes of a log, or the errors."""
    result = trace(dumps)
    if result.errors:
        raise result.errors[0]
    return [
        (p.pass_name, p.function, p.changed, p.made, p.left, p.op_counts, p.figures) for p in result.passes
    ]


TEXTS = st.one_of(
    programs(),
    st.lists(st.integers(0, 5), min_size=1, max_size=4).map(lambda order: function("f", *order)),
    st.lists(st.integers(0, 5), min_size=1, max_size=4).map(lambda order: module(function("f", *order))),
)


@pytest.mark.parametrize("name", DISGUISES)
@settings(max_examples=settings().max_examples // 10)
@given(texts=st.lists(TEXTS, min_size=2, max_size=3), random=st.randoms(use_true_random=False))
def test_the_answer_is_that_of_the_clean_log_or_the_medium_is_named(
    name: str, texts: list[str], random: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clean = "".join(dump("After", f"p{k}", text) for k, text in enumerate(texts))
    change, what = DISGUISES[name]
    disguised = change(clean, random)
    path, other = (tmp_path_factory.mktemp("log") / file for file in ("a.log", "clean.log"))
    path.write_bytes(disguised if isinstance(disguised, bytes) else disguised.encode())
    other.write_text(clean)
    expected = answer(read(other))
    for way in (read, lambda path: stream(str(path))):
        try:
            found = answer(way(path))
        except InputError as error:
            assert what and what in error.message, error
        else:
            assert found == expected
