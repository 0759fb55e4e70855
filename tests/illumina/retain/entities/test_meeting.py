"""Whatever two names may be one meet under the keys by which a database finds them, whichever of the two asks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from illumina.retain.entities import index
from illumina.retain.entities.blocking import candidate
from illumina.retain.entities.forms import NameForm, read
from illumina.retain.entities.nodes import possible

GIVEN = (
    *("sarah", "sara", "bob", "robert", "rob", "teddy", "ted", "theodore", "fred", "frederick", "liz", "elizabeth", "lizzie"),
    *(
        "yuri",
        "iurii",
        "juri",
        "pjotr",
        "pyotr",
        "peter",
        "pierre",
        "rachel",
        "rachael",
        "olivia",
        "livia",
        "al",
        "jo",
        "s",
        "y",
    ),
)
FAMILY = (
    *(
        "chen",
        "chan",
        "hill",
        "li",
        "tschaikowski",
        "tchaikovsky",
        "ramachandran",
        "okafor",
        "andersson",
        "anderson",
        "tolstoi",
    ),
    *("papadopoulos", "müller", "mueller", "o'brien", "kubernetes", "checkout-service", "service", "zweig", "v2", "7"),
)


@st.composite
def slipped(draw: st.DrawFn, words: tuple[str, ...]) -> str:
    """A word with up to two slips."""
    word = draw(st.sampled_from(words))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        place = draw(st.integers(0, max(len(word) - 1, 0)))
        letter = draw(st.sampled_from("aeijksty"))
        word = draw(
            st.sampled_from(
                (
                    word[:place] + letter + word[place:],
                    word[:place] + letter + word[place + 1 :],
                    word[:place] + word[place + 1 :],
                    word[:place] + word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :],
                )
            )
        )
    return word


@st.composite
def pairs(draw: st.DrawFn) -> tuple[NameForm, NameForm]:
    """Two readings of names that have a good deal in common."""
    kinds = st.sampled_from((None, "person", "person", "service"))
    first, middle, last = draw(st.sampled_from(GIVEN)), draw(st.sampled_from(GIVEN)), draw(st.sampled_from(FAMILY))
    full = draw(st.sampled_from(((first, last), (first, middle, last), (first,), (last,), (first, last))))
    other = tuple(
        draw(st.one_of(st.just(word), st.just(word[:1]), st.just(word[:4]), slipped((word,)), slipped(GIVEN))) for word in full
    )
    made = [other, other, other[::-1], other[-1:], other[:1], ("".join(other),), (other[0][:1] + other[-1],)]
    return read(" ".join(full), draw(kinds)), read(" ".join(draw(st.sampled_from(made))), draw(kinds))


def meets(asking: NameForm, other: NameForm) -> bool:
    """What the query of `illumina.store.mentions.search` does."""
    wanted, found = index.search(asking), index.keys(other)
    worth: dict[int, int] = {}
    for key in wanted.keys:
        if key.digest in found:
            worth[key.slot] = max(worth.get(key.slot, 0), key.weight)
    return sum(worth.values()) >= wanted.least


@settings(max_examples=800)
@given(pairs())
def test_what_may_be_one_meets_from_either_side(pair: tuple[NameForm, NameForm]) -> None:
    one, other = pair
    if candidate(one, other) and possible(one, other) is not None:
        assert meets(one, other)
        assert meets(other, one)


def test_names_that_merely_look_alike_do_not_meet() -> None:
    """So that thousands of names of one language cost thousands of looks, not millions."""
    names = [
        read(f"{given} {family}", "person") for given in ("marina", "martin", "marion") for family in ("berger", "bergman")
    ]
    alike = [(one, other) for one in names for other in names if one != other and candidate(one, other)]
    assert len(alike) > 10
    assert not any(meets(one, other) for one, other in alike if set(one.tokens).isdisjoint(other.tokens))
    services = [read(f"the {name} service", "service") for name in ("search", "ingestion", "checkout")]
    assert candidate(services[0], services[1])
    assert not any(meets(one, other) for one in services for other in services if one != other)
