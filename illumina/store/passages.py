"""Chunks as a question finds them: by their own words, and by the facts that were taken from them.

A chunk is of the version of its document that holds, or held at the time asked about. Who may not see the document does not see
the chunk, and neither does who asks for facts of a kind of which none is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from illumina.store.believed import BELIEVED
from illumina.store.bm25 import SCORE, UNIT, WEIGHTS
from illumina.store.filters import VISIBLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from illumina.settings import Ranking
    from illumina.store.database import Session
    from illumina.store.filters import Condition


class Place(NamedTuple):
    """Names a chunk, in the order of documents and positions."""

    document: UUID
    version: int
    ordinal: int


class Passage(NamedTuple):
    """A chunk as it is shown: its text with what it reaches back to, and where that stands in the document."""

    preamble: str
    text: str
    start: int
    end: int
    source: str
    key: str | None
    occurred_at: datetime | None


class Scope(NamedTuple):
    """Which chunks there are, and which of them may be shown.

    Attributes:
        parameters: Who asks, what is wanted, and of which time (`Plan.parameters`).
        wanted: Only chunks with a fact like this.
        then: Whether a time is asked about.
    """

    parameters: Mapping[str, Any]
    wanted: Condition | None
    then: bool

    @property
    def standing(self) -> str:
        """Chunks `c` of documents `f` as they stand, or stood."""
        joined = (
            "illumina.chunks c join illumina.documents f on f.namespace = %(namespace)s and f.document = c.document "
            "and f.version = c.version where c.namespace = %(namespace)s "
        )
        return joined + (_STOOD if self.then else "and f.state = 'retained' ")

    @property
    def shown(self) -> str:
        """Those of them that whoever asks may see and wants."""
        if self.wanted is None:
            return f"and {VISIBLE} "
        live = BELIEVED if self.then else "f.retired_version is null and not f.superseded"
        return (
            f"and {VISIBLE} and exists (select from illumina.facts f where f.namespace = %(namespace)s "
            "and f.document = c.document and f.version = c.version and f.chunk = c.ordinal "
            f"and {live} and {self.wanted.sql}) "
        )


_TOLD: Final = "coalesce(d.occurred_at, d.recorded_at, '-infinity') <= %(as_of)s"

_STOOD: Final = (
    "and f.state <> 'accepted' and f.version = ("
    "  select max(d.version) from illumina.documents d where d.namespace = %(namespace)s and d.document = c.document"
    f"  and d.state <> 'accepted' and {_TOLD}) "
    "and not exists ("
    "  select from jsonb_array_elements(f.segments) said where (said->>0)::int < c.span_end"
    "  and (said->>1)::int > c.context_start and (said->>4)::timestamptz > %(as_of)s) "
)
"""The newest version that had been written by then; nothing in the chunk was said later."""


def by_words(session: Session, scope: Scope, lexemes: Sequence[str], ranking: Ranking) -> list[tuple[Place, float]]:
    """Chunks that share lexemes with a question, by BM25, then by place; see `illumina.store.bm25`."""
    if not lexemes:
        return []
    # Why: each chunk keeps its lexemes, so that one scan of the namespace's chunks gives scores and statistics, of any time.
    # The statistics are of all of them, so that what is not shown is taken away and reorders nothing.
    rows = session.execute(
        "with standing as materialized ("
        "  select c.document, c.version, c.ordinal, c.length,"
        "    case when c.lexemes && %(lexemes)s::text[] then c.lexemes end as lexemes, c.frequencies"
        f"  from {scope.standing}"
        "), corpus as materialized ("
        "  select count(*)::float8 as n, sum(length)::float8 / greatest(count(*), 1) as mean_length from standing"
        "), postings as materialized ("
        "  select s.document, s.version, s.ordinal, s.length, q.lexeme, s.frequencies[place] as frequency"
        "  from standing s, unnest(%(lexemes)s::text[]) as q (lexeme), array_position(s.lexemes, q.lexeme) as place"
        "  where s.lexemes is not null and place is not null"
        "), terms as materialized ("
        f"  select l.lexeme, {WEIGHTS} from corpus c, ("
        "    select lexeme, count(*) as facts from postings group by lexeme) l"
        "), scored as materialized ("
        f"  select p.document, p.version, p.ordinal, {SCORE}"
        "  from terms t join postings p on p.lexeme = t.lexeme group by 1, 2, 3"
        ") "
        "select document, version, ordinal, score from scored p where exists ("
        f"  select from {scope.standing}{scope.shown}"
        "   and c.document = p.document and c.version = p.version and c.ordinal = p.ordinal) "
        "order by score desc, document, ordinal limit %(depth)s",
        {
            **scope.parameters,
            "lexemes": list(lexemes),
            "unit": float(UNIT),
            "k1": ranking.bm25_k1,
            "b": ranking.bm25_b,
            "depth": ranking.arm_depth,
        },
        prepare=None,
    ).fetchall()
    return [(Place(*place), score / UNIT) for *place, score in rows]


def by_facts(session: Session, scope: Scope, facts: Sequence[UUID]) -> list[Place]:
    """The chunks from which facts were taken, in the order of the first fact of each."""
    # Why: by primary keys; a fact says in which chunk of which version it stands.
    rows = session.execute(
        "with taken as materialized ("
        "  select g.document, g.version, g.chunk as ordinal, min(h.place) as first"
        "  from unnest(%(facts)s::uuid[]) with ordinality as h (fact, place)"
        "  join illumina.facts g on g.namespace = %(namespace)s and g.fact = h.fact group by 1, 2, 3"
        ") "
        "select document, version, ordinal from taken p where exists ("
        f"  select from {scope.standing}{scope.shown}"
        "   and c.document = p.document and c.version = p.version and c.ordinal = p.ordinal) "
        "order by first",
        {**scope.parameters, "facts": list(facts)},
        prepare=None,
    ).fetchall()
    return [Place(*row) for row in rows]


def fetch(session: Session, places: Sequence[Place]) -> dict[Place, Passage]:
    """What is shown of chunks."""
    # Why: only the few that are shown are read with their text. Offsets are 0-based, `substr` counts from 1.
    rows = session.execute(
        "select c.document, c.version, c.ordinal, c.preamble, "
        "  substr(d.body, c.context_start + 1, c.span_end - c.context_start), "
        "  c.context_start, c.span_end, d.source, d.key, d.occurred_at "
        "from unnest(%(documents)s::uuid[], %(versions)s::int[], %(ordinals)s::int[]) as p (document, version, ordinal) "
        "join illumina.chunks c on c.namespace = %(namespace)s and c.document = p.document and c.version = p.version "
        "  and c.ordinal = p.ordinal "
        "join illumina.documents d on d.namespace = %(namespace)s and d.document = p.document and d.version = p.version",
        {
            "documents": [place.document for place in places],
            "versions": [place.version for place in places],
            "ordinals": [place.ordinal for place in places],
        },
    ).fetchall()
    return {Place(*row[:3]): Passage(*row[3:]) for row in rows}
