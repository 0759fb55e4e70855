"""Facts by a language model: what it is asked, what it may answer, and what becomes of the answer."""
