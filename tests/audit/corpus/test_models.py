"""Which model a file of a corpus belongs to."""

from pathlib import Path

import pytest

from eio_audit.audit.corpus.models import models_of


@pytest.mark.parametrize(
    ("path", "root", "model"),
    [
        ("corpus/resnet/3_cse.mlir", "corpus", "resnet"),
        ("corpus/resnet/run 1/3_cse.mlir", "corpus", "resnet"),
        ("corpus/resnet/passes.log", "corpus", "resnet"),
        ("corpus/resnet.log", "corpus", "resnet.log"),
        ("corpus/3_resnet.log", "corpus", "3_resnet.log"),
        ("corpus/resnet.mlir.gz", "corpus", "resnet.mlir.gz"),
        ("corpus/resnet/3_cse.mlir", "corpus/resnet", "resnet"),
        ("tree/module/func_f/3_0_cse.mlir", "tree", "module"),
        ("tree/module/func_f/3_0_cse.mlir", "tree/module", "module"),
        ("irs/ttir_net_g0_1755000000123.mlir", "irs", "irs"),
        ("corpus/resnet.log", "corpus/resnet.log", "resnet.log"),
        ("-", "-", "<stdin>"),
    ],
)
def test_the_model_of_a_file(path: str, root: str, model: str) -> None:
    assert [*models_of([(root, path)]).values()] == [model]


def test_a_folder_of_one_model_has_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resnet").mkdir()
    monkeypatch.chdir(tmp_path / "resnet")
    assert models_of([(".", "3_cse.mlir")]) == {"3_cse.mlir": "resnet"}


def test_the_models_of_one_folder_have_short_names() -> None:
    assert models_of([("corpus", "corpus/a/1_cse.mlir"), ("corpus", "corpus/b/1_cse.mlir")]) == {
        "corpus/a/1_cse.mlir": "a",
        "corpus/b/1_cse.mlir": "b",
    }


def test_models_of_one_name_in_several_folders_are_told_by_their_folders() -> None:
    found = [("old", "old/a/1_cse.mlir"), ("new", "new/a/1_cse.mlir"), ("x/b", "x/b/1_cse.mlir"), ("-", "-")]
    assert list(models_of([*found, ("y/b", "y/b/1_cse.mlir"), ("y/c.log", "y/c.log")]).values()) == [
        "old/a",
        "new/a",
        "x/b",
        "<stdin>",
        "y/b",
        "c.log",
    ]


def test_files_of_one_name_are_told_by_their_paths() -> None:
    assert models_of([(path, path) for path in ("a/1_cse.mlir", "b/1_cse.mlir")]) == {
        "a/1_cse.mlir": "a/1_cse.mlir",
        "b/1_cse.mlir": "b/1_cse.mlir",
    }
