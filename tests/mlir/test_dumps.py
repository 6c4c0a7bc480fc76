from pathlib import Path

import pytest

from eio_audit import InputError, check, read_text
from eio_audit.mlir.folders import find_files
from eio_audit.mlir.markers import Marker


def marker(line: str) -> Marker | None:
    return read_text(f"{line}\nmodule {{\n}}\n")[0].marker


def test_old_marker() -> None:
    assert marker(
        "// -----// IR Dump After TTIREraseInverseOps (ttir-erase-inverse-ops) //----- //"
    ) == Marker("ttir-erase-inverse-ops", "TTIREraseInverseOps", "after", False, None)


def test_old_marker_of_a_failed_pass_at_module_scope() -> None:
    line = "// -----// IR Dump After CSE Failed (cse) ('func.func' operation: @main) //----- //"
    assert marker(line) == Marker("cse", "CSE", "after", True, "@main", "func.func")


def test_new_marker_with_options() -> None:
    line = "// -----// IR Dump Before CanonicalizerPass: canonicalize{max-iterations=10} ('builtin.module' operation: @m) //----- //"
    assert marker(line) == Marker(
        "canonicalize", "CanonicalizerPass", "before", False, "@m", "builtin.module"
    )


def test_marker_without_argument() -> None:
    assert marker("// -----// IR Dump After MyPass //----- //") == Marker(
        "MyPass", "MyPass", "after", False, None
    )


def test_dumps_of_a_log_with_their_lines() -> None:
    text = """compiler started
// -----// IR Dump Before A (a) //----- //
module {
}

// -----// IR Dump After A (a) //----- // module {
}
"""
    dumps = read_text(text)
    assert [(d.line, d.marker.when if d.marker else None) for d in dumps] == [(2, "before"), (6, "after")]


def test_the_module_behind_the_last_dump_is_one_of_its_own() -> None:
    text = """// -----// IR Dump After A (a) //----- //
#loc1 = loc("x")
module {
  "t.a"() : () -> () loc(#loc1)
} loc(#loc)
#loc = loc(unknown)

#loc1 = loc("y")
module {
}
"""
    dumps = read_text(text)
    assert [(d.line, d.marker is None) for d in dumps] == [(1, False), (8, True)]
    assert [error for dump in dumps for error in check([dump]).errors] == []


def test_noise_behind_a_dump_is_no_dump() -> None:
    text = "// -----// IR Dump After A (a) //----- //\nmodule {\n}\n\nerror: failed to lower\n[1/2] linking\n"
    assert [d.line for d in read_text(text)] == [1]


def test_markers_of_other_compilers() -> None:
    text = """[DEBUG] MLIR Module ttir:
module {
}
END OF MLIR MODULE
loading
---- IR Dump after TracingCompiler (Tracing-based) ----
module {
}
"""
    assert [d.marker for d in read_text(text)] == [
        Marker("ttir", "ttir", None),
        Marker("TracingCompiler", "TracingCompiler", "after"),
    ]


def test_a_marker_in_a_string_is_none() -> None:
    text = '// -----// IR Dump After A (a) //----- //\nmodule {\n} loc("// -----// IR Dump After B (b) //----- //")\n'
    assert [d.marker.pass_name for d in read_text(text) if d.marker] == ["a"]


def test_split_input_files() -> None:
    dumps = read_text("module {\n}\n// -----\n\nmodule {\n}\n// -----\n")
    assert [d.line for d in dumps] == [1, 5]


def test_folders_are_read_in_natural_order(tmp_path: Path) -> None:
    for name in ("b/10_cse.mlir", "b/9_cse.mlir", "a.log.gz", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(Path(p).relative_to(tmp_path)) for p in find_files(str(tmp_path))]
    assert found == ["a.log.gz", "b/9_cse.mlir", "b/10_cse.mlir"]


def test_a_folder_without_dumps_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no .mlir"):
        find_files(str(tmp_path))


def test_bytecode_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InputError, match="MLIR bytecode: print it as text first"):
        read_text(b"ML\xefR\x0dMLIR22")
