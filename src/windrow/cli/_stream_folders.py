"""Checks the three folders of a stream before Spark starts.

    SOURCE              has a file already, from which columns and types are taken
    OUT                 Parquet, written by this stream alone
    OUT.checkpoint      the position of the stream; beside OUT, since files inside OUT
                        would be read as results

A first start finds neither OUT nor checkpoint, a later one both.  One without the
other is refused: Spark would skip micro-batches that OUT's log has under the same
numbers, or fail at the missing log some batches later.
"""

from __future__ import annotations

from pathlib import Path

from windrow.errors import BadInput

from ._files import check_is_there, is_local, suffix_of


def check_folders(source: str, sink: str, checkpoint: str | None) -> str:
    """The checkpoint's place, if a stream can run from source to sink."""
    check_is_there(source)
    if is_local(source):
        _check_source(source)
    kind = suffix_of(sink)
    if kind not in ("", "parquet"):
        raise BadInput.because(
            f"cannot stream into {sink}",
            f"its name is that of a {kind} file, and streams write Parquet",
            "choose a name that ends in .parquet",
        )
    place = checkpoint or sink.rstrip("/") + ".checkpoint"
    if is_local(sink) and is_local(place):
        _check_pair(Path(sink), Path(place))
    return place


def _check_source(source: str) -> None:
    folder = Path(source)
    if not folder.is_dir():
        raise BadInput.because(
            f"cannot follow {source}",
            "it is a file, and new rows come as new files",
            "name the folder it is in, or leave out --stream",
        )
    if not any(path.is_file() for path in folder.rglob("[!._]*")):
        raise BadInput.because(
            f"cannot follow {source}",
            "there is no file in it to take the columns and their types from",
            "put a first file there, then start",
        )


def _check_pair(sink: Path, checkpoint: Path) -> None:
    written = sink.exists() and (not sink.is_dir() or any(sink.iterdir()))
    going_on = any(checkpoint.glob("commits/[0-9]*"))
    if written and not checkpoint.exists():
        raise BadInput.because(
            f"cannot stream into {sink}",
            f"it is there already, and {checkpoint}, from which its stream would go "
            "on, is not",
            "choose another name, or name that stream's checkpoint with --checkpoint",
        )
    if going_on and not sink.exists():
        raise BadInput.because(
            f"cannot go on from {checkpoint}",
            f"its results are not in {sink} any more",
            "bring them back, or remove the checkpoint as well to start from the first "
            "file",
        )
