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
# # First steps: retain and recall
#
# Illumina keeps what an agent is told as facts with their source, speaker and time, in one PostgreSQL, and finds them again
# by meaning and by words. This notebook tells a memory about a season at a bird observatory and asks it a few questions.
#
# Nothing has to be set up: `Memory.open()` starts the embedded PostgreSQL server, or joins one that is running. With
# `Memory.open("postgresql://…")` the memory lives on any other server that has pgvector.

# %%
from datetime import UTC, datetime

from illumina import Document, Memory, Utterance

memory = Memory.open()

# %% [markdown]
# ## Retain
#
# A text is retained under a namespace (nothing of another namespace is ever seen), with its source and its time. Each
# paragraph becomes a fact of its own; the receipt says how many.

# %%
receipt = memory.retain(
    "Fourteen skylarks and the first wheatear.\n\nNets stay open up to and including force 5.",
    namespace="observatory",
    source="log:warden",
    key="log-2025-03-14",
    occurred_at=datetime(2025, 3, 14, 8, 0, tzinfo=UTC),
)
receipt

# %% [markdown]
# A dialogue is a document whose body is a list of utterances. Who spoke, and when, stays with every fact.

# %%
radio = Document(
    [
        Utterance("Solan, this is Skerrow. We need forty litres of diesel, over.", speaker="Ishbel Rendall", label="1"),
        Utterance("Forty litres on Wednesday's boat. The old generator again, over?", speaker="Magnus Isbister", label="2"),
        Utterance("Water in the fuel. The drum had lost its lid, over.", speaker="Ishbel Rendall", label="3"),
    ],
    source="radio:channel-8",
    key="radio-2025-04-20",
    occurred_at=datetime(2025, 4, 20, 9, 30, tzinfo=UTC),
)
notice = Document(
    "From today nets come down at force 4. This replaces what the log of 14 March says.",
    source="notice:board",
    key="nets",
    occurred_at=datetime(2025, 5, 5, 7, 0, tzinfo=UTC),
)
memory.retain_many([radio, notice], namespace="observatory")

# %% [markdown]
# Ids come from content. Telling the memory the same thing again therefore changes nothing: `created` is false.

# %%
[receipt.created for receipt in memory.retain_many([radio, notice], namespace="observatory")]

# %% [markdown]
# ## Recall
#
# An answer is a ranking of facts. Each says where it comes from, when it was said and by whom, and which arms of the
# retrieval found it: `semantic` compares vectors, `lexical` is BM25, and reciprocal rank fusion joins the two.

# %%
answer = memory.recall("why did the generator stop", namespace="observatory", limit=3)
for result in answer.results:
    print(f"{result.score:.4f}  {result.speaker or result.source:16}  {result.content}  [{', '.join(result.arms)}]")

# %% [markdown]
# The cause stands second, and no word of it is in the question: only the semantic arm found it. A rule or an identifier is
# found by its words:

# %%
for result in memory.recall("force 4", namespace="observatory", limit=2).results:
    print(f"{result.occurred_at:%d %B}  {result.source}  {result.content}")

# %% [markdown]
# ## The same bytes
#
# The same memory and the same question give the same bytes, whatever the order in which things were retained, on every
# server. That is what makes a change of the ranking measurable at all.

# %%
again = memory.recall("why did the generator stop", namespace="observatory", limit=3)
assert again.to_json() == answer.to_json()
answer.to_json()[:120]

# %% [markdown]
# ## Failure is a mode
#
# Where the embedding model does not answer, recall answers from BM25 and says so. Here it works:

# %%
answer.degraded, answer.degraded_reasons

# %%
memory.close()

# %% [markdown]
# Next: `compare_runs.py` measures the memory on a labelled corpus and compares two configurations of it;
# `own_ranking.py` tries a fusion of your own.
