"""Enumeration of subsets by size."""

from lsbn.kernels.jit import njit


@njit(nogil=True, cache=True)
def n_subsets(n, depth):
    """Count the subsets of ``n`` with at most ``depth`` members."""
    total, of_size = 1, 1
    for k in range(depth):
        of_size = of_size * (n - k) // (k + 1)
        total += of_size
    return total


@njit(nogil=True, cache=True)
def next_subset(subset, n):
    """Step ``subset``, ascending indices below ``n``, to the next one; False after the last."""
    k = subset.shape[0]
    i = k - 1
    while i >= 0 and subset[i] == n - k + i:
        i -= 1
    if i < 0:
        return False
    subset[i] += 1
    for j in range(i + 1, k):
        subset[j] = subset[j - 1] + 1
    return True
