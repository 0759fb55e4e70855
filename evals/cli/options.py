"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

SuiteArgument = Annotated[str, typer.Argument(help="A suite's name, or the path of its TOML file.")]
RunDirectory = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")]
Data = Annotated[Path | None, typer.Option(help="The folder of the public corpora, such as ../shared/data.")]
Out = Annotated[Path, typer.Option(help="Where run directories are written.")]
Postgres = Annotated[str, typer.Option(help="auto, embedded, testcontainers, or the DSN of a server to make databases on.")]
Part = Annotated[
    str | None, typer.Option("--part", help="Only this part of the corpus: a LoCoMo dialogue (conv-26), a RealMem person.")
]
Reports = Annotated[Path, typer.Option("--out", help="Where the reports of the comparison are written.")]
SuiteOption = Annotated[
    str | None, typer.Option("--suite", help="The suite that judges, by name or TOML file; default: the one the run is of.")
]
