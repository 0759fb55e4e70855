"""Records of runs without a run: values drawn or given, for the tests of comparisons and gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evals.baseline import Answered, Gold, Record
from evals.rundir import identity_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEASURES = ("ndcg_at_10", "mrr")


def identity(**engine: object) -> dict[str, Any]:
    return {
        "suite": {"name": "toy", "measures": list(MEASURES), "depth": 50},
        "corpus": {"name": "toy", "digest": "c" * 64},
        "engine": {"code": "1", "ranking": {"rrf_k": 60}, **engine},
        "measure_version": 1,
    }


def record(
    ndcg: Sequence[float],
    *,
    named: Mapping[str, Any] | None = None,
    result: str = "r1",
    ranks: Mapping[str, int] | None = None,
    clusters: Sequence[str] | None = None,
    mrr: Sequence[float] | None = None,
) -> Record:
    """One system, `fusion`, and two measures; every query has one gold unit, at rank 1 unless `ranks` says otherwise."""
    who = named or identity()
    queries = []
    for number, value in enumerate(ndcg):
        name = f"q{number:03}"
        queries.append(
            Answered(
                id=name,
                query_class="ab"[number % 2],
                cluster=clusters[number] if clusters else name,
                headline=True,
                values=((value, value if mrr is None else mrr[number]),),
                gold=(Gold(f"doc#{number}", 1, ((ranks or {}).get(name, 1),)),),
            )
        )
    return Record("toy", identity_digest(who), result, who, ("fusion",), MEASURES, tuple(queries))
