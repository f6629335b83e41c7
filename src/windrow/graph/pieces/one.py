"""One window: suffixes and a running prefix, a running value, or the inputs."""

SCAN_BACK = """
{jit}
def scan_back(source, first, lap, suffix):
    # suffix scan: lazy, once the lap that begins at `first` is complete
    partial = leaf(source, first + lap - 1)
    store(suffix, lap - 1, partial)
    for j in range(lap - 2, -1, -1):
        partial = combine(leaf(source, first + j), partial)
        store(suffix, j, partial)
"""

ONE = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    {scratch}width, to = ranges[0], at[0]
    for k in range(len(firsts)):
        first, count = firsts[k], lasts[k] - firsts[k] - width + 1
        if count > 0:
            slide(source, first, count, width, to, {passed}out)
            to += count
    at[0] = to
"""

BY_SCANS = """
{jit}
def slide(source, first, count, width, to, suffix, out):
    for begin in range(0, count, width):
        scan_back(source, first + begin, width, suffix)  # trigger-point
        emit(out, to + begin, load(suffix, 0))
        prefix = IDENTITY  # prefix scan: eager, one running value
        for j in range(1, min(width, count - begin)):
            # {text}
            prefix = combine(prefix, leaf(source, first + begin + width + j - 1))
            emit(out, to + begin + j, combine(load(suffix, j), prefix))
"""

RUNNING = """
{jit}
def slide(source, first, count, width, to, out):
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(first + 1, first + width):
        prefix = combine(prefix, leaf(source, i))
    emit(out, to, prefix)
    for i in range(1, count):
        # {text}
        prefix = combine(prefix, leaf(source, first + width + i - 1))
        prefix = inverse(prefix, leaf(source, first + i - 1))
        emit(out, to + i, prefix)
"""

INPUTS = """
{jit}
def slide(source, first, count, width, to, out):
    for i in range(count):
        emit(out, to + i, leaf(source, first + i))  # {text}
"""
