r"""The command line: `windrow run`, `explain`, `doctor` and `demo`, a file each.

    windrow run calls.parquet --window "24 hours" --every "1 minute" --on ts \
        --by caller --agg "longest=max(len)" --to longest.parquet

Commands are light to load: pyspark and matplotlib are imported when a command has
checked what it can without them.
"""

import importlib.util
import sys
from collections.abc import Sequence

_NEEDED = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 or, for a refusal, 2."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(
            "cannot run the windrow command: "
            f"{' and '.join(missing)} cannot be imported by {sys.executable}\n"
            f"Hint: run {sys.executable} -m pip install 'windrow[cli]'\n"
        )
        return 2
    from ._app import run_app  # noqa: PLC0415 - typer is an extra: now it is there

    return run_app(arguments)


__all__ = ["main"]
