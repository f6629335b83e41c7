r"""The command line: `windrow run`, `as-of`, `compare` and others, a file each.

    windrow run calls.parquet --window "24 hours" --every "1 minute" --on ts \
        --by caller --agg "longest=max(len)" --to longest.parquet

Commands are light to load: pyspark and matplotlib are imported when a command has
checked what it can without them.
"""

import sys
from collections.abc import Sequence

from windrow.errors import WindrowError

from ._machine import require_packages


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 or, for a refusal, 2."""
    try:
        require_packages("cannot run the windrow command", "cli", "typer", "rich")
    except WindrowError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    from ._app import run_app  # noqa: PLC0415 - typer is an extra: now it is there

    return run_app(arguments)


__all__ = ["main"]
