"""A loop in two lanes that says which one it ran in, and compiles nothing."""

from windrow.loops import Laned


class Machine:
    """What numba makes of a function, as far as a lane looks at it."""

    def __init__(self):
        self.overloads = {}
        self.calls = 0
        self.py_func = lambda value: value

    def typeof_pyval(self, value):
        return type(value)

    def compile(self, types):
        self.overloads[types] = self

    def __call__(self, *_):
        self.calls += 1
        return "compiled"


def laned(machine, *, loads=None, alike=True):
    """A loop whose machine code is where `loads` says: nowhere, or for all types."""

    class Loop(Laned):
        def load(self, arguments):
            return bool(loads and loads(arguments))

    return Loop(
        lambda: machine, lambda: lambda *_: "columns", lambda: "k.run", alike=alike
    )
