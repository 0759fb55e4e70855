"""What an ablation or a sweep found: one frame, and the directory that keeps it.

| file | what |
|---|---|
| `ablation.parquet` | the frame below |
| `ablation.json` | the same rows, and what each variant is |
| `manifest.json` | `identity`, `environment`, `digest` (of the identity), `result_digest` (of the frame's rows) |
| `report.md` | the headline as a table, the largest loss first |

The frame has one row for each variant, system, measure and class of queries:

| column | type | what |
|---|---|---|
| `kind` | text | `full`, `leave-one-out`, `leave-one-in` or `sweep` |
| `variant` | text | the component's name; for `sweep` the settings, such as `rrf_k=10, bm25_b=0.5`; for `full` the word `full`, or in a
  sweep the default values of what is swept |
| `system` | text | `fusion`, or an arm alone (in sweeps only) |
| `measure` | text | one of the suite's measures |
| `query_class` | text | `all` for the headline queries together; a class of them; `apart/CLASS` for a class reported apart |
| `queries` | integer | queries with gold: what the means are over |
| `value` | float | the variant's mean |
| `delta` | float | the variant's mean − the full engine's; 0 for `full` |
| `low`, `high` | float | 95 % interval of `delta` (`evals/intervals.py`); null with fewer than two clusters, and for `full` |
| `p` | float | paired randomisation test of `delta` (`evals/significance.py`); null for `full` |
| `adjusted_p` | float | p by Holm over all variants that differ in what they do, for one system, measure and class |

Rows stand in this order: `full` first, then the variants as they were named; systems and measures in report order; `all`
before the classes.
"""
