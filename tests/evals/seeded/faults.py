"""The faults, each a few exact replacements in the engine's source. Adding one is adding an entry to `FAULTS`.

Where a replacement's text is no longer in the source exactly once, its test fails and says so: bring it up to date here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple


class Edit(NamedTuple):
    """Replace `old`, which must occur exactly once in `path` below `illumina/`, by `new`."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Fault:
    """A way to break the engine.

    Attributes:
        name: What is wrong.
        edits: How.
        caught_by: The checks that must notice, each with a query that shows it: `gate` (another ranking than recorded, its
            fingerprint ignored), `L1`, `L2`, `L3`, `neighbours`, or `error` (the engine or the database refuses, and the
            harness says at which question). None at all: the database makes up for the fault, and no check may complain.
    """

    name: str
    edits: tuple[Edit, ...]
    caught_by: frozenset[str]

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


POLICY_OFF: Final = tuple(
    Edit(
        f"store/migrations/{name}.sql",
        "'using (namespace = (select current_setting(''illumina.namespace'')::bigint)) '",
        "'using (true) '",
    )
    for name in ("0001_ledger", "0002_retain")
)
"""Reading is no longer walled off by the database itself, so that a filter that the engine forgets is not made up for."""

FACTS_OF_ALL: Final = (
    Edit(
        "recall/arms/semantic.py",
        'f"    where namespace = {session.namespace} and not',
        'f"    where not',
    ),
    Edit("store/recalled.py", "on d.namespace = %(namespace)s and", "on d.namespace = r.namespace and"),
    Edit("store/recalled.py", "where r.namespace = %(namespace)s and r.fact", "where r.fact"),
)

FAULTS: Final = (
    Fault("rrf k of 10", (Edit("settings.py", "rrf_k: int = 60", "rrf_k: int = 10"),), frozenset({"gate"})),
    Fault(
        "an arm dropped",
        (Edit("recall/pipeline.py", "for arm in arms}\n        searched", "for arm in arms[:1]}\n        searched"),),
        frozenset({"gate"}),
    ),
    Fault(
        "ties broken by insertion",
        (Edit("recall/arms/lexical.py", "order by score desc, p.fact limit", "order by score desc, min(p.ctid) limit"),),
        frozenset({"L3"}),
    ),
    Fault(
        "ties broken by falling id",
        (Edit("recall/fuse.py", "(-scores[fact], fact)", "(-scores[fact], -int.from_bytes(fact))"),),
        frozenset({"gate"}),
    ),
    Fault(
        "BM25 without length normalisation",
        (
            Edit(
                "store/bm25.py",
                "%(k1)s * (1 - %(b)s) as flat, %(k1)s * %(b)s / c.mean_length as slope",
                "%(k1)s::float8 as flat, 0::float8 as slope",
            ),
        ),
        frozenset({"gate"}),
    ),
    Fault(
        "the wall clock in the ranking",
        (
            Edit(
                "recall/fuse.py",
                "round(total / best, DECIMALS)",
                "round(total / best * 0.5 ** (__import__('time').time() % 60 / 60), DECIMALS)",
            ),
        ),
        frozenset({"L1", "L2", "L3"}),
    ),
    Fault(
        "a recall that changes the next",
        (
            Edit(
                "recall/fuse.py",
                "    chosen = sorted(scores,",
                "    seen = vars(fuse).setdefault('seen', {})\n"
                "    scores = {fact: round(score + seen.get(fact, 0) / 999, DECIMALS) for fact, score in scores.items()}\n"
                "    seen.update({fact: seen.get(fact, 0) + 1 for fact in scores})\n"
                "    chosen = sorted(scores,",
            ),
        ),
        frozenset({"gate", "L1"}),
    ),
    Fault(
        "random ids",
        (
            Edit(
                "retain/extract.py",
                'content_uuid("fact", document.id.hex, *same, seen[same])',
                '__import__("uuid").uuid4()',
            ),
        ),
        frozenset({"gate", "L2", "L3"}),
    ),
    Fault(
        "float sums in SQL",
        (
            Edit(
                "store/bm25.py",
                "sum(round(t.weight * p.frequency / (p.frequency + t.flat + t.slope * p.length)))",
                "sum(t.weight * p.frequency / (p.frequency + t.flat + t.slope * p.length))",
            ),
        ),
        frozenset({"gate"}),
    ),
    Fault(
        "a filter after the limit",
        (
            Edit(
                "recall/arms/semantic.py",
                'with nearest as materialized ("\n        f"  select facts,',
                'with nearest as materialized ("\n        f"  select namespace, facts,',
            ),
            Edit(
                "recall/arms/semantic.py",
                '(select facts, {scored} from illumina.blocks"\n        f"    where namespace = {session.namespace} and not',
                '(select namespace, facts, {scored} from illumina.blocks"\n        f"    where not',
            ),
            Edit(
                "recall/arms/semantic.py",
                '"select fact, distance from (select unnest(facts)',
                '"select fact, distance from (select namespace, unnest(facts)',
            ),
            Edit(
                "recall/arms/semantic.py",
                '"where distance <= (select case',
                'f"where namespace = {session.namespace} and distance <= (select case',
            ),
            *POLICY_OFF,
        ),
        frozenset({"neighbours"}),
    ),
    Fault("a namespace filter and the policy forgotten", (*FACTS_OF_ALL, *POLICY_OFF), frozenset({"gate", "neighbours"})),
    Fault("a namespace filter forgotten", FACTS_OF_ALL, frozenset()),
    Fault(
        "a recall that does not say in which namespace it is",
        (
            Edit(
                "recall/pipeline.py",
                "with database.read(namespace) as session:\n",
                "with database.read(namespace) as session:\n        session.connection.execute('reset illumina.namespace')\n",
            ),
        ),
        frozenset({"error"}),
    ),
    Fault(
        "document frequencies of all namespaces",
        (
            Edit("recall/arms/lexical.py", "where l.namespace = %(namespace)s and l.lexeme", "where l.lexeme"),
            *POLICY_OFF,
        ),
        frozenset({"gate", "neighbours"}),
    ),
    Fault(
        "corroboration by other namespaces",
        (
            Edit(
                "store/recalled.py",
                'where f.namespace = %(namespace)s "\n        f"   and f.content',
                'where "\n        f"   f.content',
            ),
            *POLICY_OFF,
        ),
        frozenset({"neighbours"}),
    ),
)
