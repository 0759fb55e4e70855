"""Surface forms, read: what is compared of a name, and by which keys it is found."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from illumina.retain.entities import nicknames
from illumina.retain.entities.words import (
    BEHIND,
    GENERATIONS,
    GENERIC,
    INNER_PARTICLES,
    NAMES_TOO,
    PARTICLES,
    PRONOUNS,
    RANKS,
    TITLES,
    VERSION_WORDS,
    WITHIN,
)

MAX_LENGTH: Final = 400
"""Characters of a name that are read; what is longer is no name, and only equal ones are one."""

# Cyrillic and Greek letter by letter, the way English writes them, and Latin letters that have no decomposition.
_LETTERS: Final = str.maketrans(
    dict(
        zip(
            "абвгдезийклмнопрстуфыэіґєαβγδεζηικλμνξοπρστυφω",
            "a b v g d e z i i k l m n o p r s t u f y e i g e a v g d e z i i k l m n x o p r s t y f o".split(),  # noqa: SIM905
            strict=True,
        )
    )
    | {"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya", "ё": "e"}
    | {"ї": "yi", "ў": "u", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "ђ": "dj", "џ": "dz", "θ": "th", "χ": "ch", "ψ": "ps"}
    | {"ς": "s", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ß": "ss"}
)
_APOSTROPHES: Final = regex.compile(r"['’][sS]\b|(?<=\p{L})['’ʼ`´](?=\p{L})|['’](?!\p{L})")
_MARKS: Final = regex.compile(r"(?<=[\p{Latin}\p{Cyrillic}\p{Greek}])\p{M}++")
# SarahOkafor and HTTPServer, but neither McDonald nor PhD.
_HUMP: Final = regex.compile(r"(?<=\p{Ll}{3})(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})")
_QUALIFIER: Final = regex.compile(r"[(\[]([^()\[\]]*+)[)\]]")
_ADDRESS: Final = regex.compile(r"[\p{L}\p{N}._%+\-]++@(?:[\p{L}\p{N}\-]++\.)++\p{L}{2,}+")
# Signs that tell things apart stay: C++, C#, UTC+1, $5, an emoji. A minus before a number is taken for a hyphen.
_TOKEN: Final = regex.compile(
    r"[\p{L}\p{M}]++(?:[+#](?![\p{L}\p{N}]))*+|\p{N}++|\+(?=\p{N})|[\p{Sc}\p{So}\p{Sm}--[+|~^<>=]]", regex.V1
)
_MIXED: Final = regex.compile(r"\p{L}{2,}+\p{N}\p{L}{2,}|\p{L}\p{N}\p{L}{3,}|\p{L}{3,}+\p{N}\p{L}")
_CHUNK: Final = regex.compile(r"[^\s.,;:/_\-‐‑–—|\\]+")
_ORDINAL: Final = regex.compile(r"\p{N}+(?:st|nd|rd|th)")
_SYMBOLS: Final = regex.compile(r"[/_&+#\\:=<>|]|\p{S}")


MARKS: Final = ("generation", "ordinal", "qualifier", "address", "digits")
"""`1` for Sr, `2` for Jr or II, …; of "2nd Duke" the number; what stood in brackets; an e-mail address; digits within words."""


@dataclass(frozen=True, slots=True)
class NameForm:
    """A surface form as it is compared.

    Attributes:
        text: All its words, folded and joined by blanks: what trigrams are taken of.
        tokens: What names: without titles, particles, generations and numbers, family name last.
        numbers: Its numbers, in order.
        marks: What tells namesakes apart, in the order of `MARKS`; empty where the form has none.
        channel: Whether it begins with `#`.
        person: Whether it is compared as a person's name is; otherwise as a designation, of which close ones are others.
        offers: Keys by which others find it.
        asks: Keys for which it looks; two forms are candidates if one asks for what the other offers.
    """

    text: str
    tokens: tuple[str, ...]
    numbers: tuple[str, ...]
    marks: tuple[str, ...]
    channel: bool
    person: bool
    offers: frozenset[str]
    asks: frozenset[str]

    def __hash__(self) -> int:
        return hash((self.text, self.tokens))  # tells nearly all forms apart, at a fraction of the cost of all fields

    @property
    def fullness(self) -> int:
        """How many words it has that are more than an initial."""
        return sum(len(token) > 1 for token in self.tokens)

    @property
    def joined(self) -> str:
        """The tokens without what separates them."""
        return "".join(self.tokens)


def fold(text: str) -> str:
    """Compatibility forms, letters of other alphabets and accents unified, case off."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if text.isascii():
        return text
    text = text.translate(_LETTERS)
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text)).translate(_LETTERS)
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=1 << 16)
def read(name: str, kind: str | None = None) -> NameForm:
    """Read a surface form; any text is one.

    Args:
        name: As it was written.
        kind: The entity's type, if known: `person` is read as a person's name whatever its words are, another one never.
    """
    raw = unicodedata.normalize("NFKC", name[:MAX_LENGTH]).strip()
    address = raw.casefold() if _ADDRESS.fullmatch(raw) else ""
    if address:
        raw = raw.partition("@")[0]
    channel = raw.startswith("#") and len(raw) > 1
    qualifiers = [fold(match.group(1)).strip() for match in _QUALIFIER.finditer(raw)]
    bare = _QUALIFIER.sub(" ", raw).strip()
    qualifier = (
        " ".join(" ".join(q.split()) for q in qualifiers if not PRONOUNS.issuperset(regex.split(r"[\s/,]+", q))) if bare else ""
    )
    raw = bare or raw
    words = _tokens(_reordered(raw))
    designated = _is_designation(raw, words, kind)
    text = " ".join(word for word, _ in words) or fold(raw)
    ordinal = generation = ""
    if designated:
        tokens, numbers = _of_designation(words)
    else:
        tokens, numbers, generation, ordinal = _of_person([word for word, _ in words])
    if not tokens and not numbers:
        # Beyond MAX_LENGTH and of signs alone: one if equal.
        tokens = (fold(name).strip() or name,)
        designated = True
    if len(name) > MAX_LENGTH:
        tokens, designated = (fold(name),), True
    offers, asks = (frozenset(), frozenset()) if designated else _keys(tokens)
    digits = "".join(letter for token in tokens for letter in token if letter.isnumeric())
    marks = (generation, ordinal, qualifier, address, digits)
    return NameForm(text, tokens, numbers, marks, channel, not designated, offers, asks)


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Folded words, and whether each followed the one before without a gap; `bo8rne` is one word, `v2` is two."""
    found = []
    text = _HUMP.sub(" ", _APOSTROPHES.sub("", text))
    for chunk in _CHUNK.findall(text):
        folded = fold(chunk)
        if _MIXED.fullmatch(folded) or _ORDINAL.fullmatch(folded):
            found.append((folded, False))
        else:
            found += [(token, number > 0) for number, token in enumerate(_TOKEN.findall(folded))]
    return found


def _reordered(raw: str) -> str:
    """`Chen, Sarah` the usual way round; what follows a comma may also be an epithet or a degree."""
    front, comma, behind = raw.partition(",")
    if not comma or "," in behind or not front.strip() or not behind.strip():
        return raw
    words = [word for word, _ in _tokens(behind)]
    others = TITLES | NAMES_TOO | BEHIND | RANKS | PARTICLES | GENERIC | GENERATIONS.keys()
    if not words or len(words) > 3 or len(front.split()) > 2 or any(word in others or not word.isalpha() for word in words):
        return raw
    return f"{behind} {front}"


def _is_designation(raw: str, words: list[tuple[str, bool]], kind: str | None) -> bool:
    if kind is not None:
        return kind.casefold() != "person"
    plain = [word for word, _ in words]
    if any(not word.isalpha() and not _MIXED.fullmatch(word) and not _ORDINAL.fullmatch(word) for word in plain):
        return True
    if _SYMBOLS.search(raw.removeprefix("@")):
        return True
    known = [word for word in plain if nicknames.known(word)]
    if "-" in raw and raw == raw.lower() and not known and not regex.search(r"\s", raw):
        return True
    generic = [word for word in plain if word in GENERIC or word.removesuffix("s") in GENERIC]
    return bool(generic) and not any(word not in generic or word == plain[0] for word in known)


def _of_designation(words: list[tuple[str, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tokens, numbers = [], []
    for position, (word, _) in enumerate(words):
        following = words[position + 1][0] if position + 1 < len(words) else ""
        if word[0].isnumeric() or (position and word in GENERATIONS):
            numbers.append(word)
        elif not (word in VERSION_WORDS and following[:1].isnumeric()) and word != "the":
            tokens.append(word)
    return tuple(tokens), tuple(numbers)


def _of_person(words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...], str, str]:
    """What names, nothing, generation, ordinal."""
    generation = ordinal = ""
    rest = []
    for position, word in enumerate(words):
        if _ORDINAL.fullmatch(word):
            ordinal = word[:-2]
        elif position and word in GENERATIONS:
            generation = GENERATIONS[word]
        elif position and word in RANKS and (ordinal or words[position + 1 : position + 2] == ["of"]):
            continue
        else:
            rest.append(word)
    kept = [word for word in rest if word not in PARTICLES]
    kept = kept if len(kept) > 1 or len(kept) == len(rest) or len(rest) > 2 else rest
    start = 0
    while len(kept) - start > 1 and (
        kept[start] in TITLES or (kept[start] in NAMES_TOO and len(kept) - start > 2)
    ):  # fmt: skip
        start += 1
    kept = kept[start:]
    inner = [
        word
        for position, word in enumerate(kept)
        if not position or not (word in INNER_PARTICLES or word in WITHIN or word in BEHIND)
    ]
    return tuple(inner or kept or words), (), generation, ordinal


def _keys(tokens: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Keys that find what trigrams miss: initials, short forms, handles, and other ways to spell a family name.

    `last|i` pairs full names of one family name and a common initial; `~word` a single word with the names that hold it or
    what it is short for; `=word` a handle with the names it may be made of; `%sounds` spellings of one family name.
    """
    first, last = tokens[0], tokens[-1]
    if len(tokens) == 1:
        keys = {f"~{name}" for name in {first, *nicknames.roots(first)}}
        if len(first) > 3:
            keys.add(f"={first}")
        return frozenset(keys), frozenset(keys)
    initials = {name[0] for name in {first, *nicknames.roots(first)}}
    symmetric = {f"{last}|{initial}" for initial in initials} | {f"{first}|{last[0]}"}
    sounds = skeleton(last)
    if len(sounds) > 3:
        symmetric.add(f"%{sounds}|{first[0]}")
    offers = symmetric | {f"~{name}" for token in tokens for name in {token, *nicknames.roots(token)} if len(token) > 1}
    offers |= {f"={handle}" for handle in handles(tokens)}
    return frozenset(offers), frozenset(symmetric)


def handles(tokens: tuple[str, ...]) -> dict[str, str]:
    """Account names that people make of a full name, and how.

    Args:
        tokens: At least two.
    """
    first, last = tokens[0], tokens[-1]
    made = {first + last: "given and family name", last + first: "family and given name", "".join(tokens): "all names"}
    made |= {first[0] + last: "initial and family name", last + first[0]: "family name and initial"}
    made |= {first + last[0]: "given name and initial"}
    if len(tokens) > 2:
        made.setdefault("".join(token[0] for token in tokens[:-1]) + last, "initials and family name")
    return made


_SPELLINGS: Final = (
    ("tsch", "c"), ("tch", "c"), ("sch", "s"), ("ch", "c"), ("cz", "c"), ("sh", "s"), ("sz", "s"), ("zh", "s"), ("kh", "h"),
    ("gh", "g"), ("ph", "f"), ("th", "t"), ("dh", "d"), ("ck", "k"), ("ts", "s"), ("tz", "s"), ("dj", "j"), ("x", "ks"),
    ("q", "k"), ("w", "v"), ("z", "s"),
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """The consonants of a name, spellings of one sound unified: `tschaikowski` and `tchaikovsky` are one."""
    for written, sound in _SPELLINGS:
        word = word.replace(written, sound)
    kept = word[:1].replace("j", "y") + regex.sub(r"[aeiouyj]", "", word[1:])
    kept = regex.sub(r"(.)\1+", r"\1", kept)
    return regex.sub(r"(?<=.)(?:v|f)$", "v", kept)
