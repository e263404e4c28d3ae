"""Arrays that a kernel uses without counting references to them.

numba counts the references to every array that a kernel passes on to another one, by atomic
operations. This takes longer than a short kernel itself, even if the call is copied into its
caller. `borrowed` gives the same arrays without their counters. The caller of a kernel holds the
arrays while the kernel runs. So a kernel borrows only its arguments, before it uses them, and never
an array that it makes. It must not return what it has borrowed.
"""

from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic


@intrinsic
def borrowed(typing_context, value):
    """Give an array, or a tuple of arrays and tuples, without counters of references."""

    def generate(context, builder, signature, arguments):
        return _without_counters(context, builder, value, arguments[0])

    return value(value), generate


def _without_counters(context, builder, kind, value):
    """Write the code that takes the counters out of one value."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        members: tuple = tuple(kind)  # type: ignore[arg-type]
        for place, member in enumerate(members):
            old = builder.extract_value(value, place)
            new = _without_counters(context, builder, member, old)
            value = builder.insert_value(value, new, place)
    elif not isinstance(kind, types.Number | types.Boolean):
        raise TypingError(f"{kind} cannot be borrowed: only arrays, tuples and numbers can")
    return value
