"""Counts in sentences."""

from __future__ import annotations

import re


def counted(count: int, plural: str) -> str:
    """A count and what is counted: `1 query`, `2 queries`.

    Args:
        count: How many there are.
        plural: The regular plural of what they are, such as `queries`, alone or before other words.
    """
    if count != 1:
        return f"{count:,} {plural}"
    return "1 " + re.sub(r"^([a-z]+?)(ies|s)(?![a-z])", lambda match: match[1] + ("y" if match[2] == "ies" else ""), plural)
