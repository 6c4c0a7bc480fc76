"""What the commands do with frees, on a final dump that has 21."""

import json

from tests.cli.running import SAMPLES, run

SMALL = SAMPLES / "ttnn" / "small.mlir"


def test_a_check_as_json_counts_them_and_their_inversions() -> None:
    document = json.loads(run("check", SMALL, "--follow", "none", "--format", "json").stdout)
    assert [document["summary"][key] for key in ("frees", "at_frees")] == [21, 96]


def test_a_plain_fix_leaves_the_dump_as_it_is() -> None:
    plain = run("fix", SMALL)
    assert plain.stdout == SMALL.read_bytes()
    assert b": nothing to move: unchanged; 24 inversions remain: --relabel " in plain.stderr


def test_a_plain_fix_leaves_frees_where_they_are_if_nothing_is_avoidable() -> None:
    away = run("fix", SMALL, "--follow", "none").stdout
    for options in ((), ("--follow", "frees")):
        assert run("fix", "-", *options, stdin=away).stdout == away


def test_an_explanation_as_json_names_the_last_use() -> None:
    [op] = json.loads(run("explain", SMALL, "35", "--format", "json").stdout)["ops"]
    assert (op["follows"], op["last_use"]["op"], op["last_use"]["line"]) == ("frees", "ttnn.permute", 34)
