"""Missing cells by enumeration of all their values."""

import itertools

import numpy as np
from sklearn.tree import DecisionTreeClassifier


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


def drawn_by_trees(codes, gaps, near, leaf, passes, rng):
    """Draw each missing value from the known rows in its leaf, column by column, several times."""
    codes = codes.copy()
    for _ in range(passes):
        for v in sorted(np.flatnonzero(gaps.any(axis=1)), key=lambda v: gaps[v].sum()):
            rows, known = codes[np.sort(near[v])].T, ~gaps[v]
            seed = int(rng.integers(2**31))
            tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed)
            tree.fit(rows[known], codes[v, known])
            of_known, shares = tree.apply(rows[known]), rng.random(gaps[v].sum())
            drawn = []
            for own, share in zip(tree.apply(rows[gaps[v]]), shares, strict=True):
                values = np.sort(codes[v, known][of_known == own])
                drawn.append(values[int(np.ceil(share * len(values))) - 1])
            codes[v, gaps[v]] = drawn
    return codes


def regions(parents, theirs):
    """Moves to another network: join variables that differ while an edge is between their sets."""
    differ = [v for v in range(len(parents)) if parents[v] != theirs[v]]
    groups = [{v} for v in differ]

    def touch(one, other):
        return any(
            u in net[v] or v in net[u] for u in one for v in other for net in (parents, theirs)
        )

    while pairs := [pair for pair in itertools.combinations(groups, 2) if touch(*pair)]:
        one, other = pairs[0]
        groups = [group for group in groups if group not in (one, other)] + [one | other]
    return [{v: theirs[v] for v in sorted(group)} for group in sorted(groups, key=min)]
