"""The evaluation harness: replay labelled corpora, score rankings, prove determinism, report."""
