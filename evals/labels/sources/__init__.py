"""Loaders of labelled sets, from public sources and from our own corpora."""
