"""Missing cells by enumeration of all their values."""

import itertools

import numpy as np


def row_probability(families, row):
    """Probability of a complete row: the product of all families."""
    total = 1.0
    codes = np.asarray(row)[:, None]
    for family in families:
        total *= family.table[family.rows(codes)[0], row[family.child]]
    return total


def completions(families, cards, row, gaps):
    """Every completion of a row, with its probability."""
    for values in itertools.product(*(range(cards[v]) for v in gaps)):
        filled = list(row)
        for v, value in zip(gaps, values, strict=True):
            filled[v] = value
        yield filled, row_probability(families, filled)


def cell_shares(families, cards, row, gaps):
    """Distribution of each missing cell given the observed ones."""
    shares = {v: np.zeros(cards[v]) for v in gaps}
    for filled, probability in completions(families, cards, row, gaps):
        for v in gaps:
            shares[v][filled[v]] += probability
    return [shares[v] / shares[v].sum() for v in gaps]


def observed_probability(families, cards, row, gaps):
    """Probability of the observed cells."""
    return sum(probability for _, probability in completions(families, cards, row, gaps))


def joint_share(families, cards, row, gaps):
    """Probability of each completion of a row given the observed cells, by its values."""
    found = {
        tuple(filled[v] for v in gaps): p for filled, p in completions(families, cards, row, gaps)
    }
    total = sum(found.values())
    return {values: p / total for values, p in found.items()}


def halfway_rows(first, second, above, cards):
    """Root of the product of two tables, for each configuration of ``above``, the first lowest."""
    for values in itertools.product(*(range(cards[u]) for u in reversed(above))):
        row = dict(zip(reversed(above), values, strict=True))
        rows = []
        for family in (first, second):
            place, step = 0, 1
            for u in family.parents.tolist():
                place, step = place + row[u] * step, step * cards[u]
            rows.append(family.table[place])
        yield [(a * b) ** 0.5 for a, b in zip(*rows, strict=True)]
