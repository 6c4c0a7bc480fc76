"""MLIR's report of execution times; the literal reports are from mlir-opt 22, shortened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read_text
from eio_audit.mlir.input.pass_times import find_timing_reports
from tests.internals import Source

LINE = "===-------------------------------------------------------------------------===\n"
TITLE = f"{LINE}                         ... Execution time report ...\n{LINE}"
TREE = f"""{TITLE}\
  Total Execution Time: 0.0318 seconds

  ----Wall Time----  ----Name----
    0.0085 ( 26.7%)  Parser
    0.0211 ( 66.4%)  'func.func' Pipeline
    0.0015 (  4.8%)    Canonicalizer
    0.0030 (  9.6%)    CSE
    0.0000 (  0.0%)      (A) DominanceInfo
    0.0001 (  0.2%)  SymbolDCE
    0.0001 (  0.2%)  Output
    0.0018 (  5.7%)  Rest
    0.0318 (100.0%)  Total
"""
THREADS = f"""{TITLE}\
  Total Execution Time: 0.0107 seconds

  ----User Time----  ----Wall Time----  ----Name----
    0.0117 (100.0%)    0.0107 (100.0%)  root
    0.0023 ( 19.5%)    0.0013 ( 12.2%)  Pipeline Collection : ['func.func']
    0.0002 (  1.9%)    0.0002 (  2.1%)  Canonicalizer
"""
LIST = f"""{TITLE}\
  Total Execution Time: 0.0106 seconds

  ----Wall Time----  ----Name----
    0.0106 (100.0%)  root
    0.0092 ( 87.0%)  'func.func' Pipeline
    0.0086 ( 81.2%)  Inliner
   -0.0080 (-75.2%)  Rest
    0.0106 (100.0%)  Total
"""
DUMP = "// -----// IR Dump After CSE (cse) //----- //\nfunc.func @f() {\n  return\n}\n\n"


def entries(text: str) -> list[tuple[object, ...]]:
    return [entry for one in find_timing_reports(Source("a.log", text.encode())) for entry in one.entries]


def test_a_tree() -> None:
    assert entries(TREE) == [
        ("Parser", 0.0085, 0, None),
        ("'func.func' Pipeline", 0.0211, 1, None),
        ("Canonicalizer", 0.0015, 1, "func.func"),
        ("CSE", 0.003, 1, "func.func"),
        ("(A) DominanceInfo", 0.0, 1, "func.func"),
        ("SymbolDCE", 0.0001, 2, None),
        ("Output", 0.0001, 3, None),
        ("Rest", 0.0018, 4, None),
        ("Total", 0.0318, 5, None),
    ]


def test_with_threads_the_wall_time_is_the_second_column() -> None:
    assert entries(THREADS) == [
        ("root", 0.0107, 0, None),
        ("Pipeline Collection : ['func.func']", 0.0013, 1, None),
        ("Canonicalizer", 0.0002, 2, None),
    ]


def test_a_list_in_which_the_rest_is_less_than_nothing() -> None:
    assert [(entry.name, entry.seconds) for entry in entries(LIST)] == [
        ("root", 0.0106),
        ("'func.func' Pipeline", 0.0092),
        ("Inliner", 0.0086),
        ("Rest", -0.008),
        ("Total", 0.0106),
    ]


def test_lines_that_end_as_on_windows() -> None:
    assert entries(TREE.replace("\n", "\r\n")) == entries(TREE)


def test_the_line_of_a_report() -> None:
    assert [one.line for one in find_timing_reports(Source("a.log", (DUMP + TREE + LIST).encode()))] == [
        7,
        22,
    ]


def test_a_report_without_wall_times() -> None:
    assert entries(TREE.replace("Wall", "User")) == []


def test_a_report_that_is_cut_off() -> None:
    assert [entry.name for entry in entries(TREE[: TREE.index("0.0030")])] == [
        "Parser",
        "'func.func' Pipeline",
        "Canonicalizer",
    ]


def test_the_title_in_a_string() -> None:
    assert entries('"t.a"() {a = "... Execution time report ..."} : () -> ()\n') == []


def test_a_report_is_no_dump() -> None:
    assert [dump.line for dump in read_text(DUMP + TREE + DUMP + LIST)] == [1, 21]


@given(st.text(alphabet="=-. \n\r()%0123456789'ABWallTimeName", max_size=200))
def test_any_text_below_the_title(text: str) -> None:
    find_timing_reports(Source("a.log", f"{TITLE}\n\n----Wall Time----  ----Name----\n{text}".encode()))


times = st.integers(0, 99_999_999).map(lambda ticks: ticks / 10_000)
names = st.from_regex(r"[A-Za-z(][\w:() ]{0,20}\w", fullmatch=True)


@given(st.lists(st.tuples(times, times, names), min_size=1))
def test_what_a_report_says_is_read(rows: list[tuple[float, float, str]]) -> None:
    head = f"{TITLE}  Total\n\n  ----User Time----  ----Wall Time----  ----Name----\n"
    body = "".join(f"  {user:8.4f} ( 10.0%)  {wall:8.4f} ( 10.0%)  {name}\n" for user, wall, name in rows)
    read = [(entry.seconds, entry.name) for entry in entries(head + body)]
    assert read == [(wall, name) for _, wall, name in rows]
