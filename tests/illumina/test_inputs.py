"""Big and odd texts: accounted for in full, read back byte for byte, not doubled, forgotten without a trace, linear in time."""

from __future__ import annotations

import os
import random
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from illumina import Memory
from illumina.types import Utterance
from tests.clock import ManualClock
from tests.illumina.models.llm.clients import PROVIDERS, client
from tests.illumina.models.llm.server import Call, ModelServer, Request
from tests.illumina.retain.llm.answers import answer, fact
from tests.support import HashingEmbedder, check_blocks, dump

if TYPE_CHECKING:
    from collections.abc import Sequence

WHEN = datetime(2026, 3, 2, 9, tzinfo=UTC)

SUBJECTS = ("The {a}{b} service", "The {b} team", "{a} {b}", "{b} {a}", "The {a} project", "The {b} train", "ILLUM-{n}")
SYLLABLES = ("ba", "kor", "lin", "mar", "nes", "to", "vel", "zan", "rik", "ul")
VERBS = ("moved to", "depends on", "replaced", "was reviewed with", "blocked", "is owned by", "stopped using", "waits for")
OBJECTS = (
    "an isolated queue",
    "PostgreSQL 18",
    "the Kafka cluster",
    "the wiki",
    "`retain_many()`",
    "v2.{n}",
    "Room {n}",
    "Ana",
)
TAILS = ("", " on 3 March 2026", " because backfills starved it", ", which nobody liked", " last week", " (see #incidents)")


def prose(length: int, seed: int = 3) -> str:
    """Markdown as people write it: headings, paragraphs, lists, code, tables; of about so many characters."""
    chance = random.Random(seed)

    def sentence() -> str:
        words = f"{chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)}{chance.choice(TAILS)}."
        a, b = ("".join(chance.choices(SYLLABLES, k=3)).capitalize() for _ in range(2))
        return words.format(n=chance.randrange(100_000), a=a, b=b)

    parts: list[str] = []
    size = 0
    while size < length:
        kind = chance.random()
        if kind < 0.08:
            part = f"{'#' * chance.randint(1, 4)} {sentence()[:-1]}"
        elif kind < 0.2:
            part = "\n".join(f"- {sentence()}" for _ in range(chance.randint(2, 6)))
        elif kind < 0.23:
            part = "```python\n" + "\n".join(f"def f{n}(x):\n    return x + {n}" for n in range(chance.randint(1, 5))) + "\n```"
        elif kind < 0.25:
            part = "| who | what |\n|---|---|\n" + "\n".join(f"| Ana | {sentence()} |" for _ in range(3))
        else:
            part = " ".join(sentence() for _ in range(chance.randint(1, 7)))
        parts.append(part)
        size += len(part) + 2
    return "\n\n".join(parts)


def one_line(length: int) -> str:
    return prose(length + 10_000).replace("\n", " ")[:length].strip()


def book(turns: int) -> list[Utterance]:
    chance = random.Random(5)
    lines = [line for line in prose(turns * 80).split("\n") if line.strip()]
    return [Utterance(chance.choice(lines), chance.choice(["Ana", "Bo", "Sarah Chen", None])) for _ in range(turns)]


CODE = """```python
class Queue:
    def push(self, item: int) -> None:
        self.items.append(item)  # never blocks
```

    indented = {"a": [1, 2, 3]}

Run `make deploy` because CI is slow. SELECT * FROM facts WHERE x <> '';
"""

HTML = """<!doctype html><html><head><title>Search &amp; Co</title><style>p{color:red}</style></head><body>
<h1>Search</h1><p>Search <b>moved</b> to its own cluster, because backfills starved&nbsp;it.</p>
<script>if (a < b && c > d) { alert("no fact"); }</script><ul><li>Ana leads Search.<li>Bo left.</ul>
<table><tr><td>Sarah Chen</td><td>Acme</td></tr></table><!-- hidden --></body></html>
"""

# ruff: noqa: E501 - a text is one line
ODD: dict[str, str | Sequence[Utterance]] = {
    "one line of prose": one_line(100_000),
    "one line without a space": "x" * 100_000,
    "one line of Chinese": "".join(f"{n}番目の漢字は難しいので、検索サービスは別の待ち行列に移されました。" for n in range(2_700)),
    "one word of punctuation": "a.b-c/" * 16_666,
    "mixed scripts": "Ana leads Поиск. 漢字は難しい。 Η Άννα μένει στην Αθήνα. สวัสดีครับ ความจำ. हिन्दी में लिखा है।\n\nÇa marche à Zürich.",
    "emoji": "Ana ❤️ the release 🚀🚀. 👩‍👩‍👧‍👦 is one family, 🏳️‍🌈 one flag, 🇩🇪 a country. e\u0301 is é. \u200d\u200d \ufeff\n\n👍🏽",
    "only emoji": "👩‍👩‍👧‍👦" * 500,
    "right to left": "סרה חן מובילה את החיפוש. הוא עבר לתור נפרד כי הגיבויים הפריעו.\n\n\u202eAna\u202c leads البحث في القاهرة. قالت: «نعم».",
    "CRLF": "# Search\r\n\r\nAna leads Search.\r\nBo left.\r\n\r\n- one\r\n- two\r\rOld Macs.\x0b\x0c\x85 \u2028 \u2029End.\r\n",
    "code": CODE,
    "tables": "| who | what |\n|:--|--:|\n| Ana | leads Search |\n| Bo \\| Co | left |\n\na,b,c\n1,2,3\n\n+---+---+\n| x | y |\n+---+---+\n",
    "HTML": HTML,
    "only marks": "# \n\n---\n\n***\n\n> > >\n\n```\n```\n\n\t\n.",
    "controls": "".join(map(chr, range(1, 32))) + "Ana leads Search.\x7f\x80 \u0378 \uffff \U0010ffff",
    "combining": "Z" + "\u0335" * 5_000 + " leads Search. " + "a\u0300" * 5_000,
    "a book of dialogue": book(1_500),
}  # fmt: skip


def body_of(text: str | Sequence[Utterance]) -> str:
    return text if isinstance(text, str) else "\n".join(f"{u.speaker}: {u.text}" if u.speaker else u.text for u in text)


def check(memory: Memory, dsn: str, text: str | Sequence[Utterance], namespace: str = "acme") -> float:
    """Retain, account for, read back, retain again, forget; returns the seconds that retaining took."""
    before = dump(dsn)
    began = time.perf_counter()
    receipt = memory.retain(text, namespace=namespace, source="inputs", occurred_at=WHEN)
    seconds = time.perf_counter() - began
    body = body_of(text)

    spans = memory.account(receipt.document_id, namespace=namespace)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(body)
    assert {span.outcome for span in spans} <= {"extracted", "rejected"}
    assert all(span.reason for span in spans if span.outcome == "rejected")
    assert len({fact for span in spans for fact in span.facts}) == receipt.facts

    read = memory.document(receipt.document_id, namespace=namespace)
    assert read is not None
    assert read.body.encode() == body.encode()

    after = dump(dsn)
    again = memory.retain(text, namespace=namespace, source="inputs", occurred_at=WHEN)
    assert (again.document_id, again.version, again.created, again.facts) == (receipt.document_id, 1, False, receipt.facts)
    assert dump(dsn) == after
    check_blocks(dsn)

    forgotten = memory.forget(document=receipt.document_id, namespace=namespace)
    assert (forgotten.documents, forgotten.facts) == (1, receipt.facts)
    assert not any(forgotten.left.values())
    assert dump(dsn) == before
    return seconds


@pytest.mark.parametrize("extractor", ["builtin", "verbatim"])
@pytest.mark.parametrize("name", ODD)
def test_odd_texts(dsn: str, name: str, extractor: str) -> None:
    with Memory.open(dsn, embedder=HashingEmbedder(), extractor=extractor) as memory:
        assert check(memory, dsn, ODD[name]) < 180, "a third of it on a machine that does nothing else"


SIZES = {"verbatim": 2_000_000, "builtin": int(os.environ.get("ILLUMINA_LARGE", "60000"))}
"""Characters; two million take the built-in extractor minutes, so that they are read on demand."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("extractor", SIZES)
def test_a_large_text_in_linear_time(dsn: str, extractor: str) -> None:
    size = SIZES[extractor]
    with Memory.open(dsn, embedder=HashingEmbedder(), extractor=extractor) as memory:
        memory.retain(prose(5_000), namespace="warm")  # what is loaded once
        part = check(memory, dsn, prose(size // 10, 4))
        whole = check(memory, dsn, prose(size))
    print(f"{extractor}: {size / 10 / part:,.0f} characters a second of {size // 10:,}, {size / whole:,.0f} of {size:,}")
    # Ten times the text; the rest of the factor is the machine's.
    assert whole < 30 * part + 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_language_model_reads_odd_texts(dsn: str, model_server: ModelServer, clock: ManualClock, provider: str) -> None:
    def quoting(request: Request) -> Call:
        said = re.findall(r"[A-Z][a-z]+ [^.\n\"\\\\]{8,60}\\.", request.message)
        return Call(answer(*([fact(said[-1])] if said else [])))

    model_server.script = [quoting]
    with Memory.open(dsn, embedder=HashingEmbedder(), llm=client(provider, model_server), clock=clock) as memory:
        for name in ("mixed scripts", "emoji", "right to left", "CRLF", "code", "tables", "HTML", "controls"):
            check(memory, dsn, ODD[name])
        check(memory, dsn, prose(8_000))
