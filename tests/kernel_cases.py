"""Functions that several tests of kernels share."""


def as_sets(rows):
    """Rows of parents, padded by -1, as frozensets."""
    found = []
    for row in rows.tolist():
        k = sum(u >= 0 for u in row)
        assert row[:k] == sorted(set(row[:k]))
        assert row[k:] == [-1] * (len(row) - k)
        found.append(frozenset(row[:k]))
    return found
