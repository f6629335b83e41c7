"""Static loops compile with or without a place for their machine code."""

import numba

from windrow._compiled import compiled


def double(x):
    return 2 * x


def test_a_loop_is_compiled_and_cached_where_there_is_a_place():
    ready = compiled(double)

    assert ready(21) == 42
    assert numba.extending.is_jitted(ready)


def test_without_a_place_for_machine_code_a_loop_is_compiled_all_the_same(monkeypatch):
    real = numba.njit

    def refuse_caching(*, cache=False, nogil=False):
        if cache:
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return real(nogil=nogil)

    monkeypatch.setattr(numba, "njit", refuse_caching)
    ready = compiled(double)

    assert ready(21) == 42
    assert numba.extending.is_jitted(ready)
