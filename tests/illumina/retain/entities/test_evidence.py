from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.entities.evidence import compare
from illumina.retain.entities.forms import read

WORDS = st.sampled_from(
    [
        *("Sarah", "Sara", "S", "s.", "Chen", "Chan", "Hill", "Jr", "Robert", "Bob", "checkout", "service", "v", "1", "2"),
        *("kubernetes", "kubernets", "schen", "O'Neil", "(Acme)", "Dr", "II"),
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
KINDS = st.sampled_from((None, "person", "service"))


@given(NAMES, KINDS, NAMES, KINDS)
def test_two_names_say_the_same_whichever_comes_first(name: str, kind: str | None, other: str, other_kind: str | None) -> None:
    one, two = read(name, kind), read(other, other_kind)
    there, back = compare(one, two), compare(two, one)
    assert (there.weight, there.conflict, there.partial) == (back.weight, back.conflict, back.partial)
