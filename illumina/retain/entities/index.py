"""Forms of names as a database finds them: digests of fixed length, of which what must be equal is a part."""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.ids import content_uuid, digest
from illumina.retain.entities.blocking import SIMILAR, trigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from uuid import UUID

    from illumina.retain.entities.forms import NameForm

_ENOUGH: Final = 1_000_000
"""Weight of a key that makes two forms candidates by itself: more than all trigrams of a name together, which count as one."""


class Search(NamedTuple):
    """What a form looks for.

    Attributes:
        keys: Digests and their weights.
        least: What the keys of another form must be worth together; some forms that are no candidates reach it too.
    """

    keys: tuple[tuple[int, int], ...]
    least: int


@lru_cache(maxsize=1 << 16)
def form_id(form: NameForm) -> UUID:
    """Names what is compared of a name."""
    parts: list[str | int] = [len(form.tokens), *form.tokens, len(form.numbers), *form.numbers, *form.marks]
    return content_uuid("form", form.text, *parts, int(form.channel), int(form.person))


def keys(form: NameForm) -> frozenset[int]:
    """By which keys a form is found."""
    named = [("gram", gram) for gram in trigrams(form.text)]
    named += [("offer", key) for key in form.offers] + [("ask", key) for key in form.asks]
    return frozenset(_digests(form, named))


def search(form: NameForm) -> Search:
    """What to look for: at least `SIMILAR` of the form's trigrams, or a key that it asks for or is asked for.

    Not looked for are trigrams of a first letter alone, which very many names share: one less in common is enough for each.
    """
    grams = trigrams(form.text)
    shared = math.ceil(SIMILAR * len(grams))
    dropped = sorted(gram for gram in grams if gram.startswith("  "))[: max(shared - 2, 0)]
    wanted = [(key, 1) for key in _digests(form, [("gram", gram) for gram in grams.difference(dropped)])]
    single = [("offer", key) for key in form.asks] + [("ask", key) for key in form.offers]
    wanted += [(key, _ENOUGH) for key in _digests(form, single)]
    return Search(tuple(wanted), max(shared - len(dropped), 1))


def _digests(form: NameForm, named: Iterable[tuple[str, str]]) -> Iterator[int]:
    # Other numbers, or a channel and no channel, are never one entity: so thousands of tickets do not find one another.
    same = digest("name", int(form.channel), len(form.numbers), *form.numbers)
    for kind, key in named:
        hashed = blake2b(f"{kind} {key}".encode(), digest_size=8, key=same)
        yield int.from_bytes(hashed.digest(), "big", signed=True)
