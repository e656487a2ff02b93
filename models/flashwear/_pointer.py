"""Named tuples that compiled functions pass on as one pointer.

numba hands a tuple of thirty arrays on word by word: two hundred of them are copied in each call,
which takes longer than what most functions do. Of a class that is declared so the
words are written down once, when compiled code is called from Python, and read where they are
needed. Code that :func:`flashwear._compiled.jit` compiles can read the fields of such a tuple, but
not make one, nor give an array of it back.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.core.typing.typeof import typeof
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

_BYTES = ir.IntType(8).as_pointer()


class Pointer(types.Type):
    """The type of a named tuple that is passed as a pointer.

    Its fields are arrays, contiguous and of one dimension, records, numbers, and further such
    tuples.
    """

    def __init__(self, kind: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = dict(fields)
        # the name is part of that of each function: short
        digest = hashlib.sha256(str(fields).encode()).hexdigest()[:16]
        super().__init__(f"{kind}_{digest}")


register_model(Pointer)(models.OpaqueModel)

_FIELDS = types.Array | types.Record | types.Number | types.Boolean | Pointer


def declare(kind: Any) -> None:
    """Declare that a class of named tuples is passed as a pointer."""

    @typeof_impl.register(kind)
    def _(value: Any, context: Any) -> Pointer:
        fields = {name: typeof(field, context.purpose) for name, field in value._asdict().items()}
        for name, field in fields.items():
            if isinstance(field, types.Array) and (field.ndim, field.layout) != (1, "C"):
                raise TypeError(f"{name} must be contiguous and have one dimension, got {field}")
            if not isinstance(field, _FIELDS):
                raise TypeError(
                    f"{name} must be an array, a record, a number or such a tuple, got {field}"
                )
        return Pointer(kind.__name__, tuple(fields.items()))


class _Words:
    """The words at the pointer: address and size of an array, address of a record, or a number."""

    def __init__(self, context: Any, builder: Any, kind: Pointer, pointer: Any) -> None:
        self.context, self.builder, self.names = context, builder, list(kind.fields)
        self.at = builder.bitcast(pointer, self.layout(context, kind).as_pointer())

    @staticmethod
    def layout(context: Any, kind: Pointer) -> Any:
        size = context.get_value_type(types.intp)

        def word(field: Any) -> Any:
            if isinstance(field, types.Array):
                return ir.LiteralStructType([_BYTES, size])
            return _BYTES if isinstance(field, types.Record) else context.get_data_type(field)

        return ir.LiteralStructType([word(field) for field in kind.fields.values()])

    def place(self, name: str, *part: int) -> Any:
        steps = (0, self.names.index(name), *part)
        return self.builder.gep(self.at, [cgutils.int32_t(i) for i in steps], inbounds=True)

    def load(self, name: str, *part: int) -> Any:
        """Load a word, marked as invariant for the optimiser."""
        word = self.builder.load(self.place(name, *part))
        word.set_metadata("invariant.load", self.builder.module.add_metadata([]))
        return word


@infer_getattr
class _Fields(AttributeTemplate):
    key = Pointer

    def generic_resolve(self, kind: Pointer, name: str) -> Any:
        return kind.fields.get(name)


@lower_getattr_generic(Pointer)
def _read(context: Any, builder: Any, kind: Pointer, pointer: Any, name: str) -> Any:
    words, field = _Words(context, builder, kind, pointer), kind.fields[name]
    if isinstance(field, types.Record):
        return builder.bitcast(words.load(name), context.get_value_type(field))
    if not isinstance(field, types.Array):
        model = context.data_model_manager[field]
        return model.load_from_data_pointer(builder, words.place(name))
    array = make_array(field)(context, builder)
    item = context.get_abi_sizeof(context.get_data_type(field.dtype))
    step = context.get_constant(types.intp, item)
    data = builder.bitcast(words.load(name, 0), array.data.type)
    shape = [words.load(name, 1)]
    populate_array(array, data=data, shape=shape, strides=[step], itemsize=step, meminfo=None)
    return array._getvalue()


@unbox(Pointer)
def _write_down(kind: Pointer, value: Any, c: Any) -> Any:
    context, builder = c.context, c.builder
    if context.enable_nrt:
        raise TypeError("only what flashwear._compiled.jit compiles takes such a tuple")
    memory = cgutils.alloca_once(builder, _Words.layout(context, kind))
    pointer = builder.bitcast(memory, _BYTES)
    words = _Words(context, builder, kind, pointer)
    failed = cgutils.false_bit
    cleanups: list[Callable[[], None]] = []
    for i, (name, field) in enumerate(kind.fields.items()):
        native = c.unbox(field, c.pyapi.tuple_getitem(value, i))
        failed = builder.or_(failed, native.is_error)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)
        if isinstance(field, types.Array):
            array = make_array(field)(context, builder, native.value)
            builder.store(builder.bitcast(array.data, _BYTES), words.place(name, 0))
            builder.store(array.nitems, words.place(name, 1))
        elif isinstance(field, types.Record):
            builder.store(builder.bitcast(native.value, _BYTES), words.place(name))
        else:
            data = context.data_model_manager[field].as_data(builder, native.value)
            builder.store(data, words.place(name))

    def cleanup() -> None:
        for one in reversed(cleanups):
            one()

    # to the optimiser another address than that just written to, whose words never change
    hidden = ir.FunctionType(_BYTES, [_BYTES])
    pointer = builder.asm(hidden, "", "=r,0,~{memory}", [pointer], side_effect=True)
    return NativeValue(pointer, is_error=failed, cleanup=cleanup)
