"""Dataclasses that are finished with their first instance are like any others."""

import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from windrow import _later


def make(dataclass):
    """A few classes, made by that decorator."""

    @dataclass(frozen=True)
    class Base:
        a: int
        b: str = "b"

        def __post_init__(self):
            if self.a < 0:
                raise ValueError(self.a)

    @dataclass(frozen=True)
    class Child(Base):
        c: list = dataclasses.field(default_factory=list, compare=False)
        d: float = dataclasses.field(default=0.5, repr=False)

    @dataclass(frozen=True, kw_only=True)
    class Named:
        a: int = 1
        b: int

    @dataclass(frozen=True, eq=False)
    class Apart:
        a: int

        def __repr__(self):
            return "apart"

    return {cls.__name__: cls for cls in (Base, Child, Named, Apart)}


def try_out(classes):
    """What all of them answer."""

    def attempt(call):
        try:
            return call()
        except (TypeError, ValueError, AttributeError) as error:
            return type(error)

    child, named = classes["Child"](1, c=[2]), classes["Named"](b=3)
    apart = classes["Apart"](1)
    return {
        "text": [repr(each).split(">.")[-1] for each in (child, named, apart)],
        "values": [dataclasses.asdict(each) for each in (child, named, apart)],
        "equal": [
            child == classes["Child"](1, c=[3]),
            child == classes["Base"](1),
            child == classes["Child"](2),
            apart == classes["Apart"](1),
            hash(child) == hash(classes["Child"](1)),
        ],
        "matched": type(child).__match_args__,
        "replaced": dataclasses.replace(child, a=5).a,
        "refused": [
            attempt(lambda: setattr(child, "a", 2)),
            attempt(lambda: delattr(child, "a")),
            attempt(classes["Base"]),
            attempt(lambda: classes["Base"](-1)),
            attempt(lambda: classes["Named"](1, 2)),
            attempt(lambda: classes["Named"](c=1)),
        ],
        "fresh": classes["Child"](1).c is not classes["Child"](1).c,
    }


def test_a_class_finished_later_answers_as_one_of_the_standard_library():
    actual = try_out(make(_later.dataclass))

    assert actual == try_out(make(dataclasses.dataclass))


@_later.dataclass(frozen=True)
class Restored:
    """Met first in a pickle."""

    a: int


def test_an_instance_out_of_a_pickle_finishes_its_class():
    state = b"\x80\x04c%b\nRestored\n)\x81}X\x01\x00\x00\x00aK\x07sb."
    assert "_finish" in Restored.__dict__

    actual = pickle.loads(state % __name__.encode())

    assert "_finish" not in Restored.__dict__
    assert actual == Restored(7)
    assert pickle.loads(pickle.dumps(actual)) == actual


@pytest.mark.parametrize("_", range(5))
def test_threads_may_make_the_first_instance_at_once(_):
    child = make(_later.dataclass)["Child"]
    together = Barrier(8)

    def first(number):
        together.wait()
        return child(number).a

    with ThreadPoolExecutor(8) as pool:
        actual = list(pool.map(first, range(8)))

    assert actual == list(range(8))
