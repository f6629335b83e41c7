"""Assembles the commands, and prints errors with an exit code.

    WindrowError      the sentence and its hint in red on stderr     exit code 2
    wrong options     the same, the hint names the command's help    exit code 2
    Ctrl-C            one word                                       exit code 130
    Ctrl-C, a stream  it ends after its micro-batch                  exit code 0

A traceback is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import windrow
from windrow.errors import BadInput, WindrowError

from . import as_of, bench, compare, demo, doctor, explain, run, tiles, warm
from .console import out, show_error

# What typer raises for wrong options: click's class, of which newer typers carry a
# copy of their own, so that no one name for it works with all.
_WrongOptions: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="windrow",
    help="Sliding-window aggregates at a cost that does not depend on the window.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="run", no_args_is_help=True)(run.run)
app.command(name="explain", no_args_is_help=True)(explain.explain)
app.command(name="as-of", no_args_is_help=True)(as_of.as_of)
app.command(name="tiles", no_args_is_help=True)(tiles.tiles)
app.command(name="compare", no_args_is_help=True)(compare.compare)
app.command(name="warm", no_args_is_help=True)(warm.warm)
app.command(name="doctor")(doctor.doctor)
app.command(name="demo")(demo.demo)
app.command(name="bench", add_help_option=False, context_settings=bench.AS_THEY_ARE)(
    bench.bench
)


def _show_version(is_set: bool) -> None:
    if is_set:
        out.print(f"windrow {windrow.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def run_app(arguments: Sequence[str] | None) -> int:
    """Run one command; give its exit code."""
    try:
        code = app(arguments, prog_name="windrow", standalone_mode=False)
    except WindrowError as error:
        show_error(error)
        return 2
    except _WrongOptions as error:
        return _refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        show_error(RuntimeError("stopped"))
        return 130
    return code if isinstance(code, int) else 0


def _refuse(error: Exception) -> int:
    """Print what is wrong with the options; without any, print the help."""
    message = str(getattr(error, "format_message", error.__str__)())
    if type(error).__name__ == "NoArgsIsHelpError":
        if message:
            out.print(message)
        return 0
    command = getattr(getattr(error, "ctx", None), "command_path", "windrow")
    words = message.strip().rstrip(".").replace("\n", " ")
    fact, hint = f"cannot understand the options of {command}", "--help lists them"
    cause = words[:1].lower() + words[1:]
    show_error(BadInput.because(fact, cause, f"{command} {hint}"))
    return 2
