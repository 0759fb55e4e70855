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
# # Compare two runs
#
# A *suite* puts labelled questions to a corpus and scores the rankings. A *run* of it is a directory that holds everything:
# figures, rankings, each question's measures, and what the run is. This notebook makes two runs of the small suite
# `skerrow` (99 segments, 63 questions about a season at a bird observatory) that differ by one constant, and looks at the
# difference with Polars and with DuckDB.

# %%
import duckdb
import polars as pl

from evals import compare, load, run

suite = load("skerrow")
before = run(suite)
after = run(suite.tuned(bm25_b=0.0))  # BM25 without normalisation by length

before.path, after.path

# %% [markdown]
# ## What a run is
#
# A run is named by all that can change its result: the suite, the corpus, the engine's code and constants, the model. Two
# runs with one digest must have the same rankings, whoever made them and wherever. The two here differ in one field:

# %%
comparison = compare(before, after)
comparison.changes

# %% [markdown]
# ## The figures
#
# Means over the questions with an answer, of the engine's own ranking and of each arm alone:

# %%
pl.DataFrame(
    {
        "system": system,
        "run": name,
        **{measure: estimate.mean for measure, estimate in summary.headline.measures.items()},
    }
    for name, finished in (("before", before), ("after", after))
    for system, summary in finished.summary.systems.items()
).sort("system", "run", descending=[False, True])

# %% [markdown]
# ## Is the difference real?
#
# The same questions were put to both, so their differences are paired. Each has an interval from a bootstrap over clusters
# (questions about one document are not independent), a p from a randomisation test, and the least true difference that
# these questions could have shown. With 56 questions that is large: a difference that looks like progress is often chance.

# %%
pl.DataFrame(
    {
        "measure": name,
        "before": delta.old,
        "after": delta.new,
        "difference": delta.paired.difference,
        "low": delta.paired.low,
        "high": delta.paired.high,
        "adjusted p": delta.adjusted,
        "detectable": delta.paired.detectable,
        "won": delta.paired.wins,
        "lost": delta.paired.losses,
    }
    for name, delta in comparison.systems["fusion"].headline.items()
)

# %% [markdown]
# ## Which questions?
#
# `frame` has a line for each question and measure. By class of question:

# %%
frame = comparison.frame
frame.filter(measure="ndcg_at_10").group_by("query_class").agg(
    pl.len().alias("questions"),
    pl.col("old", "new", "difference").mean().round(3),
).sort("difference")

# %% [markdown]
# And the questions that moved most, with their texts:

# %%
texts = pl.DataFrame({"query_id": query.id, "text": query.text} for query in after.queries)
moved = frame.filter(pl.col("measure") == "ndcg_at_10", pl.col("difference") != 0)
moved.join(texts, on="query_id").sort("difference").select("text", "query_class", "old", "new", "difference").head(8)

# %% [markdown]
# ## The same with SQL
#
# A run directory is made of plain files: DuckDB reads `per_query.parquet` and the TREC files as they are, of as many runs as
# one likes. Here, how far down the best answer of each system is, by class:

# %%
duckdb.sql(f"""
    SELECT query_class, system, count(*) AS questions, round(avg(mrr), 3) AS mrr, median(retrieved) AS retrieved
    FROM read_parquet('{after.path}/per_query.parquet')
    WHERE relevant > 0
    GROUP BY ALL
    ORDER BY query_class, mrr DESC
""").pl().head(12)

# %% [markdown]
# Frames of this session are tables too. Where does the fusion do worse than its better arm?

# %%
per_query = after.per_query
duckdb.sql("""
    WITH wide AS (PIVOT per_query ON system USING first(ndcg_at_10) GROUP BY query_id, query_class)
    SELECT query_class, count(*) FILTER (fusion < greatest(semantic, lexical)) AS below, count(*) AS questions
    FROM wide
    WHERE fusion IS NOT NULL
    GROUP BY ALL
    ORDER BY below DESC, query_class
""").pl()

# %% [markdown]
# `illumina-eval compare RUN RUN` writes the same as a report, with every question; `illumina-eval gate RUN` judges it
# against the committed baseline.
