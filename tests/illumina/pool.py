"""Texts made to meet: names that may be one person's, chains of what replaces what, opposites, causes, copies, late history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from illumina.types import Document, Utterance

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)

TEXTS: tuple[tuple[int, str | tuple[tuple[str, str], ...]], ...] = (
    # People who are one, and people who are not.
    (0, "Sarah Chen of Acme leads the Search team. She reviews every deploy."),
    (1, "S. Chen approved ILLUM-12 together with Bo Larsen."),
    (2, "schen works on the Search service at Acme."),
    (3, "Sarah Chan of Globex leads the Billing team."),
    (400, "Sarah Chen of Globex joined the Billing team. Sarah Chan knows Sarah Chen."),
    (4, "Sarah approved the rollout of Search v2. Search v1 stays in Room 101, Search v2 in Room 102."),
    # One thing replaced by the next, told in any order.
    (-300, "The Search service uses Solr."),
    (-100, "The Search service moved from Solr to Elasticsearch."),
    (5, "The Search service no longer uses Elasticsearch. The Search service uses PostgreSQL instead."),
    (-200, "Deploys need one approval."),
    (6, "Deploys need two approvals."),
    (7, "Deploys no longer need two approvals."),
    (8, "The Billing team uses Kafka and Redis."),
    (9, "The Billing team no longer uses Redis."),
    # Opposites.
    (10, "Bo Larsen loves Thursdays. Bo Larsen likes tea and coffee."),
    (20, "Bo Larsen hates Thursdays. Bo Larsen no longer likes coffee."),
    # Causes, and what rests on them.
    (11, "Search was slow because backfills starved interactive writes. The isolated queue prevented further incidents."),
    (12, "Because Search was slow, Sarah Chen moved ingestion to an isolated queue. This led to fewer pages."),
    # Repeated words, markup, and a dialogue.
    (13, "# Search\n\nDeploys need two approvals.\n\nDeploys need two approvals.\n\n- Kafka\n- Redis\n"),
    (14, (("Ana", "Who leads Search?"), ("Bo", "Sarah Chen does. She started in 2024."), ("Ana", "I love it."))),
    (15, (("Ana", "I hate it."), ("Bo", "Why?"), ("Ana", "Deploys need two approvals."))),
)  # fmt: skip

SOURCES = ("slack:#search", "wiki", "mail")


def document(text: int, key: int | None) -> Document:
    """One of the texts, under one of a few keys or none; a key has its own origin."""
    days, body = TEXTS[text]
    return Document(
        body if isinstance(body, str) else [Utterance(said, speaker) for speaker, said in body],
        source=SOURCES[(text if key is None else key) % len(SOURCES)],
        key=None if key is None else f"k{key}",
        occurred_at=DAY + timedelta(days=days),
    )
