"""Turns errors of Spark into one sentence that names the cause.

    PythonException    the last exception of the worker's traceback
    [SOME_CODE] words  the words, without code and SQLSTATE
    Java's own         the innermost cause
    end of a stream    its cause, without ids, offsets and plan
    moved checkpoint   the path at which Spark looks for it
    other timers       that silence counted before, or does so now

Windrow's own errors from workers are raised as they are; `verbose` prints the rest.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import traceback
from collections.abc import Iterator
from itertools import takewhile

from windrow import errors
from windrow.errors import WindrowError

from .console import err

_RAISED = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
_CODE = re.compile(r"^\[[A-Z0-9_.]+\]\s*")
_STATE = re.compile(r"\s*SQLSTATE: \w+.*$")
_STREAM = re.compile(r"^Query \[id = .*?\] terminated with exception: ")
_MOVED = re.compile(r"(\S+)/state/\d+/_stateSchema/\S* does not exist")
_TIMERS = re.compile(r"Cannot change timeMode from (\w+) to \w+ between restarts")
_JAVA = re.compile(r"^(?:Caused by: |: )?((?:[a-z]\w*\.)+[A-Z][\w$]*): (.*)$")

# What follows the message in a worker's traceback.
_AFTER = ("\tat ", "JVM stacktrace", " SQLSTATE: ", "=== Streaming Query ===")

# PySpark's own, which print an error's whole stack as JSON before it is raised.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextlib.contextmanager
def plain_errors(fact: str, *, verbose: bool) -> Iterator[None]:
    """Turn an error of Spark in the block into a sentence that begins with `fact`."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.disabled = not verbose
    try:
        yield
    except WindrowError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        if verbose:
            err.print("".join(traceback.format_exception(error)))
        raise rephrase(fact, str(error)) from error
    finally:
        for logger in loggers:
            logger.disabled = False


def rephrase(fact: str, text: str) -> WindrowError:
    """The error for Spark's message."""
    python = _python_cause(text)
    moved = _MOVED.search(text)
    if python is None and moved is not None:
        return WindrowError.because(
            fact,
            f"its checkpoint was made at {moved[1]}, and is not there any more",
            "move it back, in place of the empty folder that Spark makes there: Spark "
            "writes that path into files of its own; or start the query with a "
            "checkpoint of its own",
        )
    timers = _TIMERS.search(text)
    if python is None and timers is not None:
        was, is_now = "without idle", "with it"
        if timers[1] == "ProcessingTime":
            was, is_now = "with idle", "without it"
        return WindrowError.because(
            fact,
            f"its checkpoint was made {was}, and the query runs {is_now}: Spark keeps "
            "timers of one kind",
            "run it as it was, or start it with a checkpoint of its own",
        )
    if python is None:
        hint = "--verbose shows all that Spark says"
        return WindrowError.because(fact, _spark_cause(text), hint)
    name, message = python
    known = getattr(errors, name, None)
    if isinstance(known, type) and issubclass(known, WindrowError):
        return known(message)
    if name == "ModuleNotFoundError" and "windrow" in message:
        return WindrowError.because(
            fact,
            f"Spark's Python workers cannot import windrow ({message})",
            f"run export PYSPARK_PYTHON={sys.executable}, or install windrow there",
        )
    cause = f"{name} in a Python worker: {message.partition(chr(10))[0]}"
    return WindrowError.because(fact, cause, "--verbose shows the worker's traceback")


def _python_cause(text: str) -> tuple[str, str] | None:
    """The name and the message of the last exception in a worker's traceback."""
    _, heading, trace = text.rpartition("Traceback (most recent call last):")
    if not heading:
        return None
    lines = iter(trace.splitlines())
    raised = next(filter(None, map(_RAISED.match, lines)), None)
    if raised is None:
        return None
    rest = takewhile(lambda line: line.strip() and not line.startswith(_AFTER), lines)
    return raised[1].rpartition(".")[2], "\n".join(
        [raised[2] or "", *map(str.strip, rest)]
    )


def _spark_cause(text: str) -> str:
    lines = text.strip().splitlines()
    java = [match for line in lines if (match := _JAVA.match(line))]
    words = java[-1][2] if java else lines[0] if lines else "it gave no reason"
    words = _CODE.sub("", _STREAM.sub("", _CODE.sub("", words)))
    words = _STATE.sub("", words).strip()
    return words.rstrip(".") or "it gave no reason"
