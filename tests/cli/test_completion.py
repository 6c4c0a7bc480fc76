"""What a shell gets when somebody presses the tab key."""

import click
import pytest

from tests.cli.running import SAMPLES, run
from tests.internals import COMMANDS, cli

LOG = SAMPLES / "small" / "all_passes_alias.log"


def completed(line: str) -> list[str]:
    words = line.split(" ")
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return run(_EIO_AUDIT_COMPLETE="bash_complete", **environment).stdout.decode().split()


def test_commands() -> None:
    assert completed("eio-audit che") == ["plain,check"]
    assert completed("eio-audit ") == [f"plain,{name}" for name in COMMANDS]


def test_options_and_their_values() -> None:
    assert completed("eio-audit fix --rel") == ["plain,--relabel"]
    assert completed("eio-audit check --fail-on o") == ["plain,out-of-place"]


def test_passes_of_the_log_on_the_command_line() -> None:
    assert completed(f"eio-audit check {LOG} --pass ttir-e") == [
        "plain,ttir-explicate-tms",
        "plain,ttir-erase-inverse-ops",
    ]
    assert completed(f"eio-audit trace {LOG} --pass ttir-er") == ["plain,ttir-erase-inverse-ops"]
    assert completed(f"eio-audit show {LOG} --pass ttir-er") == ["plain,ttir-erase-inverse-ops"]
    assert completed(f"eio-audit check missing.log {SAMPLES}/README.md --pass ttir-e") == []


def test_rules_and_words() -> None:
    assert completed("eio-audit help eio00") == [f"plain,EIO00{k}" for k in range(1, 8)]
    assert completed("eio-audit help kno") == ["plain,knock-on"]
    assert completed("eio-audit help che") == ["plain,check"]
    assert completed("eio-audit help conf") == ["plain,config"]


def test_the_shell_itself_completes_files() -> None:
    assert completed("eio-audit fix aft") == ["file,aft"]


@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_means_a_file_is_completed(command: str) -> None:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    named = ("path", "paths", "before", "after", "output", "order_from", "config")
    context = click.Context(found)
    offered = {p.name: p.shell_complete(context, "") for p in found.params if p.name in named}
    assert [name for name, items in offered.items() if [item.type for item in items] != ["file"]] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_to_source(shell: str) -> None:
    result = run(_EIO_AUDIT_COMPLETE=f"{shell}_source")
    assert result.returncode == 0
    assert f"_EIO_AUDIT_COMPLETE={shell}_complete".encode() in result.stdout
