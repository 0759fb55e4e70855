"""Retrieval arms: one signature, and none knows another."""
