import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from eio_audit import InputError, Marker
from eio_audit.mlir.input.folders import file_marker, find_files
from tests.internals import find_dump_files


def order(folder: Path, *names: str) -> list[str]:
    """The names as they are read when files of these names stand in the folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("module {\n}\n")
    return [str(Path(p).relative_to(folder)) for p in find_files(str(folder))]


def programs(folder: Path, *names: str) -> list[str]:
    order(folder, *names)
    return [file.program for file in find_dump_files(str(folder))]


def test_natural_order(tmp_path: Path) -> None:
    assert order(tmp_path, "b/10_cse.mlir", "b/9_cse.mlir", "a.log", "notes.md") == [
        "a.log",
        "b/9_cse.mlir",
        "b/10_cse.mlir",
    ]


def test_a_digit_that_is_no_number_in_a_name_is_text(tmp_path: Path) -> None:
    assert order(tmp_path, "2.mlir", "²1.mlir") == ["2.mlir", "²1.mlir"]


def test_dumps_of_nested_ops_stand_between_those_of_the_op_around_them(tmp_path: Path) -> None:
    in_order = [
        "builtin_module_m/0_inline.mlir",
        "builtin_module_m/func_func_f/0_0_cse.mlir",
        "builtin_module_m/func_func_f/0_1_cse.mlir",
        "builtin_module_m/func_func_g/0_0_cse.mlir",
        "builtin_module_m/1_inline.mlir",
        "builtin_module_m/func_func_f/1_2_cse.mlir",
        "builtin_module_m/func_func_f/1_10_cse.mlir",
        "builtin_module_m/2_symbol-dce.mlir",
    ]
    assert order(tmp_path, *sorted(in_order)) == in_order


def test_the_folder_of_an_inner_op_alone(tmp_path: Path) -> None:
    in_order = ["0_inline.mlir", "func_func_f/0_0_cse.mlir", "1_inline.mlir", "func_func_f/1_1_cse.mlir"]
    assert order(tmp_path, *sorted(in_order)) == in_order


def test_stages_stand_in_order_of_time_then_of_lowering(tmp_path: Path) -> None:
    in_order = [
        "irs/vhlo_1755000000100.mlir",
        "irs/shlo_1755000000100.mlir",
        "irs/shlo_compiler_1755000000101.mlir",
        "irs/ttir_1755000000200.mlir",
        "irs/ttnn_1755000000300.mlir",
    ]
    assert order(tmp_path, *sorted(in_order)) == in_order


def test_a_tree_is_one_program(tmp_path: Path) -> None:
    names = ["builtin_module_m/0_a.mlir", "builtin_module_m/func_func_f/0_0_b.mlir"]
    assert programs(tmp_path, *names) == ["builtin_module_m", "builtin_module_m"]


def test_numbered_folders_and_logs_are_programs_of_their_own(tmp_path: Path) -> None:
    names = ["m/p1/0_initial.mlir", "m/p1/1_CSE.mlir", "m/p2/0_initial.mlir", "m/passes.log"]
    assert programs(tmp_path, *names) == ["m/p1", "m/p1", "m/p2", "m/passes.log"]


def test_graphs_are_told_by_name_or_by_a_stage_that_comes_again(tmp_path: Path) -> None:
    times = iter(range(1755000000000, 1755000000100))
    named = [f"{stage}_net_g{g}_{next(times)}.mlir" for g in (0, 1) for stage in ("ttir", "ttnn")]
    plain = [f"{stage}_{next(times)}.mlir" for _ in (0, 1) for stage in ("ttir", "ttnn")]
    assert (
        programs(tmp_path, *named, *plain)
        == ["net_g0"] * 2 + ["net_g1"] * 2 + ["graph 0"] * 2 + ["graph 1"] * 2
    )


def test_graphs_of_several_folders_are_programs_of_their_own(tmp_path: Path) -> None:
    names = ["a/ttir_net_g0_1755000000000.mlir", "b/ttir_net_g0_1755000000001.mlir"]
    assert programs(tmp_path, *names) == ["a/net_g0", "b/net_g0"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tree/3_symbol-dce.mlir", "symbol-dce"),
        ("tree/1_14_cse.mlir.gz", "cse"),
        ("irs/shlo_compiler_cleaned_resnet_g2_1755000000123.mlir", "shlo_compiler_cleaned"),
        ("irs/ttnn_1755000000123.mlir", "ttnn"),
        ("after.mlir", None),
        ("notes.md", None),
    ],
)
def test_names_tell_the_pass(name: str, expected: str | None) -> None:
    marker = None if expected is None else Marker(expected, expected, None)
    assert file_marker(name) == marker


def test_a_folder_of_a_folder_that_cannot_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "a.mlir").write_text("module {}")
    scan = os.scandir

    def refuse(path: str) -> Iterator[os.DirEntry[str]]:
        if Path(path) == inner:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match=re.escape(f"{inner}: error: cannot read: Permission denied")):
        find_dump_files(str(tmp_path))


def test_the_stages_of_a_kernel_in_the_cache_of_triton(tmp_path: Path) -> None:
    others = tmp_path / "AB" / "k.llir", tmp_path / "AB" / "k.json", tmp_path / "net.source"
    (tmp_path / "AB").mkdir()
    for other in others:
        other.write_text("define void @f() {\n}\n")
    stages = ["AB/k.source", "AB/k.ttir", "AB/k.ttgir"]
    assert order(tmp_path, *stages[::-1]) == stages
    assert programs(tmp_path) == ["AB/k"] * 3
    skipped = list[str]()
    find_files(str(tmp_path), skipped.append)
    assert skipped == [str(tmp_path / "AB" / "k.json"), str(tmp_path / "AB" / "k.llir")]
    assert (marker := file_marker(stages[2])) is not None and marker.pass_name == "ttgir"


def test_a_folder_without_dumps_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no .mlir, .log, .txt, .source, .ttir, .ttgir file in this folder"):
        find_files(str(tmp_path))
    (tmp_path / "CMakeLists.txt").write_text("project(x)\n")
    with pytest.raises(InputError, match="no .mlir file in this folder, and no other with IR in it"):
        find_files(str(tmp_path))


def test_files_without_ir_are_told_of(tmp_path: Path) -> None:
    for name in ("b.txt", "a/empty.log", "empty.mlir", "dump.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("module {\n}\n" if name == "dump.txt" else "")
    skipped: list[str] = []
    files = find_files(str(tmp_path), skipped.append)
    assert [Path(file).name for file in files] == ["dump.txt", "empty.mlir"]
    assert skipped == [str(tmp_path / "a" / "empty.log"), str(tmp_path / "b.txt")]


def test_a_file_that_is_named_is_a_dump_whatever_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "CMakeLists.txt"
    path.write_text("project(x)\n")
    assert find_files(str(path)) == [str(path)]


def test_states_stand_in_order_of_time_where_their_program_would(tmp_path: Path) -> None:
    in_order = [
        "m.mlir",
        "n.mlir.txt",
        "n-before-cse.mlir.txt",
        "n-after-cse.mlir.txt",
        "n2/before.mlir",
        "n2/after.mlir",
        "o.mlir",
    ]
    assert order(tmp_path, *sorted(in_order)) == in_order
    assert programs(tmp_path) == ["m.mlir", "n", "n", "n", "n2/", "n2/", "o.mlir"]


def test_numbers_tell_more_than_the_words_before_and_after(tmp_path: Path) -> None:
    in_order = ["1_before_x.mlir", "2_after_x.mlir", "3_before_y.mlir", "4_after_y.mlir"]
    assert order(tmp_path, *in_order) == in_order
    assert programs(tmp_path) == [""] * 4


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("b-after-x.log", "b-before-x.log"), ["b", "b"]),
        (("after.log", "before.log"), ["after.log", "before.log"]),
    ],
)
def test_a_log_is_a_state_only_if_its_name_has_a_pass(
    tmp_path: Path, names: tuple[str, ...], expected: list[str]
) -> None:
    assert programs(tmp_path, *names) == expected


def test_files_that_may_be_one_state_are_read_all_the_same_where_no_history_is_asked_for(
    tmp_path: Path,
) -> None:
    names = ["a-before-x.mlir", "a_before_x.mlir", "a-after-x.mlir"]
    assert sorted(order(tmp_path, *names)) == sorted(names)
    with pytest.raises(
        InputError, match="files with names of the same state: a-before-x.mlir, a_before_x.mlir; name"
    ):
        find_dump_files(str(tmp_path))


def test_programs_of_other_folders_are_others(tmp_path: Path) -> None:
    names = ("a-before.mlir", "a-after.mlir", "a/before.mlir", "a/after.mlir")
    assert sorted(programs(tmp_path, *names)) == ["a", "a", "a/", "a/"]


def markers(folder: Path, *names: str) -> list[Marker | None]:
    order(folder, *names)
    return [file.marker for file in find_dump_files(str(folder))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0_cse_before.mlir", "0_cse_after.mlir"),
        ("0_before_cse.mlir", "0_after_cse.mlir"),
        ("000-cse-Before.mlir", "000-cse-After.mlir"),
        ("0_loop_before_fusion.mlir", "0_loop_after_fusion.mlir"),
    ],
)
def test_with_one_number_before_comes_before_after(tmp_path: Path, before: str, after: str) -> None:
    assert order(tmp_path, after, before) == [before, after]


def test_pairs_with_one_number_are_markers_of_their_pass(tmp_path: Path) -> None:
    assert markers(tmp_path, "0_cse_after.mlir", "0_cse_before.mlir") == [
        Marker("cse", "cse", "before"),
        Marker("cse", "cse", "after"),
    ]


def test_a_before_without_an_after_is_a_word_of_the_name(tmp_path: Path) -> None:
    assert markers(tmp_path, "0_fuse_before_tiling.mlir", "1_fuse_after_tiling.mlir") == [None, None]


def test_a_pass_with_failed_in_the_name_of_its_file_has_failed(tmp_path: Path) -> None:
    assert markers(tmp_path, "3_cse_FAILED.mlir", "3_cse_before.mlir") == [
        Marker("cse", "cse", "before"),
        Marker("cse", "cse", "after", failed=True),
    ]
    assert file_marker("3_cse_FAILED.mlir") == Marker("cse", "cse", None, failed=True)


@pytest.mark.parametrize(
    "in_order",
    [
        ["tt.mlir", "ttshared.mlir", "ll.mlir"],
        ["ttir.mlir", "ttgir.mlir", "llir.mlir"],
        ["shlo.mlir", "ttir.mlir", "ttnn.mlir"],
        ["net-vhlo.mlir", "net-ttnn.mlir"],
    ],
)
def test_files_named_after_stages_are_in_the_order_of_the_compiler(
    tmp_path: Path, in_order: list[str]
) -> None:
    assert order(tmp_path, *in_order) == in_order
    assert all(file.is_in_order for file in find_dump_files(str(tmp_path)))


def test_stages_beside_another_file_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    assert order(tmp_path, "tt.mlir", "ll.mlir", "net.mlir") == ["ll.mlir", "net.mlir", "tt.mlir"]
    assert not any(file.is_in_order for file in find_dump_files(str(tmp_path)))


@pytest.mark.parametrize(
    ("name", "program", "pass_name", "when"),
    [
        ("m.jit_f.pass_03.after.CSE.mlir", "m.jit_f", "CSE", "after"),
        ("m.jit_f.mlir.pass_3.before.CSE.mlir", "m.jit_f.mlir", "CSE", "before"),
        ("pass-3-After-cse.mlir", "", "cse", "after"),
        ("3_after_cse.mlir", "", "cse", "after"),
        ("0003.after.my-pass.mlir.gz", "", "my-pass", "after"),
    ],
)
def test_a_name_with_the_number_of_a_pass_tells_when(
    name: str, program: str, pass_name: str, when: str, tmp_path: Path
) -> None:
    marker = Marker(pass_name, pass_name, when)
    assert file_marker(name) == marker
    order(tmp_path, name)
    [file] = find_dump_files(str(tmp_path))
    assert (file.program, file.marker) == (program, marker)


def test_passes_of_several_programs_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    in_order = [f"{m}.pass_{k}.after.{p}.mlir" for m in "ab" for k, p in ((2, "z"), (9, "y"), (10, "x"))]
    assert order(tmp_path, *sorted(in_order)) == in_order


@pytest.mark.parametrize("name", ["resnet_50_before_fusion.mlir", "bypass.mlir", "pass_3.mlir", "after.mlir"])
def test_other_numbers_are_no_numbers_of_passes(name: str) -> None:
    assert (marker := file_marker(name)) is None or marker.when is None


def test_pairs_of_one_program_that_was_printed_in_two_ways_name_no_passes(tmp_path: Path) -> None:
    for form, location in (("alias", "#loc1"), ("inline", '"2|x"')):
        for moment, ops in (("before", ("a", "b")), ("after", ("b", "a"))):
            lines = [f'  "my.{op}"() : () -> () loc({location})' for op in ops]
            text = "\n".join(["module {", *lines, "}", '#loc1 = loc("2|x")\n'])
            (tmp_path / f"{moment}_{form}.mlir").write_text(text)
    files = find_dump_files(str(tmp_path))
    assert [(file.program, file.state and file.state.pass_name) for file in files] == [
        ("alias", ""),
        ("alias", ""),
        ("inline", ""),
        ("inline", ""),
    ]
