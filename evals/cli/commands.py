"""`illumina-eval`: plan and run suites, judge changes, check determinism, begin and validate corpora, render and log runs.

Commands are thin and import what they need when they run: the command line starts in a fraction of a second.
"""

import typer

from evals.cli import ablation, corpora, determinism, judging, machine, runs

HELP = __doc__.partition("\n")[0]

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=HELP)
app.command(name="list")(corpora.list_suites)
for command in (
    runs.plan,
    runs.run,
    runs.report,
    runs.log,
    ablation.ablate,
    ablation.sweep,
    determinism.determinism,
    judging.compare,
    judging.gate,
    judging.baseline,
    corpora.new,
    corpora.record,
    corpora.validate_corpus,
    machine.bench,
    machine.doctor,
):
    app.command()(command)
