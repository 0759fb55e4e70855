"""Sentences of engineering talk, written before they were tried: decisions, changelogs, chat.

Of each, `«…»` is what the old must cover and `‹…›` what the new must cover; neither may touch the other.
"""

from __future__ import annotations

import pytest

from illumina.retain.supersedes import find_supersessions
from tests.illumina.retain.marked import angles, covers, guillemets, lines, overlaps, plain

WHOLE = """
«The nightly cron» was replaced by ‹an event trigger›.
‹The new gateway› replaces «the old reverse proxy».
We moved from «Jenkins» to ‹Buildkite›.
Billing has been migrated from «MySQL» to ‹Postgres›.
We switched from «weekly releases» to ‹continuous delivery›.
«The free tier is no longer offered».
«We no longer accept tokens in the query string».
‹Logs go to Loki› instead of «Elasticsearch».
Instead of «one big queue», ‹every tenant has its own›.
«The v1 API» is deprecated in favour of ‹the v2 API›.
We dropped «Kafka» in favor of ‹NATS›.
‹This policy› supersedes «the guideline of 2023».
«The staging cluster does not exist» any more.
The timeout goes from «30 s» to ‹5 s›.
‹The limit is now 50›, down from «200».
From now on ‹every change needs two reviews›.
As of 1 June, ‹we use Python 3.12 everywhere›.
Starting Monday ‹the stand-up is at ten›.
From today ‹the cache is per region›.
«We used to page the whole team».
«The proposal» was rejected in favour of ‹the smaller one›.
‹Vault› takes over from «the shared password file».
«The wiki page» has been superseded by ‹the runbook in the repository›.
Change of plan: ‹the demo is on Thursday›.
‹The Rust service› is the successor to «the Go prototype».
"""

WITHDRAWN = """
«The legacy importer» was retired in May.
«The beta programme» has been discontinued.
We are removing «the debug endpoint».
«The Tuesday meeting» is cancelled.
«The old flag» is gone.
«The flat rate» goes away today.
Airflow was noisy, so «it» is switched off, and «the DAG repository» was archived.
We stopped «mirroring the images».
«The export to CSV» will be sunset.
"""

REVERTED = """
We reverted «the connection pool change».
«The migration» was rolled back at noon.
Rolling back «v4.2.0».
«The rollout to Frankfurt» had to be undone.
"""

PARTIAL = """
This supersedes parts of «ADR-0012».
This decision replaces «section 3 of RFC 2119».
«The retention section of ADR-0007» is superseded by ‹ADR-0019›.
"""

SILENT = """
The deploy took no longer than a minute.
The old town is worth a visit.
She moved the chair to the window.
We read from the replica.
The result replaces nothing in your account... or so we hope?
Used to heavy load, the cluster did fine.
Keep the lights on.
The meeting is over there.
"""

NAMED = [
    ("This PEP replaces PEP 8001.", ("PEP 8001",), (), False, True),
    ("Superseded by ADR-0012.", (), ("ADR-0012",), True, False),
    ("Supersedes: [ADR-0003](0003-use-kafka.md)", ("ADR-0003",), (), False, True),
    ("Status: accepted, replaces ADR-010 and ADR-014.", ("ADR-010", "ADR-014"), (), False, True),
    ("Obsoletes: RFC 2616", ("RFC 2616",), (), False, True),
    ("RFC 2616 was obsoleted by RFC 7230.", ("RFC 2616",), ("RFC 7230",), False, False),
    ("This document updates RFC 1123.", ("RFC 1123",), (), False, True),
    ("It has been superseded by :pep:`287`.", (), ("PEP 287",), True, False),
    ("This reverts #123.", ("#123",), (), False, True),
    ("MER-120 replaces MER-88.", ("MER-88",), ("MER-120",), False, False),
    ("This ADR amends ADR-7 and ADR-9.", ("ADR-7", "ADR-9"), (), False, True),
    ("ADR-5 is superseded by this ADR.", ("ADR-5",), (), False, True),
    ("This proposal has been withdrawn in favour of PEP 750.", (), ("PEP 750",), True, False),
]


@pytest.mark.parametrize(
    ("kind", "marked"),
    [
        (kind, line)
        for kind, block in (("whole", WHOLE), ("withdrawn", WITHDRAWN), ("reverted", REVERTED), ("partial", PARTIAL))
        for line in lines(block)
    ],
)
def test_what_no_longer_holds(kind: str, marked: str) -> None:
    found = [cue for cue in find_supersessions(plain(marked)) if cue.kind == kind and not cue.negated]
    old, new = guillemets(marked), angles(marked)
    assert any(
        all(covers(cue.new, span) and not overlaps(cue.old, span) for span in new)
        and (not old or any(covers(cue.old, span) and not overlaps(cue.new, span) for span in old))
        for cue in found
    ), found


@pytest.mark.parametrize(("text", "old_ids", "new_ids", "old_is_self", "new_is_self"), NAMED)
def test_documents_by_id(
    text: str, old_ids: tuple[str, ...], new_ids: tuple[str, ...], old_is_self: bool, new_is_self: bool
) -> None:
    said = [(cue.old_ids, cue.new_ids, cue.old_is_self, cue.new_is_self) for cue in find_supersessions(text)]
    assert (old_ids, new_ids, old_is_self, new_is_self) in said


@pytest.mark.parametrize(
    "text",
    ["This PEP does not replace PEP 8.", "The new API isn't superseded by v3.", "It supplements rather than replaces ADR-3."],
)
def test_a_denial(text: str) -> None:
    assert all(cue.negated for cue in find_supersessions(text))


@pytest.mark.parametrize("text", lines(SILENT))
def test_nothing_ends(text: str) -> None:
    assert find_supersessions(text) == []
