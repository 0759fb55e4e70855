"""The path of headings above a place."""

from __future__ import annotations

from illumina.retain.sections import section_at

BODY = """Before.

# Runbook #

Intro.

## Restart

```sh
# not a heading
```

Steps
-----

Underlined.

### Deep

Text.

Title
=====

| a | b |
|---|---|
- item
---
"""


def path(text: str) -> str | None:
    return section_at(BODY, BODY.index(text))


def test_headings_nest_and_code_has_none() -> None:
    assert path("Before") is None
    assert path("Intro") == "Runbook"
    assert path("# not a heading") == "Runbook > Restart"
    assert path("Underlined") == "Runbook > Steps"
    assert path("Text.") == "Runbook > Steps > Deep"
    assert path("| a |") == "Title"
    assert section_at(BODY, len(BODY)) == "Title"
    assert section_at("", 0) is None
