"""A few windows with an inverse: a running value each, four in a loop."""

FEW = """
{jit}
def lead(source, first, width, end, to, out):
    # one window until the longest begins; gives its running value
    if width > end:
        return IDENTITY
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(1, width):
        prefix = combine(prefix, leaf(source, first + i))
    emit(out, to, prefix)
    for i in range(width, end):
        prefix = combine(prefix, leaf(source, first + i))
        prefix = inverse(prefix, leaf(source, first + i - width))
        emit(out, to + i + 1 - width, prefix)
    return prefix
"""

FEW_SLIDE = """
{jit}
def slide_{count}(source, first, length, q, ranges, at, out):
    {widths} = {reads}
    end = min(w{last}, length)  # of the longest of them
{leads}
    for i in range(end, length):
        newest = leaf(source, first + i)
        # {text}
{steps}
"""

FEW_RUN = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    for k in range(len(firsts)):
        first, length, q = firsts[k], lasts[k] - firsts[k], np.int64(0)
        while q + 4 <= len(ranges):
            slide_4(source, first, length, q, ranges, at, out)
            q += 4
        rest = len(ranges) - q
        if rest == 3:
            slide_3(source, first, length, q, ranges, at, out)
        elif rest == 2:
            slide_2(source, first, length, q, ranges, at, out)
        elif rest == 1:
            slide_1(source, first, length, q, ranges, at, out)
        for q in range(len(ranges)):
            at[q] += max(length - ranges[q] + 1, 0)
"""

FEW_LEAD = """\
    t{q} = at[q + {q}]
    p{q} = lead(source, first, w{q}, end, t{q}, out)"""

FEW_STEP = """\
        p{q} = combine(p{q}, newest)
        p{q} = inverse(p{q}, leaf(source, first + i - w{q}))
        emit(out, t{q} + i + 1 - w{q}, p{q})"""
