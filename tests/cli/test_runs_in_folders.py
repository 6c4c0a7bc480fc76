"""Folders that two runs of a compiler wrote, and folders of XLA."""

from pathlib import Path

import pytest

from tests.cli.running import run

MODULE = 'module @m {{\n  "t.a"() {{k = {}}} : () -> ()\n}}\n'


def folder(path: Path, **files: int) -> Path:
    path.mkdir()
    for name, number in files.items():
        (path / f"{name}.mlir").write_text(MODULE.format(number))
    return path


@pytest.mark.parametrize("ids", [("", ""), ("_runf20d", "_runb877")])
@pytest.mark.parametrize("graphs", [("_phi{}_g1", "_phi{}_g2"), ("", "")])
def test_stages_are_paired_whatever_the_time_and_the_id_of_the_run(
    tmp_path: Path, ids: tuple[str, str], graphs: tuple[str, str]
) -> None:
    first, second = (
        folder(
            tmp_path / f"run{k}",
            **{
                f"{stage}{graph.format(ids[k])}_{1777423101000 + 1000 * (2 * g + s) + k}": g + s * (1 + k * g)
                for g, graph in enumerate(graphs)
                for s, stage in enumerate(("ttir", "ttnn"))
            },
        )
        for k in (0, 1)
    )
    done = run("diff", first, second)
    assert done.returncode == 1
    head = done.stdout.decode().splitlines()[:2]
    assert head[0] == "1 of 4 dumps in both runs differ"
    assert "ttnn" in head[1] and graphs[1].format(ids[0]) in head[1]


def test_the_caches_of_two_runs_of_triton_pair_whatever_the_hash(tmp_path: Path) -> None:
    for run_name, letter in (("a", "Q"), ("b", "Z")):
        cache = tmp_path / run_name / (letter * 52)
        cache.mkdir(parents=True)
        for stage in ("ttir", "ttgir"):
            (cache / f"k.{stage}").write_text("func.func @k() {\n  return\n}\n")
    assert run("diff", tmp_path / "a", tmp_path / "b").stdout == b"identical: 2 dumps\n"


def test_to_compare_nothing_is_an_error(tmp_path: Path) -> None:
    first, second = (
        folder(tmp_path / "a", x=1, y=1),
        folder(tmp_path / "b", ttir_1777423101000=1, ttnn_1777423102000=1),
    )
    done = run("diff", first, second)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"error: no pass or stage is in both runs: a dump (" in done.stderr


def test_the_stages_of_xla_are_in_the_order_of_time(tmp_path: Path) -> None:
    stages = ("pre-optimization", "post-optimization", "post-lowering")
    path = folder(
        tmp_path / "dumps",
        **{f"module_9.{k}-{stage}": k + n for k in (1, 2) for n, stage in enumerate(stages)},
    )
    done = run("trace", path, "--format", "json")
    assert done.returncode == 0
    for k in (1, 2):
        names = [done.stdout.index(f"module_9.{k}-{stage}.mlir".encode()) for stage in stages]
        assert names == sorted(names)
    (path / "module_9.2-post-lowering.mlir").unlink()
    one = run("trace", path)
    assert [
        line.split()[0] for line in one.stdout.decode().splitlines() if line.startswith("  module_9")
    ] == [
        "module_9.1",
        "module_9.2",
    ]
