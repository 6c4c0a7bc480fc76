"""A checkout that nobody trusts: what a file in it sets can only change a report, and the report says so."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.audit.test_fix import SHUFFLED
from tests.cli.running import run
from tests.cli.test_bisect import MISBEHAVING
from tests.internals import COMMANDS, RENDERERS

LOAD_AND_STORE = """func.func @f(%m: memref<4xi32>, %i: index, %a: i32) -> i32 {
  memref.store %a, %m[%i] : memref<4xi32> loc("DEBUG|1|store")
  %0 = memref.load %m[%i] : memref<4xi32> loc("DEBUG|0|load")
  return %0 : i32
}
"""
ARGUMENTS: dict[str, list[str]] = {
    **{name: ["dump.mlir"] for name in ("check", "fix", "graph", "normalize", "show", "stamp", "trace")},
    "bisect": ["--", "./mlir-opt"],
    "diff": ["dump.mlir", "dump.mlir"],
    "explain": ["dump.mlir", "%0"],
    "help": ["config"],
    "history": ["dump.mlir", "%0"],
    "reduce": ["--interesting", "cat", "dump.mlir"],
    "repeat": ["--runs", "2", "--", "cat", "dump.mlir"],
}


@pytest.fixture
def port() -> Iterator[tuple[int, list[object]]]:
    """A port at which a stranger listens, and who has connected."""
    connected: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connected.append(server.accept())
                except OSError:
                    return

        Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], connected
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "dump.mlir").write_text(SHUFFLED)
    (folder / "mlir-opt").write_text("#!/bin/sh\nexit 1\n")
    (folder / "mlir-opt").chmod(0o755)
    (tmp_path / "outside.json").write_text("secret\n")
    monkeypatch.chdir(folder)
    return folder


def test_every_command_is_tried() -> None:
    assert ARGUMENTS.keys() == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_connects_to_what_a_file_names(
    command: str, checkout: Path, port: tuple[int, list[object]]
) -> None:
    (checkout / "eio-audit.toml").write_text(f'jobs = "tcp://127.0.0.1:{port[0]}"\n')
    done = run(command, *ARGUMENTS[command])
    assert (
        b"eio-audit.toml:1:1: error: jobs: expected a number or auto; a scheduler can run code here"
        in done.stderr
    )
    assert (done.returncode, done.stdout, port[1]) == (2, b"", [])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs_with_all_that_a_file_may_set(
    command: str, checkout: Path, tmp_path: Path
) -> None:
    (checkout / "eio-audit.toml").write_text(
        'index-pattern = "(?P<index>[0-9]+)"\nfollow = ["none"]\nassume-pure = ["*"]\nmax-size = "1GB"\n'
        'fail-on = "never"\nallow-unindexed = true\nselect = ["EIO1"]\nignore = ["EIO002"]\n'
        'baseline = "baseline.json"\nsource-root = "."\njobs = 1\ntimeout = 60\nmax-runs = 3\npager = true\n'
        'verbose = true\n[ops]\n"my.*" = { effects = "pure" }\n'
    )
    before = sorted(tmp_path.rglob("*"))
    done = run(command, *ARGUMENTS[command])
    assert done.returncode == (
        2 if command in ("bisect", "check", "reduce") else 0
    )  # no dump, baseline, types
    assert b"this is a bug" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("value", ["../outside.json", "/etc/passwd", "link.json"])
@pytest.mark.parametrize("options", [[], ["--update-baseline"]])
def test_no_file_outside_is_read_or_written(
    value: str, options: list[str], checkout: Path, tmp_path: Path
) -> None:
    (checkout / "link.json").symlink_to(tmp_path / "outside.json")
    (checkout / "eio-audit.toml").write_text(f'baseline = "{value}"\n')
    done = run("check", "dump.mlir", *options)
    assert f"baseline: '{value}' leads out of the folder of this file".encode() in done.stderr
    assert b"secret" not in done.stderr
    assert (done.returncode, (tmp_path / "outside.json").read_text()) == (2, "secret\n")


def test_a_source_outside_is_not_looked_at(checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text('source-root = "/"\n')
    assert b"source-root: '/' leads out of the folder" in run("check", "dump.mlir").stderr


def test_a_configuration_that_is_a_link_is_not_shown(checkout: Path, tmp_path: Path) -> None:
    (checkout / "eio-audit.toml").symlink_to(tmp_path / "outside.json")
    done = run("check", "dump.mlir")
    assert done.stderr.endswith(
        b": error: a symbolic link to another folder is not read; --config names it\n"
    )
    assert done.returncode == 2


def test_a_pattern_that_backtracks_on_each_name_is_stopped(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "eio-audit.toml").write_text("index-pattern = '^(?P<index>(a|a)*)!$'\n")
    ops = "".join(f'  "my.op"() : () -> () loc("{"a" * 18}!{number}!")\n' for number in range(3000))
    (checkout / "many.mlir").write_text(f"func.func @f() {{\n{ops}  return\n}}\n")
    monkeypatch.setattr("eio_audit.audit.locations.index_pattern.PATTERN_SECONDS", 0.2)
    assert b"the index pattern takes too long" in run("check", "many.mlir").stderr


@pytest.mark.parametrize("value", ["nan", "inf", "1e300", "0", "-1"])
def test_a_time_limit_is_a_time(value: str, checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text(f"timeout = {value}\n")
    assert b"eio-audit.toml:1:1: error: timeout: " in run("repeat", "--", "true").stderr


def test_values_that_are_nested_too_deeply_are_an_error(checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text(f"a = {'[' * 5000}")
    assert b"eio-audit.toml:1:1: error: " in run("check", "dump.mlir").stderr


# ---------------------------------------------------------------- what changed what counts


@pytest.fixture
def configured(checkout: Path) -> Path:
    (checkout / "ci").mkdir()
    (checkout / "ci" / "eio-audit.toml").write_text(
        'fail-on = "never"\nassume-pure = ["*"]\nverbose = true\n'
    )
    return checkout


BY = "by ci/eio-audit.toml: assume-pure, fail-on"
CONFIG = ("--config", "ci/eio-audit.toml")
CASES = {
    "Verdict": ("check", "dump.mlir"),
    "Diff": ("diff", "dump.mlir", "dump.mlir"),
    "ModelTraces": ("trace", "dump.mlir"),
}


@pytest.mark.parametrize(
    ("kind", "format_"), [(kind, format_) for kind in CASES for format_ in RENDERERS[kind]]
)
def test_the_verdict_names_the_file_and_its_keys(kind: str, format_: str, configured: Path) -> None:
    command, *paths = CASES[kind]
    done = run(command, *paths, *CONFIG, "--format", format_)
    assert done.returncode == 0
    if format_ != "json":
        assert done.stdout.decode().count(BY) >= 1
        return
    assert json.loads(done.stdout)["configuration"] == {
        "file": "ci/eio-audit.toml",
        "keys": ["assume-pure", "fail-on"],
    }


def test_a_fix_names_the_file_that_lets_a_load_and_a_store_swap(configured: Path) -> None:
    (configured / "memory.mlir").write_text(LOAD_AND_STORE)
    done = run("fix", "memory.mlir", *CONFIG)
    assert done.stdout.index(b"memref.load") < done.stdout.index(b"memref.store")
    assert done.stderr.endswith(b"none remains; by ci/eio-audit.toml: assume-pure\n")


def test_a_normal_form_names_the_file_that_lets_a_load_and_a_store_swap(configured: Path) -> None:
    (configured / "memory.mlir").write_text(LOAD_AND_STORE)
    done = run("normalize", "--order", "memory.mlir", *CONFIG)
    assert done.stdout.index(b"memref.load") < done.stdout.index(b"memref.store")
    assert done.stderr == b"note: what may change places is set by ci/eio-audit.toml: assume-pure\n"


@pytest.mark.parametrize(
    "text",
    ["verbose = true\njobs = 1\ntimeout = 60\n", 'fail-on = "shuffled"\nfollow = ["frees"]\nselect = []\n'],
)
def test_a_file_that_changes_nothing_that_counts_is_not_named(text: str, checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text(text)
    assert b"eio-audit.toml" not in run("check", "dump.mlir").stdout


def test_a_key_that_the_command_line_replaces_is_not_named(configured: Path) -> None:
    done = run("check", "dump.mlir", *CONFIG, "--fail-on", "any", "--config", "assume-pure=my.*")
    assert b"eio-audit.toml" not in done.stdout


def test_rows_of_the_op_table_are_named(checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text('[ops]\n"my.*" = { effects = "pure" }\n')
    assert b"; by eio-audit.toml: ops\n" in run("check", "dump.mlir").stdout


def test_codes_that_a_file_ignores_are_not_what_a_diff_ignores(checkout: Path) -> None:
    (checkout / "eio-audit.toml").write_text('ignore = ["EIO004"]\n')
    assert run("diff", "dump.mlir", "dump.mlir").returncode == 0


# ---------------------------------------------------------------- what is not known


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_what_is_not_known_is_an_error_of_every_command(command: str, checkout: Path) -> None:
    first, *others = ARGUMENTS[command] if command != "help" else ["config"]
    for unknown in (["--config", "missing.toml"], ["--config", "folow=1"], ["--folow"]):
        words = [first, *unknown, *others] if command == "help" else [*unknown, first, *others]
        assert run(command, *words).returncode == 2
    (checkout / "eio-audit.toml").write_text("folow = 1\n")
    assert run(command, *ARGUMENTS[command]).returncode == 2


POLICY = b"""<meta http-equiv="Content-Security-Policy" content="default-src 'none';"""


@pytest.mark.parametrize("command", ["check", "diff", "trace"])
def test_a_page_may_load_nothing(command: str, checkout: Path) -> None:
    assert POLICY in run(command, *ARGUMENTS[command], "--format", "html").stdout


def test_each_page_of_a_folder_may_load_nothing(checkout: Path) -> None:
    for model in "ab":
        (checkout / "models" / model).mkdir(parents=True)
        (checkout / "models" / model / "dump.mlir").write_text(SHUFFLED)
    run("check", "models", "-o", "html:pages/")
    pages = [page.read_bytes() for page in (checkout / "pages").iterdir()]
    assert (len(pages), all(POLICY in page for page in pages)) == (3, True)
    assert POLICY in run("trace", "models", "--format", "html").stdout


def test_a_page_of_a_bisection_may_load_nothing(checkout: Path) -> None:
    assert POLICY in run("bisect", "--format", "html", "--", *MISBEHAVING, "fine").stdout
