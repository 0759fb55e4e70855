"""Where in a text a model's quotation stands."""

from __future__ import annotations

from typing import Final

_MARKS: Final = str.maketrans(dict.fromkeys("‘’‚‛ʼ′`", "'") | dict.fromkeys("“”„‟«»″", '"'))


class Quotations:
    """Finds quotations in a text, each occurrence once as long as there are unused ones.

    Args:
        text: The text.
        own: Where the part begins in which a quotation is looked for first.
    """

    def __init__(self, text: str, own: int = 0) -> None:
        self._text = text
        self._own = own
        self._plain, self._places = _normalise(text)
        self._used: set[tuple[int, int]] = set()

    def locate(self, quote: str) -> tuple[int, int] | None:
        """The span of a quotation, without surrounding white space; None if the text has none such.

        Occurrences that begin in the own part come before others; then those that agree letter for letter before those that
        agree up to white space and the style of quotation marks; then unused ones before used ones; then earlier ones.
        """
        quote = quote.strip()
        exact = [(start, start + len(quote)) for start in _occurrences(self._text, quote)]
        plain, _ = _normalise(quote)
        alike = [(self._places[at], self._places[at + len(plain) - 1] + 1) for at in _occurrences(self._plain, plain)]
        ranked = [
            (start < self._own, rank, (start, end) in self._used, start, end)
            for rank, found in enumerate((exact, alike))
            for start, end in found
        ]
        if not ranked:
            return None
        *_, start, end = min(ranked)
        self._used.add((start, end))
        return start, end


def _occurrences(text: str, part: str) -> list[int]:
    found: list[int] = []
    place = text.find(part) if part else -1
    while place >= 0:
        found.append(place)
        place = text.find(part, place + 1)
    return found


def _normalise(text: str) -> tuple[str, list[int]]:
    """The text with each run of white space as one space and one style of quotation marks; and where each character stood."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if not character.isspace():
            characters.append(character.translate(_MARKS))
            places.append(place)
        elif not characters or characters[-1] != " ":
            characters.append(" ")
            places.append(place)
    return "".join(characters), places
