"""`python -m evals.cli`."""

from evals.cli import main

main()
