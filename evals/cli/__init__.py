"""The command line `illumina-eval`; its commands are those of `evals.cli.commands`.

Nothing is imported here that takes time: whatever Ctrl-C interrupts, `main` is there to end quietly.
"""

import signal
import sys


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback, and so is a full disk."""
    # A kill then ends a command as Ctrl-C does: servers are stopped, and the exit code is 130.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)


def _run() -> None:
    from evals.cli.commands import app
    from evals.files import NO_SPACE, is_full
    from illumina.errors import IlluminaError

    try:
        app()
    except IlluminaError as error:
        _fail("\n".join([str(error), *getattr(error, "__notes__", [])]))
    except OSError as error:
        if not is_full(error):
            raise
        _fail(f"No space is left on the disk: {NO_SPACE}")


def _fail(message: str) -> None:
    sys.stderr.write(f"illumina-eval: {message}\n")
    sys.exit(2)
