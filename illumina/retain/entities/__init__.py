"""Which mentions are of one entity, as a pure function of the set of mentions.

`forms` reads a surface form, `blocking` finds the pairs of forms worth a look, `evidence` weighs what two forms say,
`context` what two mentions say, `decide` groups one block, and `resolver` does all of it.
"""

from illumina.retain.entities.resolver import resolve
from illumina.retain.entities.types import Entity, Evidence, Mention, Merge, Pins, Resolution

__all__ = ["Entity", "Evidence", "Mention", "Merge", "Pins", "Resolution", "resolve"]
