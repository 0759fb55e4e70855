from __future__ import annotations

import pytest

from illumina.retain.entities.forms import MARKS, handles, read, skeleton


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("Prof. Dr. Jürgen Müller", ("jurgen", "muller")),
        ("Chen, Sarah", ("sarah", "chen")),
        ("Sarah Chen, PhD", ("sarah", "chen")),
        ("William Pirrie, 1st Viscount Pirrie", ("william", "pirrie", "pirrie")),
        ("Ludwig van Beethoven", ("ludwig", "beethoven")),
        ("Van Morrison", ("van", "morrison")),
        ("Stephen King", ("stephen", "king")),
        ("Sean O’Brien's", ("sean", "obrien")),
        ("Ronald McDonald", ("ronald", "mcdonald")),
        ("J.R.R. Tolkien", ("j", "r", "r", "tolkien")),
        ("Михаил Горбачёв", ("mikhail", "gorbachev")),
        ("Jean-Luc Picard", ("jean", "luc", "picard")),
        ("@SarahOkafor", ("sarah", "okafor")),
        ("sarah.chen@acme.com", ("sarah", "chen")),
        ("j9seph", ("j9seph",)),
    ],
)
def test_what_names_a_person(name: str, tokens: tuple[str, ...]) -> None:
    form = read(name)
    assert form.person
    assert (form.tokens, form.numbers) == (tokens, ())


@pytest.mark.parametrize(
    ("name", "tokens", "numbers"),
    [
        ("Room 101", ("room",), ("101",)),
        ("v2.1.3", (), ("2", "1", "3")),
        ("release version 2", ("release",), ("2",)),
        ("CheckoutService", ("checkout", "service"), ()),
        ("The checkout_service", ("checkout", "service"), ()),
        ("C++", ("c++",), ()),
        ("UTC+1", ("utc", "+"), ("1",)),
        ("Rocky Project II", ("rocky", "project"), ("ii",)),
    ],
)
def test_what_designates_a_thing(name: str, tokens: tuple[str, ...], numbers: tuple[str, ...]) -> None:
    form = read(name)
    assert not form.person
    assert (form.tokens, form.numbers) == (tokens, numbers)


def test_what_tells_namesakes_apart() -> None:
    def marks(name: str) -> dict[str, str]:
        return {mark: value for mark, value in zip(MARKS, read(name).marks, strict=True) if value}

    assert marks("Martin Luther King Jr.") == {"generation": "2"}
    assert marks("Henry VIII") == {"generation": "8"}
    assert marks("George Canning, 2nd Baron Garvagh") == {"ordinal": "2"}
    assert marks("Sarah Chen (Acme)") == {"qualifier": "acme"}
    assert marks("Sarah Chen (she/her)") == {}
    assert marks("sarah@acme.com") == {"address": "sarah@acme.com"}
    assert marks("bo8rne") == {"digits": "8"}


def test_a_known_kind_decides_how_a_name_is_read() -> None:
    assert read("Room Service", "person").person
    assert not read("Sarah Chen", "service").person


def test_handles_and_sounds() -> None:
    assert handles(("sarah", "chen"))["schen"] == "initial and family name"
    assert skeleton("tschaikowski") == skeleton("tchaikovsky") != skeleton("tchekhov")
