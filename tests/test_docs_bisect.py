"""The page about bisect: its commands run as written, and print what it shows."""

import re
from pathlib import Path

import pytest

from tests.golden import update_block
from tests.shell import ROOT, run_script
from tests.test_docs_pages import blocks, commands, folder_for, pattern
from tests.tools import needs_mlir_opt

PAGE = "bisect.md"
SHOWN = [pair for language, block in blocks(PAGE) if not language for pair in commands(block)]
LIVE = [pair for pair in SHOWN if "mlir-opt-22" in pair[0]]
RECORDED = [pair for pair in SHOWN if pair not in LIVE]
MODELS = "\n".join(text for language, text in blocks(PAGE) if language == "sh" and text.startswith("cat "))


@pytest.mark.slow
@pytest.mark.parametrize(
    "shown", [RECORDED, pytest.param(LIVE, marks=needs_mlir_opt)], ids=["recorded", "live"]
)
def test_the_outputs_shown_are_real(shown: list[tuple[str, str]], tmp_path: Path) -> None:
    tools = folder_for(PAGE, tmp_path) / "bin"
    run_script(MODELS, tmp_path, tools, options="-e")
    assert shown
    for command, output in shown:
        printed = run_script(command, tmp_path, tools, options="-o pipefail").stdout
        update_block(ROOT / "docs" / "bisect.md", output, printed)
        assert re.fullmatch(pattern(output), printed), f"{command}\n{printed}"
