"""Texts and their lexemes: one analyser for documents and queries.

The rules, in order: NFKC; tokens found by one pattern; each token folded (casefold, Latin and Greek
diacritics off) and, if it is a plain English-looking word, checked against a small stop list and stemmed. A
token with inner structure (`ILLUM-123`, `foo_bar`, `v2.1.3`, an address, a path, `fooBar`) keeps its whole,
folded and unstemmed, beside its parts, so that the exact whole ranks first while a query for a part still
finds it, and the reverse.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

import regex
import Stemmer

from illumina.errors import InvalidTextError

MAX_LEXEME: Final = 255
"""Characters, so at most 1,020 bytes: PostgreSQL's B-tree takes up to 2,700."""

STOP_WORDS: Final = frozenset(
    # Articles and determiners, forms of be, have, do and the modals (contractions lose their ending first),
    # conjunctions, the commonest prepositions, pronouns, and question words: a query asks "when", its answer
    # says so nowhere (on LoCoMo turns these alone are worth 2.5 points of recall at 10, pronouns 0.8).
    """a an the this that these those
    am is are was were be been being have has had having do does did will would can could shall should
    and or but if of in on at to for from by with as not no so
    i me my we us our you your he him his she her it its they them their
    what when where who whom which why how""".split()  # noqa: SIM905 - reads as a list
)

# Written without spaces, or (Hangul) with particles glued on: indexed by pairs of characters.
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30FC"
_LETTER: Final = rf"[[\p{{L}}\p{{N}}_]--[{_UNSPACED}]]"
_WORD: Final = rf"{_LETTER}[[\p{{L}}\p{{M}}\p{{N}}_\u200C\u200D]--[{_UNSPACED}]]*+"
# Between two words; longer runs ("wait...what", "so--well") are punctuation.
_JOINER: Final = r"(?:://|::|:\\|\+\+|->|[.\-/:@#+'\\&])"
_EMOJI: Final = r"\p{Extended_Pictographic}[\uFE0E\uFE0F\U0001F3FB-\U0001F3FF\U000E0020-\U000E007F]*+"
_TOKEN: Final = regex.compile(
    rf"""
    (?P<url>(?<!{_LETTER})[a-z][a-z0-9+.\-]{{0,20}}+(?<=[a-z0-9])://[^\s<>"'()\[\]{{}}{_UNSPACED}]++)
    |(?P<emoji>{_EMOJI}(?:\u200D{_EMOJI})*+ | \p{{RI}}{{2}} | [0-9\#*]\uFE0F?\u20E3)
    |(?P<run>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*+)
    |(?P<word>
        (?: (?<![\p{{L}}\p{{N}}_\-])(?:--(?=\p{{L}})|-(?=\p{{L}}(?!\p{{L}})))  # --flag, -f
          | (?<![\p{{L}}\p{{N}}_.])(?:[\#@.](?=\p{{L}})|\#(?=\p{{N}})|\.{{0,2}}/(?={_LETTER})|~/(?={_LETTER}))
          | \p{{Sc}}(?=\p{{N}})
        )?
        {_WORD}(?:{_JOINER}{_WORD})*+
        (?: \+{{1,2}} | (?<=(?<!{_LETTER})\p{{L}})\# | (?<=\p{{N}})[%\p{{Sc}}] )?
    )
    """,
    regex.VERBOSE | regex.V1 | regex.IGNORECASE,
)
_DIGIT_GROUPS: Final = regex.compile(r"(?<![\p{N}.,])\p{N}{1,3}+(?:,\p{N}{3})++(?!,?\p{N})")
_UNIT: Final = regex.compile(rf"[{_UNSPACED}]\p{{M}}*+", regex.V1)
_HAN: Final = regex.compile(r"\p{Han}")
_DIACRITICS: Final = regex.compile(r"([\p{Latin}\p{Greek}\p{N}])[\u0300-\u036F]++")
_JOINERS: Final = regex.compile(r"[\u200C\u200D\uFE00-\uFE0F]")
_EMOJI_STYLE: Final = regex.compile(r"[\uFE0E\uFE0F\U0001F3FB-\U0001F3FF]")
_CONTRACTION: Final = regex.compile(r"(?:n't|'(?:s|m|re|ve|ll|d))++$", regex.IGNORECASE)
_IRREGULAR: Final = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
_SOLID: Final = regex.compile(r"[\p{L}\p{N}]")
_ACRONYM: Final = regex.compile(r"\p{L}(?:\.\p{L})+")
_DECIMAL: Final = regex.compile(r"\p{N}+\.\p{N}+")
_VERSION: Final = regex.compile(r"v(?=\p{N}+\.\p{N})", regex.IGNORECASE)
_SEGMENT: Final = regex.compile(r"[^\p{L}\p{M}\p{N}_.\-+'\u200C\u200D]+")
_PART: Final = regex.compile(r"[^\p{L}\p{M}\p{N}\u200C\u200D]+")
_EDGES: Final = ".-+'"
_CAMEL: Final = regex.compile(r"\p{Lu}+(?!\p{Ll})\P{L}*|\p{Lu}?[^\p{Lu}]+")
_ACRONYM_PLURAL: Final = regex.compile(r"\p{Lu}{2,}s")
# One character for what is written in several ways: apostrophes and hyphens; the soft hyphen and the word
# joiner are not there to be read.
_SAME: Final = {
    0x2019: "'",
    0x02BC: "'",
    0xFF07: "'",
    0x2010: "-",
    0x2011: "-",
    0x00AD: None,
    0x2060: None,
    0xFEFF: None,
}
_FORBIDDEN: Final = re.compile("[\x00\ud800-\udfff]")
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\r?\n")

_local = threading.local()


def lexemes(text: str) -> list[str]:
    """The lexemes of a text, with repeats, in its order.

    Their number is the document's length for BM25 and the count of one is its term frequency. The lexemes of
    two texts joined by a blank line are those of the one followed by those of the other.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SAME)
    found: list[str] = []
    for chunk in text.split():
        # Speech repeats itself: nearly every chunk has been seen. Long ones are not worth keeping.
        found += _remembered(chunk) if len(chunk) <= 40 else _analyse(chunk)
    return found


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Spans of the paragraphs, split at blank lines, without surrounding white space and never empty.

    Every character that is not white space lies in exactly one span.
    """
    spans = []
    start = 0
    ends = [(match.start(), match.end()) for match in _BLANK_LINE.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(stripped)))
        start = following
    return spans


def validate_text(text: object, what: str) -> None:
    """Refuse what is no text, and what PostgreSQL cannot store.

    Args:
        text: The text.
        what: Names it in the message, such as `the document's body`.

    Raises:
        InvalidTextError: It is no string, or holds NUL or a lone surrogate.
    """
    if not isinstance(text, str):
        raise InvalidTextError(f"{what} is of the type {type(text).__name__}. Pass a string.")
    match = _FORBIDDEN.search(text)
    if match is None:
        return
    if match.group() == "\0":
        message = (
            f"{what}: the character at position {match.start()} is NUL, which PostgreSQL cannot store. "
            r"Remove it: text.replace('\0', '')"
        )
    else:
        message = (
            f"{what}: the character at position {match.start()} is the lone surrogate U+{ord(match.group()):04X}, which "
            "is no valid Unicode text. Decode the source with errors='replace', or mend the text: "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        )
    raise InvalidTextError(message)


def _analyse(chunk: str) -> tuple[str, ...]:
    """Lexemes of a text without white space, in NFKC."""
    if chunk.isascii() and chunk.isalpha():
        return tuple(_plain(chunk))
    if "," in chunk:
        chunk = _DIGIT_GROUPS.sub(lambda match: match.group().replace(",", ""), chunk)
    found: list[str] = []
    for match in _TOKEN.finditer(chunk):
        token = match.group()
        match match.lastgroup:
            case "word":
                found += _word(token)
            case "url":
                found += _compound(token.rstrip(".,;:!?/&*_~"))
            case "run":
                found += _pairs(token)
            case _:
                found.append(_EMOJI_STYLE.sub("", token[:MAX_LEXEME]) or token)
    return tuple(found)


_remembered = lru_cache(maxsize=1 << 15)(_analyse)


def _word(token: str) -> list[str]:
    token = _IRREGULAR.get(token.lower(), token)
    if "'" in token and len(token) <= MAX_LEXEME:  # a search from the end would be quadratic in a huge token
        token = _CONTRACTION.sub("", token)
    if _PART.search(token) is None:
        return _plain(token)
    if _SOLID.search(token) is None:
        return []
    if _ACRONYM.fullmatch(token):
        # Past the stop list: "U.S." and "a.m." are no pronoun and no verb.
        return [_fold(token), _fold(token.replace(".", ""))]
    return _compound(token)


def _compound(token: str) -> list[str]:
    """A whole with its segments (`example.com` of an address), its parts, and other ways to write it."""
    found = [_fold(token)]
    segments = [stripped for piece in _SEGMENT.split(token) if (stripped := piece.strip(_EDGES))]
    for segment in segments:
        if _PART.search(segment) is None:
            found += _plain(segment)
            continue
        found.append(_fold(segment))
        if _DECIMAL.fullmatch(segment):
            continue
        if "'" in segment:
            found.append(_fold(segment.replace("'", "")))
        if version := _VERSION.match(segment):
            found.append(_fold(segment[version.end() :]))
        for part in _PART.split(segment):
            found += _plain(part)
    return [lexeme for lexeme in dict.fromkeys(found) if lexeme]


def _plain(word: str) -> list[str]:
    """A word without punctuation: itself and, of fooBar, its humps; stop words give nothing."""
    found = _stem(word)
    if not (word.islower() or word.isupper() or word.istitle() or _ACRONYM_PLURAL.fullmatch(word)):
        humps = _CAMEL.findall(word)
        if len(humps) > 1:
            found = list(dict.fromkeys([*found, *(lexeme for hump in humps for lexeme in _stem(hump))]))
    return found


def _stem(word: str) -> list[str]:
    folded = _fold(word)
    if not folded or folded in STOP_WORDS:
        return []
    if folded.isascii() and folded.isalpha():
        return [_stemmer().stemWord(folded)]
    return [folded]


def _stemmer() -> Stemmer.Stemmer:
    # A Stemmer keeps a buffer and a cache of its own: one for each thread.
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return stemmer


def _fold(token: str) -> str:
    token = token[:MAX_LEXEME].casefold()
    if not token.isascii():
        token = _DIACRITICS.sub(r"\1", unicodedata.normalize("NFKD", _JOINERS.sub("", token)))
        token = unicodedata.normalize("NFC", token)
    return token[:MAX_LEXEME]


def _pairs(run: str) -> list[str]:
    """Pairs of neighbouring characters; ideographs, each of which can be a word, also alone.

    Without the single ideographs a query of one (猫) would find nothing. Letters of the other scripts mean
    nothing alone and are kept only where they stand alone.
    """
    units = [_fold(unit) for unit in _UNIT.findall(run)]
    if len(units) == 1:
        return units
    found = []
    for index, unit in enumerate(units):
        if _HAN.match(unit):
            found.append(unit)
        if index + 1 < len(units):
            found.append(unit + units[index + 1])
    return found


_PROBE: Final = """Running runs ran; the well-known generalizations of O'Brien's CAFÉ naïve Ünïcode ИЁй ΆΣς हिन्दी ภาษาไทย
漢字かなカナ 한국어 ILLUM-123 foo_bar() fooBar HTTPServer v2.1.3 #incidents @schen /etc/app/conf.d/x.yml
https://a.b/c?d=e sarah.chen@example.com C++ C# .NET node.js 10.0.0.1:5432 --dry-run 50% $5 1,000 e.g. don't 👩‍👩‍👧 🇩🇪 👍🏽"""

# What the analyser does to the probe stands for the versions of Unicode, of the stemmer and of regex beneath
# it.
ANALYSER_FINGERPRINT: Final = hashlib.sha256(
    "\n".join(["illumina-text/1", *sorted(STOP_WORDS), _TOKEN.pattern, *lexemes(_PROBE)]).encode()
).hexdigest()
