from __future__ import annotations

import re

from tests.evals.cli.support import invoke


def test_doctor_names_every_provider() -> None:
    result = invoke("doctor")
    assert result.exit_code == 0
    assert re.search(r"^embedded +available", result.output, re.MULTILINE)
    assert re.search(r"^testcontainers +(not )?available", result.output, re.MULTILINE)
