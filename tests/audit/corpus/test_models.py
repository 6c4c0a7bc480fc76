"""Which model a file of a corpus belongs to."""

from pathlib import Path

import pytest

from eio_audit.audit.corpus.models import model_of


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
    assert model_of(path, root) == model


def test_a_folder_of_one_model_has_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resnet").mkdir()
    monkeypatch.chdir(tmp_path / "resnet")
    assert model_of("3_cse.mlir", ".") == "resnet"
