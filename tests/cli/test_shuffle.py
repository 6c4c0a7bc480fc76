from tests.cli.running import SAMPLES, run


def test_stamp_shuffle_fix_brings_back_the_file() -> None:
    stamped = run("stamp", SAMPLES / "resnet" / "before_alias.mlir").stdout
    shuffled = run("shuffle", "-", "--seed", "7", stdin=stamped).stdout
    assert shuffled != stamped
    assert run("check", "-", stdin=shuffled).returncode == 1
    assert run("fix", "-", stdin=shuffled).stdout == stamped


def test_a_seed_is_asked_for() -> None:
    result = run("shuffle", "-", stdin=b"%0 = ttir.a\n")
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"--seed" in result.stderr


def test_no_ir_is_an_error() -> None:
    result = run("shuffle", "-", "--seed", "1", stdin=b"\n")
    assert (result.returncode, result.stderr) == (
        2,
        b"<stdin>: error: nothing to shuffle: the input is empty\n",
    )
