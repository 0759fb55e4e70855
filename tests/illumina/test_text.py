import threading
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from illumina.errors import InvalidInputError, InvalidTextError
from illumina.text import ANALYSER_FINGERPRINT, MAX_LEXEME, STOP_WORDS, lexemes, paragraphs, validate_text

# Hypothesis draws no surrogates by default for UTF-8; NUL is refused before the analyser.
valid_texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
# Text of the kind that has inner structure.
tricky_texts = st.text(
    st.sampled_from("aBcZ019_.-/:@#+'’%$&,()?= \t\n\réßИйन\u093f\u0301漢かな한ไ👍🏽\u200d👩🇩🇪\ufe0f\u20e3\u00ad")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Identifiers: the whole, then the parts.
        ("ILLUM-123", ["illum-123", "illum", "123"]),
        ("foo_bar()", ["foo_bar", "foo", "bar"]),
        ("(foo_bar)", ["foo_bar", "foo", "bar"]),
        ("__init__", ["__init__", "init"]),
        ("retry_backoff_ms", ["retry_backoff_ms", "retri", "backoff", "ms"]),
        ("fooBar", ["foobar", "foo", "bar"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("node.js", ["node.js", "node", "js"]),
        ("v2.1.3.", ["v2.1.3", "2.1.3", "v2", "1", "3"]),
        ("v2.1.3-rc1,", ["v2.1.3-rc1", "2.1.3-rc1", "v2", "1", "3", "rc1"]),
        ("--dry-run", ["--dry-run", "dry-run", "dri", "run"]),
        ("-v", ["-v", "v"]),
        ("C++", ["c++", "c"]),
        ("c++17", ["c++17", "c", "17"]),
        ("C#", ["c#", "c"]),
        (".NET", [".net", "net"]),
        ("R&D", ["r&d", "r", "d"]),
        # Names of people, channels, places.
        ("#incidents", ["#incidents", "incid"]),
        ("@schen", ["@schen", "schen"]),
        ("O'Brien", ["o'brien", "obrien", "o", "brien"]),
        ("O’Brien", ["o'brien", "obrien", "o", "brien"]),
        (
            "sarah.chen@example.com",
            ["sarah.chen@example.com", "sarah.chen", "sarah", "chen", "example.com", "exampl", "com"],
        ),
        ("https://a.b/c?d=e.", ["https://a.b/c?d=e", "https", "a.b", "b", "c", "d", "e"]),
        ("<https://x.org/>", ["https://x.org", "https", "x.org", "x", "org"]),
        (
            "/etc/app/conf.d/x.yml",
            ["/etc/app/conf.d/x.yml", "etc", "app", "conf.d", "conf", "d", "x.yml", "x", "yml"],
        ),
        (r"C:\data\in", [r"c:\data\in", "c", "data"]),
        ("10.0.0.1:5432", ["10.0.0.1:5432", "10.0.0.1", "10", "0", "1", "5432"]),
        # Numbers.
        ("50%", ["50%", "50"]),
        ("$5", ["$5", "5"]),
        ("$1,000.50", ["$1000.50", "1000.50"]),
        ("1,000, then", ["1000", "then"]),
        ("3.14 and 3rd", ["3.14", "3rd"]),
        ("2023-05-07", ["2023-05-07", "2023", "05", "07"]),
        ("①", ["1"]),
        # Prose.
        ("Running, runs; ran.", ["run", "run", "ran"]),
        ("well-known", ["well-known", "well", "known"]),
        ("wait...what so--well", ["wait", "well"]),
        ("e.g. the U.S.", ["e.g", "eg", "u.s", "us"]),
        ("don't I'm can’t WON'T I'd've it's", []),
        ("Caroline's NASA's PDFs", ["carolin", "nasa", "pdfs"]),
        ("the cats' toys", ["cat", "toy"]),
        ("naïve CAFÉ e\u0301tude", ["naiv", "cafe", "etud"]),
        ("YouTube", ["youtub", "tube"]),
        ("ﬁle Straße STRASSE", ["file", "strass", "strass"]),
        ("co\u00adoperate", ["cooper"]),
        ("A+ a", ["a+"]),
        # Nothing to find.
        ("", []),
        (" \n\t", []),
        ("the of and", []),
        ("?! ... ___ -- \u0301", []),
    ],
)
def test_lexemes(text: str, expected: list[str]) -> None:
    assert lexemes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs are letters, not diacritics
        ("Σίσυφος ΣΊΣΥΦΟΣ", ["σισυφοσ", "σισυφοσ"]),
        ("йод ЁЖ", ["йод", "ёж"]),  # letters of their own
        ("漢字", ["漢", "漢字", "字"]),
        ("猫", ["猫"]),
        ("猫が好き", ["猫", "猫が", "が好", "好", "好き"]),
        ("カ", ["カ"]),
        ("ｶﾞﾗｽ", ["ガラ", "ラス"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("ไทย", ["ไท", "ทย"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("ကို", ["ကို"]),  # a letter with its vowel signs is one unit
        ("iPhone15を買った", ["iphone15", "phone15", "を買", "買", "買っ", "った"]),
        ("日本", ["日", "日本", "本"]),
    ],
)
def test_lexemes_of_other_scripts(text: str, expected: list[str]) -> None:
    assert lexemes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("👩‍👩‍👧", ["👩‍👩‍👧"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", ["🏴󠁧󠁢󠁥󠁮󠁧󠁿"]),
        ("ok👍🏽!", ["ok", "👍"]),  # a skin tone does not hide a thumb
        ("❤️ ❤", ["❤", "❤"]),
        ("5️⃣", ["5⃣"]),
    ],
)
def test_an_emoji_is_one_lexeme(text: str, expected: list[str]) -> None:
    assert lexemes(text) == expected


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("illum", "fixed in ILLUM-123."),
        ("ILLUM-123", "see illum 123"),
        ("bar", "call foo_bar()"),
        ("foo_bar", "foo"),
        ("incidents", "posted to #incidents"),
        ("#incidents", "two incidents"),
        ("schen", "ask @schen"),
        ("example.com", "mail sarah.chen@example.com"),
        ("sarah.chen@example.com", "Sarah Chen"),
        ("x.yml", "/etc/app/conf.d/x.yml"),
        ("etc/app", "/etc/app/conf.d/x.yml"),
        ("2.1.3", "released v2.1.3"),
        ("v2.1.3", "released 2.1.3"),
        ("5432", "listens on 10.0.0.1:5432"),
        ("10.0.0.1", "listens on 10.0.0.1:5432"),
        ("50", "about 50%"),
        ("5 dollars", "costs $5"),
        ("1000", "costs $1,000"),
        ("youtube", "on YouTube"),
        ("dry-run", "pass --dry-run"),
        ("obrien", "O’Brien"),
        ("brien", "O'Brien"),
        ("cafe", "the Café"),
        ("猫", "黒猫がいる"),
        ("서울", "서울에서"),
        ("NASA", "NASA's"),
        ("node", "node.js"),
    ],
)
def test_a_query_matches_the_other_form(query: str, document: str) -> None:
    assert set(lexemes(query)) & set(lexemes(document))


def test_the_exact_identifier_shares_more_than_a_neighbour() -> None:
    query = set(lexemes("ILLUM-123"))
    assert len(query & set(lexemes("closed ILLUM-123"))) > len(query & set(lexemes("closed ILLUM-124, after 123 days")))


def test_repeats_are_kept() -> None:
    assert lexemes("tea, tea and more tea") == ["tea", "tea", "more", "tea"]


def test_stop_list_is_small_and_folded() -> None:
    assert 40 <= len(STOP_WORDS) <= 75
    assert all(word == word.casefold() and word.isascii() for word in STOP_WORDS)


def test_the_fingerprint_is_a_sha256() -> None:
    assert len(bytes.fromhex(ANALYSER_FINGERPRINT)) == 32


@given(valid_texts | tricky_texts)
@example("ŉ İ ǰ ΐ ﬃ ㎏ ͅ ﷺ")
@example("\u00a8x ½a")
def test_lexemes_are_never_empty_and_bounded_and_folded(text: str) -> None:
    for lexeme in lexemes(text):
        assert 0 < len(lexeme) <= MAX_LEXEME
        assert not any(character.isspace() for character in lexeme)
        assert lexeme == lexeme.casefold()


@given(valid_texts | tricky_texts)
@example("e\u0301 \u1100\u1161 \u304b\u3099")
def test_normal_forms_have_the_same_lexemes(text: str) -> None:
    expected = lexemes(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert lexemes(unicodedata.normalize(form, text)) == expected


# Inside a word the case says where a camel's humps are; words of one case have none.
@given(st.from_regex(r"[a-z0-9 ._/@#-]*", fullmatch=True))
def test_case_does_not_matter(text: str) -> None:
    assert lexemes(text.upper()) == lexemes(text) == lexemes(text.casefold())


@given(valid_texts | tricky_texts, valid_texts | tricky_texts)
def test_paragraphs_are_analysed_apart(first: str, second: str) -> None:
    assert lexemes(f"{first}\n\n{second}") == lexemes(first) + lexemes(second)


@given(valid_texts | tricky_texts)
def test_the_same_text_has_the_same_lexemes(text: str) -> None:
    assert lexemes(text) == lexemes(text)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "xY" * 50_000,
        "_" * 100_000,
        "a--" * 30_000,
        "a-" * 50_000,
        "." * 100_000,
        "a.b/c_d:" * 12_000,
        "1,000" * 20_000,
        "http://" * 14_000,
        "http://" + "a/" * 50_000,
        "漢" * 100_000,
        "👩‍" * 50_000,
        "e" + "\u0301" * 100_000,
        "ΐ" * 100_000,
        "🇩" * 100_001,
        "'s" * 50_000,
        "-" * 100_000 + "x",
        "n't" * 30_000,
        "'s" * 50_000 + "x",
    ],
    ids=lambda text: text[:8],
)
def test_a_huge_word_is_bounded_in_length_and_time(text: str) -> None:
    started = time.process_time()
    found = lexemes(text)
    assert all(len(lexeme.encode()) <= 4 * MAX_LEXEME for lexeme in found)
    # Linear: the slowest takes about 0.3 s; a quadratic pattern takes minutes.
    assert time.process_time() - started < 10


def test_threads_do_not_disturb_each_other() -> None:
    # Distinct words, so that the cache does not hide the stemmer.
    texts = [f"running{chr(97 + index % 26)}{chr(97 + index // 26)}ing generalizations" for index in range(600)]
    expected = [lexemes(text + "s") for text in texts]
    results: list[list[list[str]]] = []

    def work() -> None:
        results.append([lexemes(text + "s") for text in texts])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n ", []),
        ("one", ["one"]),
        ("one\ntwo", ["one\ntwo"]),
        ("one\n\ntwo", ["one", "two"]),
        ("one\n \t\ntwo", ["one", "two"]),
        ("one\r\n\r\ntwo\r\n", ["one", "two"]),
        ("one\r\n  \r\n\r\n\r\n  two", ["one", "two"]),
        ("\n\n\none  \n\n\n\n\ttwo", ["one", "two"]),
        ("one\n\n\u3000\n\ntwo", ["one", "two"]),
    ],
)
def test_paragraphs(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in paragraphs(text)] == expected


@given(st.text(st.sampled_from("ab \t\r\n\u3000\x0b")) | valid_texts)
def test_every_visible_character_is_in_one_paragraph(text: str) -> None:
    spans = paragraphs(text)
    covered = [position for start, end in spans for position in range(start, end)]
    assert len(covered) == len(set(covered))
    assert {position for position, character in enumerate(text) if not character.isspace()} <= set(covered)
    for start, end in spans:
        piece = text[start:end]
        assert piece
        assert piece == piece.strip()
        assert "\n\n" not in piece
        assert "\n\r\n" not in piece


@pytest.mark.parametrize(
    ("text", "position", "mend"),
    [("ab\0c", 2, "replace("), ("a\ud83d", 1, "surrogatepass"), ("\udc00", 0, "U+DC00")],
)
def test_what_postgresql_cannot_store_is_refused(text: str, position: int, mend: str) -> None:
    with pytest.raises(InvalidTextError, match=r"^The body: .*position \d+") as caught:
        validate_text(text, "The body")
    assert f"position {position} " in str(caught.value)
    assert mend in str(caught.value)
    assert isinstance(caught.value, InvalidInputError)


@given(valid_texts)
def test_everything_else_is_accepted(text: str) -> None:
    validate_text(text, "The body")


def test_the_mends_work() -> None:
    validate_text("a\0b".replace("\0", ""), "it")
    validate_text("a\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), "it")
