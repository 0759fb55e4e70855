"""From a question to a ranking."""
