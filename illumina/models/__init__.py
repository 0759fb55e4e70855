"""What can be down: embedders now; rerankers and LLMs later. Each has a small protocol and a fingerprint."""
