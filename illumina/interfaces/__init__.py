"""Thin ways in, without logic."""
