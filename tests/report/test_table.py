"""Tables of pages: their first rows."""

from eio_audit.report.document import Figures, columns_of
from eio_audit.report.html.data import Table


def test_the_rows_without_scripts_are_marked_and_sorted() -> None:
    rows = [("a", 3), ("b", 1), (None, 7), ("a", 5)]
    table = Table(
        "t", "rows", Figures(columns_of("name, ##number"), rows), "-number", None, ("name", "only named")
    )
    assert table.most == [0, 7]
    assert [[cell for cell, _ in row] for row in table.first_rows] == [["a", 5], ["a", 3], ["b", 1]]


def test_the_number_0_is_no_empty_cell() -> None:
    rows = [("a", 1), ("b", 0), ("c", None)]
    table = Table("t", "rows", Figures(columns_of("name, #number"), rows), "number")
    assert [[cell for cell, _ in row] for row in table.first_rows] == [["b", 0], ["a", 1], ["c", None]]
