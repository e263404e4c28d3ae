"""Kernels that are compiled apart from their callers, and only when they are first called.

numba copies the code of a kernel into every kernel that calls it, and there LLVM optimises it
again. A score that is called by many kernels, at the end of long chains of calls, was so compiled
a dozen times. A kernel that is called through `apart` is compiled once. Its callers find its
address when they first call it. So the branches that a table never takes are never compiled.

Such a call costs about a nanosecond more, and its code is never mixed with that of the caller. It
is for kernels that are long to compile and do much work in each call.
"""

import ctypes
import inspect
import pickle
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["apart", "stand_in"]

_SYMBOL = "lsbn_find_kernel"
_INTERRUPTED, _FAILED = 0, 1
"""Numbers that are written in place of an address."""
_STAND_INS: dict[Any, Any] = {}
"""Kernels that are called in place of others, see `stand_in`."""
_BYTES, _WORD = ir.IntType(8).as_pointer(), ir.IntType(64)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
def _find_kernel(text: int, length: int, place: int) -> None:
    """Write the address of a kernel to a place; called by compiled code.

    The place holds `_INTERRUPTED`, in case that an interruption ends this function early.
    """
    found = ctypes.c_uint64.from_address(place)
    try:
        # the text is part of numba's cache, which numba itself unpickles
        found.value = _address(*pickle.loads(ctypes.string_at(text, length)))
    except KeyboardInterrupt:
        found.value = _INTERRUPTED
    except BaseException as error:
        found.value = _FAILED
        with suppress(Exception):
            print(f"lsbn: a kernel was not compiled: {error!r}", file=sys.stderr)


def _address(module: str, name: str, returns: types.Type, arguments: tuple) -> int:
    """Compile a kernel, or load it from numba's cache."""
    kernel = getattr(import_module(module), name)
    kernel = _STAND_INS.get(kernel, kernel)
    kernel.compile(arguments)
    compiled = kernel.overloads[arguments]
    if compiled.signature.return_type != returns:
        raise TypeError(f"{name} returns {compiled.signature.return_type}, not {returns}")
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


llvm.add_symbol(_SYMBOL, ctypes.cast(_find_kernel, ctypes.c_void_p).value)


def apart(kernel: Any, returns: types.Type) -> Any:
    """Make a function for kernels that calls another kernel without a copy of its code.

    Parameters
    ----------
    kernel : function compiled by numba
        A function of its module, without default values.
    returns : numba type
        What it returns, for arguments of any types. All integers become int64.

    Returns
    -------
    intrinsic
        Only kernels can call it.
    """
    function = kernel.py_func

    def define(typing_context, *arguments):
        taken = tuple(
            types.int64 if isinstance(a, types.Integer) else types.unliteral(a) for a in arguments
        )
        wanted = pickle.dumps((function.__module__, function.__name__, returns, taken))

        def generate(context, builder, signature, values):
            return _call(context, builder, signature, values, wanted)

        return returns(*taken), generate

    names = ["typing_context", *inspect.signature(function).parameters]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    define.__signature__ = signature  # type: ignore[attr-defined]
    define.__name__ = f"{function.__name__}_apart"
    return intrinsic(define)


def stand_in(kernel: Any, other: Any) -> None:
    """Let callers that do not know the address of a kernel yet call another one in its place.

    Both take the same arguments and return the same type.
    """
    _STAND_INS[kernel] = other


def _call(context, builder, signature, values, wanted):
    """Call a kernel by its address, which is found first if it is not known yet."""
    slot = cgutils.add_global_variable(
        builder.module, _WORD, builder.module.get_unique_name("lsbn.address")
    )
    slot.initializer, slot.linkage = ir.Constant(_WORD, 0), "internal"
    known = builder.load_atomic(slot, "acquire", 8)
    with builder.if_then(builder.icmp_unsigned("==", known, known.type(0)), likely=False):
        text = ir.Constant(ir.ArrayType(ir.IntType(8), len(wanted)), bytearray(wanted))
        place = cgutils.global_constant(builder, "lsbn.wanted", text)
        takes = ir.FunctionType(ir.VoidType(), [_BYTES, _WORD, _WORD.as_pointer()])
        finder = cgutils.get_or_insert_function(builder.module, takes, _SYMBOL)
        result = cgutils.alloca_once_value(builder, _WORD(_INTERRUPTED))
        builder.call(finder, [builder.bitcast(place, _BYTES), _WORD(len(wanted)), result])
        found = builder.load(result)
        for failure, error in ((_FAILED, RuntimeError), (_INTERRUPTED, KeyboardInterrupt)):
            with builder.if_then(builder.icmp_unsigned("==", found, _WORD(failure)), likely=False):
                context.call_conv.return_user_exc(builder, error, ())
        builder.store_atomic(found, slot, "release", 8)
    returns, arguments = signature.return_type, signature.args
    layout = context.call_conv.get_function_type(returns, arguments)
    kernel = builder.inttoptr(builder.load_atomic(slot, "acquire", 8), layout.as_pointer())
    status, result = context.call_conv.call_function(builder, kernel, returns, arguments, values)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return result
