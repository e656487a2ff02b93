"""Compiled code reads named tuples behind a pointer as it would read the tuples."""

import pkgutil
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from flashwear._compiled import by_pointer, inner, jit, whole_numbers, zero_record
from flashwear._extras import plain_numba

RECORD = np.dtype([("key", np.int32), ("value", np.float64)], align=True)

# what numba does not promise, and this package uses
PRIVATE = """
numba.core.cgutils:alloca_once numba.core.cgutils:false_bit numba.core.cgutils:int32_t
numba.core.config:CACHE_DIR numba.core.config:CACHE_LOCATOR_CLASSES
numba.core.event:Listener numba.core.event:register
numba.core.types:intp numba.core.types:Array numba.core.types:Number numba.core.types:Boolean
numba.core.typing.templates:AttributeTemplate.generic_resolve numba.core.typing.typeof:typeof
numba.core.base:BaseContext.get_abi_sizeof numba.core.base:BaseContext.get_data_type
numba.core.base:BaseContext.get_value_type numba.core.base:BaseContext.enable_nrt
numba.core.datamodel.models:DataModel.as_data
numba.core.datamodel.models:DataModel.load_from_data_pointer
numba.core.pythonapi:PythonAPI.tuple_getitem
numba.extending:models.OpaqueModel numba.extending:lower_getattr_generic
numba.np.arrayobj:make_array numba.np.arrayobj:populate_array
"""


private = pytest.mark.skipif(plain_numba(), reason="of private names, which plain numba has not")


def is_there(name):
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@private
def test_what_numba_does_not_promise_is_there_and_does_what_it_did():
    vanished = [name for name in PRIVATE.split() if not is_there(name)]
    assert not vanished, f"numba {numba.__version__} no longer has {', '.join(vanished)}"
    touch(outside(), 0, 1)
    code = "".join(touch._entered.inspect_llvm().values())
    assert "!invariant.load" in code
    assert 'asm sideeffect "", "=r,0,~{memory}"' in code
    with pytest.raises(TypeError, match=r"only what .*jit compiles takes"):
        numba.njit(lambda o: o.shift)(outside())


@by_pointer
class Inside(NamedTuple):
    whole: int
    flag: bool
    real: float


@by_pointer
class Outside(NamedTuple):
    bytes: Any
    wide: Any
    records: Any
    inside: Inside
    shift: int


@inner
def added(o, index, amount):
    o.wide[index] += amount
    o.bytes[index] = o.wide[index]
    o.records[index].value += o.inside.real


@jit
def touch(o, index, amount):
    added(o, index, amount)
    size = o.bytes.size + 10 * o.wide.size + 100 * o.records.size
    return size, o.inside.whole, o.inside.flag, o.records[index].key << o.shift


def outside(kind=np.int8, flag=True):
    records = np.zeros(4, RECORD)
    records["key"] = [3, 5, 7, 9]
    return Outside(np.zeros(2, kind), np.zeros(3, np.int64), records, Inside(-7, flag, 0.25), 4)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.float32])
@pytest.mark.parametrize("flag", [True, False])
def test_fields_are_read_and_elements_written(kind, flag):
    given = outside(kind, flag)
    assert touch(given, 1, 42) == (2 + 30 + 400, -7, flag, 5 << 4)
    assert given.wide.tolist() == [0, 42, 0]
    assert given.bytes.tolist() == [0, 42]
    assert given.records["value"].tolist() == [0, 0.25, 0, 0]


def test_each_call_sees_its_tuple_and_fields_of_a_record_are_read_and_written():
    first, second = outside(), outside()
    for given, amount in ((first, 1), (second, 2), (first, 3)):
        touch(given, 0, amount)
    replaced = first._replace(wide=np.full(5, 10), shift=0)
    assert touch(replaced, 0, 1)[3] == 3
    assert (first.wide[0], second.wide[0], replaced.wide[0]) == (4, 2, 11)
    given = outside()._replace(bytes=np.zeros(1, np.int8), records=np.zeros(1, RECORD))
    assert touch(given, 0, 1)[0] == 1 + 30 + 100
    assert size(outside()._replace(bytes=np.zeros(0, np.int8))) == 0
    given = outside()._replace(wide=np.arange(100))
    assert total(given, 10, 20) == sum(range(10, 20))
    given = Counted(zero_record(whole_numbers("first", "second")), 3)
    given.counts.first = 7
    assert (count(given, 2), count(given, 10)) == (7, 7)
    assert given.counts.second == 36

    @jit
    def unknown(o):
        return o.other

    with pytest.raises(Exception, match="Unknown attribute 'other'"):
        unknown(outside())


@by_pointer
class Counted(NamedTuple):
    counts: Any
    factor: int


@jit
def count(o, by):
    o.counts.second += o.factor * by
    return o.counts.first


@jit
def size(o):
    return o.bytes.size


@jit
def total(o, start, stop):
    result = 0
    for value in o.wide[start:stop]:
        result += value
    return result


@private
@pytest.mark.parametrize("wrong", [np.zeros((2, 2)), np.zeros(6)[::2]])
def test_an_array_that_is_no_row_is_refused(wrong):
    with pytest.raises(TypeError, match="wide must be contiguous and have one dimension"):
        touch(outside()._replace(wide=wrong), 0, 1)


@private
@pytest.mark.parametrize("wrong", ["text", None, (1, 2)])
def test_a_field_of_another_kind_is_refused(wrong):
    with pytest.raises(TypeError, match="shift must be an array, a record, a number"):
        touch(outside()._replace(shift=wrong), 0, 1)
