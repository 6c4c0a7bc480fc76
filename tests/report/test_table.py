"""Tables of pages: rows that are made as they are asked for, and their data."""

from tests.internals import MadeRows, Table, columns_of

NAMES = ["a", "b", None, "a"]
NUMBERS = [3, 1, 7, 5]
ROWS = list(zip(NAMES, NUMBERS, strict=True))
MADE = MadeRows(4, [NAMES.__getitem__, NUMBERS.__getitem__])


def table_of(rows: object) -> Table:
    return Table("t", "rows", columns_of("name, ##number"), rows, "-number", ("name", "only named"))


def test_made_rows_are_a_sequence() -> None:
    assert [*MADE] == [list(row) for row in ROWS]
    assert MADE[-1] == ["a", 5]
    assert MADE[1:3] == [["b", 1], [None, 7]]


def test_a_table_of_made_rows_is_the_same() -> None:
    stored, made = table_of(ROWS), table_of(MADE)
    assert made.most == stored.most == [0, 7]
    assert [[cell for cell, _ in row] for row in made.first_rows] == [["a", 5], ["a", 3], ["b", 1]]
    assert made.first_rows == stored.first_rows
    assert made.data() == stored.data()
