"""Language models behind one method, recorded call by call (extra `llm`)."""
