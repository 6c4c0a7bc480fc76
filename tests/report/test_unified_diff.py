import re

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.report.text.unified_diff import unified_diff
from tests.cli.running import run

OLD = b"""a
b
c
d
e
f
g
h
i
j
k
l
"""
NEW = b"""a
c
d
b
e
f
g
h
i
j
k
"""
DIFF = b"""--- x.mlir
+++ x.mlir
@@ -1,7 +1,7 @@
 a
-b
 c
 d
+b
 e
 f
 g
@@ -9,4 +9,3 @@
 i
 j
 k
-l
"""


def applied(diff: list[bytes], old: bytes) -> bytes:
    """What ``patch`` makes of it; the hunks must be where they say and hold what is there."""
    lines = [line for line in re.split(rb"(?<=\n)", old) if line]
    new: list[bytes] = []
    done = 0
    for piece in diff[2:]:
        line = piece.removesuffix(b"\n\\ No newline at end of file\n")
        if place := re.match(rb"@@ -(\d+)(,0)?", line):
            start = int(place[1]) - (place[2] is None)
            new += lines[done:start]
            done = start
            continue
        if line[:1] in b"- ":
            assert lines[done] == line[1:]
            done += 1
        if line[:1] in b"+ ":
            new.append(line[1:])
    return b"".join(new + lines[done:])


def test_lines_that_move_and_lines_that_go() -> None:
    assert b"".join(unified_diff(OLD, NEW, "x.mlir")) == DIFF


def test_nothing_to_say() -> None:
    assert unified_diff(OLD, OLD, "x.mlir") == []


@given(
    st.lists(st.sampled_from("ab}"), max_size=30),
    st.lists(st.sampled_from("ab}"), max_size=30),
    st.booleans(),
)
def test_applied_it_gives_the_new_text(old: list[str], new: list[str], ends: bool) -> None:
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    if ends:
        before, after = before.rstrip(b"\n"), after.rstrip(b"\n")
    assert applied(unified_diff(before, after, "x"), before) == after


def test_no_newline_at_the_end() -> None:
    assert unified_diff(b"a\nb", b"b\na", "x")[2:] == [
        b"@@ -1,2 +1,2 @@\n",
        b"-a\n",
        b"-b\n\\ No newline at end of file\n",
        b"+b\n",
        b"+a\n\\ No newline at end of file\n",
    ]


def test_a_file_name_with_a_space_ends_with_a_tab_as_patch_expects() -> None:
    assert unified_diff(b"a\n", b"b\n", "a b.mlir")[0] == b"--- a b.mlir\t\n"


def test_for_people() -> None:
    late, early = (f'\t"t.a"() {{k = "\x1b"}} : () -> () loc("{index}|a") \r\n' for index in (2, 1))
    text = f"func.func @f() {{\n{late}{early}return\n}}"
    shown = run(
        "fix", "-", "--diff", "--assume-pure", "t.a", stdin=text.encode(), FORCE_COLOR="1"
    ).stdout.decode()
    assert shown.split("\n") == [
        "\x1b[1m--- <stdin>\x1b[0m",
        "\x1b[1m+++ <stdin>\x1b[0m",
        "\x1b[36m@@ -1,5 +1,5 @@\x1b[0m",
        " func.func @f() {",
        '\x1b[32m+\t"t.a"() {k = "\\x1b"} : () -> () loc("1|a") \r\x1b[0m',
        ' \t"t.a"() {k = "\\x1b"} : () -> () loc("2|a") \r',
        '\x1b[31m-\t"t.a"() {k = "\\x1b"} : () -> () loc("1|a") \r\x1b[0m',
        " return",
        " }",
        "\\ No newline at end of file",
        "",
    ]
