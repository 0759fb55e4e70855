"""Sentences of engineering talk, written before they were tried: incidents, decisions, chat.

Of each, `«…»` is what the cause must cover and `‹…›` what the effect must cover.
"""

from __future__ import annotations

import pytest

from illumina.retain.causal_readings import CausalLink
from illumina.retain.causes import find_causes
from tests.illumina.retain.marked import Span, angles, covers, guillemets, lines, overlaps, plain

CAUSES = """
‹Checkout was down for forty minutes› because «the certificate expired».
Because «the replica lagged», ‹reads returned stale prices›.
«A bad migration» led to ‹two hours of downtime›.
‹The outage› was caused by «a misconfigured load balancer».
«The retry storm» took the queue down, which caused ‹missed webhooks› in billing.
‹The latency spike› at noon was due to «a full table scan».
Due to «the holiday traffic», ‹we hit the connection limit›.
‹Deploys are slow today› thanks to «the new image scanner».
Root cause of ‹the incident› was «an expired token».
The cause of ‹the data loss› turned out to be nothing exotic, and the reason for ‹the delay› was «a missing index».
«The DNS change» is the most likely cause of ‹the timeouts›.
‹The memory leak› is the result of «an unbounded cache».
«We forgot to bump the pool size», so ‹the workers starved›.
«The cron job ran twice». As a result, ‹customers were billed twice›.
«The vendor doubled its prices». That is why ‹we moved to our own cluster›.
«The index was rebuilt at noon». This caused ‹a ten minute lock on orders›.
«Node 4 ran out of disk». Consequently, ‹the shard went read-only›.
‹The pager went off at 3am›. Root cause: «a stuck log rotation».
‹The build is red›. Reason: «the linter was upgraded».
‹These 502 errors› stem from «the proxy's short idle timeout».
‹The regression› was introduced by «the new serializer».
‹Half of the alerts› were triggered by «a flapping health check».
«Clock skew between the nodes» results in ‹rejected tokens›.
«Backfills starved interactive writes», hence ‹the isolated task queue›.
‹We postponed the launch› since «the audit is not finished».
Since «nobody owned the alert», ‹it was ignored for a week›.
«A typo in the Helm chart» broke staging, resulting in ‹a lost afternoon›.
«The feature flag was left on», causing ‹a spike of writes›.
‹The failover› blamed on «a bad switch» lasted an hour.
‹The slow queries› could be traced back to «a dropped index».
«The lock contention» gave rise to ‹cascading timeouts›.
‹Our bill went up› as a result of «the debug logging».
Owing to «a leap second», ‹the scheduler hung›.
«Noisy neighbours» are responsible for ‹the jitter› we see in Frankfurt.
«The garbage collector pauses» trigger ‹leader elections›.
‹Support got 300 tickets› on account of «the broken reset link».
It was «the connection pool» that caused ‹the backlog›.
‹The deadlocks› came down to «two transactions» that took locks in opposite order.
‹The nightly export failed› bc «the bucket was full».
‹Everyone was logged out› after «the key rotation» caused an error, and ‹downtime› from «the rollback» followed.
«The query planner picked the wrong index», and as a consequence ‹p99 tripled›.
‹We chose Postgres› because of «its row-level security».
«The rate limiter was disabled»; therefore ‹a single tenant could saturate the API›.
The reason ‹we froze deploys› is that «the error budget was spent».
«GC-induced pauses» are gone, but «load»-induced ‹timeouts› remain.
«Too many open files» forced ‹us to restart the ingester›.
In response to «the breach», ‹all tokens were rotated›.
‹The test is flaky› due to the fact that «it depends on wall-clock time».
"""

ENABLES = """
«The new index» allows ‹us to answer in 5 ms›.
«Feature flags» enabled ‹a gradual rollout›.
«The event log» makes it possible to ‹rebuild the read model›.
‹Zero-downtime deploys› were made possible by «the connection drainer».
«Sharding by tenant» paved the way for ‹regional hosting›.
«We keep the raw events», so that ‹a projection can be rebuilt›.
Now that «the migration is done», ‹we can delete the old tables›.
«The split of the monolith» unblocked ‹the mobile team›.
"""

PREVENTS = """
«The circuit breaker» prevented ‹a total outage›.
‹The release› is blocked by «the failing security scan».
‹MER-12› is blocked on «the DNS change».
«The quota» keeps ‹one tenant from filling the disk›.
«We pin the image» to avoid ‹surprise upgrades›.
To prevent ‹double charges›, «the client now sends an idempotency key».
«Read-only mode» protects against ‹accidental writes›.
«The lease» stops ‹two workers from taking the same job›.
«Rate limits» would have averted ‹the overload›.
"""

NEGATED = """
The outage was not caused by the deploy.
The patch did not cause any regressions.
The upgrade never led to data loss.
Nothing in this release caused the timeouts.
The alert fired, but not because of the deploy.
The feature flag caused no errors.
"""

HYPOTHETICAL = """
A wrong quota could cause an outage.
The crash might be due to a race.
If the cache is cold, the first request may lead to a timeout.
Did the deploy cause the errors?
"""

SILENT = """
The common cause variation chart is on the wiki.
Since March we have run two clusters.
The service has been stable since the upgrade.
Marta is responsible for the ledger team.
So, who is on call tonight?
We are due to ship in June.
The result of the query is cached for five minutes.
Bart comes from Gdańsk and reads from the replica.
Please block some time in the calendar.
The meeting was moved from Monday to Tuesday.
v1.2 → v1.3
After lunch we looked at the dashboards.
The trigger on the table writes an audit row.
She leads the platform team.
Let me know when the build is done.
I took the train from Berlin.
The effects library is loaded from the CDN.
"""


def states(link: CausalLink, cause: Span, effect: Span) -> bool:
    """Whether each side covers its stretch and keeps clear of the other."""
    apart = not (overlaps(link.cause, effect) or overlaps(link.effect, cause))
    return covers(link.cause, cause) and covers(link.effect, effect) and apart


@pytest.mark.parametrize(
    ("kind", "marked"),
    [
        (kind, line)
        for kind, block in (("causes", CAUSES), ("enables", ENABLES), ("prevents", PREVENTS))
        for line in lines(block)
    ],
)
def test_a_stated_relation(kind: str, marked: str) -> None:
    links = [link for link in find_causes(plain(marked)) if link.kind == kind and not link.negated]
    pairs = [(cause, effect) for cause in guillemets(marked) for effect in angles(marked)]
    assert any(states(link, *pair) for link in links for pair in pairs), links


@pytest.mark.parametrize("text", lines(NEGATED))
def test_a_denied_relation_is_no_edge(text: str) -> None:
    links = find_causes(text)
    assert links
    assert all(link.negated for link in links)


@pytest.mark.parametrize("text", lines(HYPOTHETICAL))
def test_a_supposed_relation(text: str) -> None:
    links = find_causes(text)
    assert links
    assert all(link.hypothetical and not link.negated for link in links)


@pytest.mark.parametrize("text", lines(SILENT))
def test_no_relation(text: str) -> None:
    assert find_causes(text) == []
