"""A memory for AI agents that can be checked."""
