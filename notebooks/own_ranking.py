# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Try a ranking of your own
#
# The engine fuses its arms by reciprocal rank fusion: a fact at rank r of an arm gets 1 / (k + r) from it, with k = 60, and
# the sums are sorted. Is that the best one can do with these two arms? This notebook tries a fusion of its own and asks
# whether the difference is more than chance.

# %%
from collections import defaultdict
from dataclasses import replace

import polars as pl

from evals import load, run
from evals.measure import score
from evals.significance import Paired, holm, paired
from evals.suite import load_corpus
from evals.types import Ranking

suite = load("skerrow")
base = run(suite)

# %% [markdown]
# A run keeps the ranking of each arm beside the engine's own, so another fusion needs no database, only the run directory:

# %%
query = next(query for query in base.queries if query.query_class == "why")
print(query.text)
for system in ("semantic", "lexical", "fusion"):
    print(f"{system:9}", *base.rankings[system][query.id].units[:3], sep="  ")

# %% [markdown]
# ## A fusion
#
# Any function from the arms' rankings to a list of units will do. Here reciprocal rank fusion with a weight for each arm and
# another k. (The run keeps the first 50 units of an arm, where the engine fuses 300 candidates: at the top that is the same.)


# %%
def weighted(arms: dict[str, tuple[str, ...]], weights: dict[str, float], k: float) -> list[str]:
    """The units of all arms, best first."""
    scores: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        for rank, unit in enumerate(arms[name], start=1):
            scores[unit] += weight / (k + rank)
    # Ties are broken by name, never by chance.
    return sorted(scores, key=lambda unit: (-round(scores[unit], 9), unit))


def answer(name: str, weights: dict[str, float], k: float) -> list[Ranking]:
    """A ranking for each question, as a system of that name."""
    rankings = []
    for query in base.queries:
        empty = Ranking(query.id, name, (), ())
        arms = {arm: base.rankings[arm].get(query.id, empty).units for arm in weights}
        units = weighted(arms, weights, k)[: suite.depth]
        rankings.append(Ranking(query.id, name, tuple(units), tuple(float(-rank) for rank in range(len(units)))))
    return rankings


# %% [markdown]
# ## The candidates
#
# Three, decided on before looking at any figure: whoever tries a hundred and shows the best has measured luck.

# %%
candidates = {
    "rrf-10": answer("rrf-10", {"semantic": 1, "lexical": 1}, k=10),
    "meaning-first": answer("meaning-first", {"semantic": 2, "lexical": 1}, k=60),
    "words-first": answer("words-first", {"semantic": 1, "lexical": 2}, k=60),
}
corpus = load_corpus(suite, data=None)
fusion = [replace(ranking, system="fusion") for ranking in base.rankings["fusion"].values()]
scores = score(corpus, [*fusion, *(ranking for rankings in candidates.values() for ranking in rankings)])
headline = scores.filter(pl.col("headline"), pl.col("relevant") > 0)
headline.group_by("system", maintain_order=True).agg(pl.col("recall_at_10", "ndcg_at_10", "mrr").mean().round(3))

# %% [markdown]
# ## Better, or lucky?
#
# Each candidate is compared with the engine's fusion question by question. The interval is of the difference of nDCG@10, by
# a bootstrap over clusters of questions about one document; p is of a randomisation test, adjusted for having tried three.


# %%
def against_fusion(name: str) -> Paired:
    """The paired comparison of one candidate with the engine's own ranking."""
    old = headline.filter(system="fusion").select("query_id", "cluster", old="ndcg_at_10")
    both = old.join(headline.filter(system=name).select("query_id", new="ndcg_at_10"), on="query_id")
    return paired((both["new"] - both["old"]).to_list(), both["cluster"].to_list(), seed=f"fusion {name}")


results = {name: against_fusion(name) for name in candidates}
adjusted = holm({name: result.test.p for name, result in results.items()})
pl.DataFrame(
    {
        "candidate": name,
        "difference": round(result.difference, 4),
        "low": round(result.low, 4),
        "high": round(result.high, 4),
        "adjusted p": round(adjusted[name], 4),
        "won": result.wins,
        "lost": result.losses,
        "detectable": None if result.detectable is None else round(result.detectable, 4),
    }
    for name, result in results.items()
)

# %% [markdown]
# Of three tries the luckiest looks better than it is, and its interval alone may leave out 0: that is what the adjusted p is
# for. An interval that holds 0 says that these 56 questions cannot tell the two apart, and `detectable` how large a difference
# would have to be for them to. The mend is more questions, not another look: `run("core")` has 200, and public corpora
# have more.
#
# ## In the engine
#
# A constant is tried without a line of code: `run(load("core").tuned(rrf_k=10))`, or for good in a suite's TOML file:
#
# ```toml
# [engine]
# rrf_k = 10
# ```
#
# Then `illumina-eval compare` shows what it won and lost, and `illumina-eval gate` says whether it may land.
