"""Bit columns: one row of 64-bit words for each state of each variable.

Bit ``r`` of state ``s`` of variable ``v`` says whether row ``r`` of the table has ``v = s``. The
count of any configuration is then an AND of bit columns and a popcount. A processor with
``vpopcntq`` counts 512 rows with one instruction.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from lsbn.kernels.jit import njit

WORDS_PER_LINE = 8
"""Bit columns are padded with zeros to whole cache lines of eight words."""


@intrinsic
def popcount(typingctx, word):
    """Count the bits set in a 64-bit word (numba offers no such function)."""
    if word != types.uint64:
        return None

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


def byte_planes(codes: np.ndarray) -> np.ndarray:
    """Split codes into their bytes, so that one version of a kernel reads one byte or two.

    Parameters
    ----------
    codes : (n, rows) array of uint8 or uint16

    Returns
    -------
    (1 or 2, n, rows) uint8 array
        The low bytes, then the high bytes of uint16. Codes of uint8 are not copied.

    Examples
    --------
    >>> byte_planes(np.array([[7, 258]], np.uint16)).tolist()
    [[[7, 2]], [[0, 1]]]
    """
    low = np.ascontiguousarray(codes, np.uint8)[None]
    return (
        low if codes.itemsize == 1 else np.concatenate([low, (codes >> 8).astype(np.uint8)[None]])
    )


@njit(nogil=True, cache=True, inline="always")
def state_of(codes, v, row):
    """State of a variable in a row, from `byte_planes`."""
    state = np.int64(codes[0, v, row])
    if codes.shape[0] > 1:
        state += np.int64(codes[1, v, row]) << 8
    return state


@njit(nogil=True, cache=True)
def add_states(codes, v, step, out):
    """Add ``step`` times the state of a variable to each row of ``out``."""
    for t in range(out.shape[0]):
        out[t] += step * state_of(codes, v, t)


def bit_columns(codes: np.ndarray, cards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn codes into bit columns.

    Parameters
    ----------
    codes : (planes, n, rows) uint8 array
        Variable-major codes, see `byte_planes`; the code of variable ``v`` is below ``cards[v]``.
    cards : (n,) int array
        Number of states of each variable.

    Returns
    -------
    words : (sum(cards), n_words) uint64 array
        The column of state ``s`` of variable ``v`` is ``words[offsets[v] + s]``.
    offsets : (n + 1,) int64 array

    Examples
    --------
    >>> words, offsets = bit_columns(byte_planes(np.array([[0, 1, 1]], np.uint8)), np.array([2]))
    >>> words[:, 0].tolist(), offsets.tolist()
    ([1, 6], [0, 2])
    """
    offsets = np.concatenate([[0], np.cumsum(cards)]).astype(np.int64)
    n_rows = codes.shape[2]
    line = 64 * WORDS_PER_LINE
    n_words = WORDS_PER_LINE * max(1, -(-n_rows // line))
    words = np.zeros((offsets[-1], n_words), np.uint64)
    _fill_bits(codes, offsets, words)
    return words, offsets


@njit(nogil=True, cache=True)
def _fill_bits(codes, offsets, words):
    _, n, n_rows = codes.shape
    one = np.uint64(1)
    for v in range(n):
        base = offsets[v]
        for r in range(n_rows):
            words[base + state_of(codes, v, r), r >> 6] |= one << np.uint64(r & 63)


@njit(nogil=True, cache=True, inline="always")
def count_and(a, b):
    """Popcount of ``a & b`` over two bit columns."""
    total = np.uint64(0)
    for k in range(a.shape[0]):
        total += popcount(a[k] & b[k])
    return np.int64(total)


@njit(nogil=True, cache=True, inline="always")
def count_and_two(a, b, c):
    """Popcounts of ``a & b`` and of ``a & c``, in one pass."""
    first, second = np.uint64(0), np.uint64(0)
    for k in range(a.shape[0]):
        first += popcount(a[k] & b[k])
        second += popcount(a[k] & c[k])
    return np.int64(first), np.int64(second)


@njit(nogil=True, cache=True, inline="always")
def count_cells(masks, sizes, first, words, base, cells):
    """Count the rows of ``masks[first + k]`` that ``words[base + s]`` marks, too: ``cells[k, s]``.

    Two columns at a time are faster than one. Masks of size 0 are not read.
    """
    r, states = cells.shape
    for k in range(r):
        for s in range(0, states - 1, 2):
            cells[k, s], cells[k, s + 1] = 0, 0
            if sizes[first + k] > 0:
                mask, at = masks[first + k], base + s
                cells[k, s], cells[k, s + 1] = count_and_two(mask, words[at], words[at + 1])
    if states % 2:
        s = states - 1
        mark = words[base + s]
        for k in range(0, r, 2):
            a, b = first + k, first + k + 1
            if k + 1 < r and sizes[a] > 0 and sizes[b] > 0:
                cells[k, s], cells[k + 1, s] = count_and_two(mark, masks[a], masks[b])
                continue
            cells[k, s] = count_and(mark, masks[a]) if sizes[a] > 0 else 0
            if k + 1 < r:
                cells[k + 1, s] = count_and(mark, masks[b]) if sizes[b] > 0 else 0


@njit(nogil=True, cache=True, inline="always")
def and_into(a, b, out):
    """Write ``a & b`` into ``out`` and return its popcount."""
    total = np.uint64(0)
    for k in range(a.shape[0]):
        word = a[k] & b[k]
        out[k] = word
        total += popcount(word)
    return np.int64(total)
