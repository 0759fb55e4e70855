"""Loaders of labelled sets from public sources."""
