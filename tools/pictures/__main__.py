"""Writes the pictures of docs/pictures/.

python -m tools.pictures            write
python -m tools.pictures --check    say which are stale, and fail if one is
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import FOLDER, PICTURES, stale


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pictures, or check them; the exit status."""
    parser = argparse.ArgumentParser(description="Pictures of the docs.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    checking = parser.parse_args(arguments).check
    names = stale()
    for name in names:
        if checking:
            print(f"docs/pictures/{name} is stale: it differs from tools/pictures")
        elif name.removesuffix(".svg") in PICTURES:
            drawn = PICTURES[name.removesuffix(".svg")]().svg()
            (FOLDER / name).write_text(drawn, encoding="utf-8")
            print(f"wrote docs/pictures/{name}")
        else:
            (FOLDER / name).unlink()
            print(f"removed docs/pictures/{name}, which nothing draws")
    if checking and names:
        print("Hint: run make docs")
    elif not names:
        print("all pictures are fresh")
    return 1 if checking and names else 0


if __name__ == "__main__":
    sys.exit(main())
