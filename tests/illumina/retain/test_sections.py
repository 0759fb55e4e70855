"""The path of headings above a place."""

from __future__ import annotations

from illumina.retain.sections import MAX_TITLE, Headings, section_at

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


def test_a_heading_ends_what_is_not_above_it() -> None:
    above = Headings()
    assert above.path is None
    for level, title in ((2, "a"), (1, "b"), (3, " c\n d "), (2, "x" * 1_000)):
        above.enter(level, title)
    assert above.path == f"b > {'x' * MAX_TITLE}"
    above.enter(3, " ")
    assert above.path == f"b > {'x' * MAX_TITLE}", "an empty heading names nothing"
    above.enter(1, "")
    assert above.path is None
