"""Many windows with an inverse: prefixes of a whole lap, and differences."""

SCAN_ON = """
{jit}
def scan_on(source, first, low, high, partial, prefix, at):
    # prefix scan: eager; prefix[at + i] is that of inputs before low + i
    for p in range(low, high):
        store(prefix, at + p - low, partial)
        partial = combine(partial, leaf(source, first + p))
    return partial
"""

ANSWERS = """
{jit}
def {name}(out, to, count, {given}, i, {other}j, step):
    # windows that are {text}, and so on
    if step == 1:
        for n in range(count):
            emit(out, to + n, {answer}(load({older}, i + n), load({newer}, j + n)))
    else:
        for n in range(count):
            o = n * step
            emit(out, to + n, {answer}(load({older}, i + o), load({newer}, j + o)))
"""

LAPS = """
{jit}
def slide(source, first, length, lap, ranges, slides, at, suffix, prefix, out):
    reach = ranges[-1]  # how far back suffixes are needed
    for begin in range(0, length + 1, lap):
        if begin > 0:  # trigger-point
            scan_back(source, first + begin - reach, reach, suffix)
        partial = IDENTITY
        end = min(begin + lap, length + 1)
        for low in range(begin, end, {block}):
            high = min(low + {block}, end)
            upto = min(high, length)
            partial = scan_on(source, first, low, upto, partial, prefix, low - begin)
            if high > length:
                store(prefix, length - begin, partial)
            for q in range(len(ranges)):  # window q: from p - width to p
                width, step = ranges[q], slides[q]
                p = max(low, width)
                p += (width - p) % step
                # {last}
                until = min(begin + width, high)
                if p < until:
                    count = (until - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    i = p - width - begin + reach
                    meet(out, to, count, suffix, i, prefix, p - begin, step)
                    p += count * step
                # {same}
                if p < high:
                    count = (high - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    leave(out, to, count, prefix, p - begin, p - begin - width, step)
"""

LAPS_SCRATCH = """\
    suffix, prefix = allocate(room), allocate(lap)"""

LAPS_CALL = """\
        if ranges[0] <= length:
            slide(
                source, first, length, lap, ranges, slides, at, suffix, prefix, out
            )"""
