"""Forms of names as a database finds them: digests of fixed length, of which what must be equal is a part."""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.ids import content_uuid, digest
from illumina.retain.entities import meeting
from illumina.retain.entities.blocking import SIMILAR, trigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from uuid import UUID

    from illumina.retain.entities.forms import NameForm

_WORDS: Final = 2
"""Words of two full names that must agree; of a single word it is the one, which counts as much."""


class Key(NamedTuple):
    """What is looked for.

    Attributes:
        digest: The key.
        slot: Of keys with one slot only the one that is worth most counts.
        weight: What it is worth.
    """

    digest: int
    slot: int
    weight: int


class Search(NamedTuple):
    """What a form looks for.

    Attributes:
        keys: Digests, slots and weights.
        least: What the keys of another form must be worth together; some forms that are not looked for reach it too.
    """

    keys: tuple[Key, ...]
    least: int


@lru_cache(maxsize=1 << 16)
def form_id(form: NameForm) -> UUID:
    """Names what is compared of a name."""
    parts: list[str | int] = [len(form.tokens), *form.tokens, len(form.numbers), *form.numbers, *form.marks]
    return content_uuid("form", form.text, *parts, int(form.channel), int(form.person))


def keys(form: NameForm) -> frozenset[int]:
    """By which keys a form is found."""
    named = [("gram", gram) for gram in trigrams(form.text)] + [("whole", key) for key in meeting.whole(form)]
    if form.person:
        kind = "alone" if len(form.tokens) == 1 else "among"
        named += [(kind, key) for word in set(form.tokens) for key in meeting.offered(word)]
        named += [("offer", key) for key in form.offers if _handle(key)] + [("ask", key) for key in form.asks if _handle(key)]
    return frozenset(_digests(form, named))


def search(form: NameForm) -> Search:
    """What to look for: all that may be the same entity's, as `illumina.retain.entities.meeting` finds them."""
    sought = [("whole", key, 0, _WORDS) for key in meeting.whole(form)]
    if form.person:
        sought += [("offer", key, 0, _WORDS) for key in form.asks if _handle(key)]
        sought += [("ask", key, 0, _WORDS) for key in form.offers if _handle(key)]
        alone = len(form.tokens) == 1
        for slot, word in enumerate(form.tokens, start=1):
            for key in meeting.asked(word):
                sought += [("alone", key, slot, _WORDS), ("among", key, slot, _WORDS if alone else 1)]
    digests = _digests(form, ((kind, key) for kind, key, _, _ in sought))
    return Search(tuple(Key(key, slot, weight) for key, (_, _, slot, weight) in zip(digests, sought, strict=True)), _WORDS)


def like(form: NameForm) -> Search:
    """What to look for where anything written alike is wanted: at least `SIMILAR` of the form's trigrams.

    Not looked for are trigrams of a first letter alone, which very many names share: one less in common is enough for each.
    """
    grams = trigrams(form.text)
    shared = math.ceil(SIMILAR * len(grams))
    dropped = sorted(gram for gram in grams if gram.startswith("  "))[: max(shared - 2, 0)]
    wanted = grams.difference(dropped)
    digests = _digests(form, [("gram", gram) for gram in sorted(wanted)])
    return Search(tuple(Key(key, slot, 1) for slot, key in enumerate(digests)), max(shared - len(dropped), 1))


def _digests(form: NameForm, named: Iterable[tuple[str, str]]) -> Iterator[int]:
    # Other numbers, or a channel and no channel, are never one entity: so thousands of tickets do not find one another.
    same = digest("name", int(form.channel), len(form.numbers), *form.numbers)
    for kind, key in named:
        hashed = blake2b(f"{kind} {key}".encode(), digest_size=8, key=same)
        yield int.from_bytes(hashed.digest(), "big", signed=True)


def _handle(key: str) -> bool:
    return key.startswith("=")
