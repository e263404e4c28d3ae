"""Statistics of pairs of columns, tests of independence, and what follows from them."""

import itertools
import math
from collections import Counter
from fractions import Fraction

from scipy import stats


def entropy(column):
    """Entropy of a column in nats."""
    n = len(column)
    return -sum(column.count(a) / n * math.log(column.count(a) / n) for a in set(column))


def mutual_information(x, y):
    """Mutual information of two columns in nats, from the definition."""
    n = len(x)
    pairs = list(zip(x, y, strict=True))
    return math.fsum(
        pairs.count((a, b)) / n * math.log(n * pairs.count((a, b)) / (x.count(a) * y.count(b)))
        for a, b in set(pairs)
    )


def absolute_correlation(x, y):
    """Absolute Pearson correlation of two columns of codes, 0 if one is constant."""
    n = len(x)
    mean_x, mean_y = Fraction(sum(x), n), Fraction(sum(y), n)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return math.sqrt(covariance**2 / squares) if squares else 0.0


def weights(columns, pagerank):
    """The paper's seven weights of all pairs of columns: {name: {(i, j): weight}}.

    ``pagerank`` takes the dense list of lists of mutual information and gives a rank per column.
    """
    n = len(columns)
    pairs = list(itertools.combinations(range(n), 2))
    h = [entropy(c) for c in columns]
    mi = {(i, j): mutual_information(columns[i], columns[j]) for i, j in pairs}
    rank = pagerank([[mi.get((min(i, j), max(i, j)), 0.0) for j in range(n)] for i in range(n)])
    rho = {(i, j): absolute_correlation(columns[i], columns[j]) for i, j in pairs}

    def ratio(a, b):
        return a / b if b > 0 else 0.0

    def normal(values):
        mean = math.fsum(values.values()) / len(values)
        sd = math.sqrt(math.fsum((w - mean) ** 2 for w in values.values()) / len(values))
        return {p: (w - mean) / (sd if sd > 1e-12 else 1.0) for p, w in values.items()}

    return {
        "MI": mi,
        "MI_plus": {(i, j): ratio(2 * mi[i, j], h[i] + h[j]) for i, j in pairs},
        "MI_sqrt": {(i, j): ratio(mi[i, j], math.sqrt(h[i] * h[j])) for i, j in pairs},
        "MI_pr": {(i, j): mi[i, j] / math.sqrt(rank[i] * rank[j]) for i, j in pairs},
        "MI_sn": normal(mi),
        "Pearson": rho,
        "Pearson_sn": normal(rho),
    }


def g_test(x, y, given):
    """G2 of two columns within the strata of the others, and its degrees of freedom, by sets."""
    rows = list(zip(x, y, zip(*given, strict=True) if given else [()] * len(x), strict=True))
    g2, dof = 0.0, 0
    for stratum in {z for _, _, z in rows}:
        inside = [(a, b) for a, b, z in rows if z == stratum]
        left, right = [a for a, _ in inside], [b for _, b in inside]
        dof += (len(set(left)) - 1) * (len(set(right)) - 1)
        for a, b in set(inside):
            expected = left.count(a) * right.count(b) / len(inside)
            g2 += 2 * inside.count((a, b)) * math.log(inside.count((a, b)) / expected)
    return g2, dof


def discoveries(p_values, n_tests, share):
    """Which p-values Benjamini and Hochberg's rule accepts."""
    ordered = sorted(p_values)
    passed = [p for k, p in enumerate(ordered, 1) if p <= share * k / n_tests]
    return [bool(passed) and p <= max(passed) for p in p_values]


def chi2_sf(x, dof):
    """Upper tail of chi-squared."""
    return float(stats.chi2.sf(x, dof))


def data_processing(n, weights, tolerance):
    """Edges that are the weakest of some triangle; `weights` by pair."""
    falls = set()
    for (i, j), w in weights.items():
        others = [
            min(weights[tuple(sorted((i, k)))], weights[tuple(sorted((j, k)))])
            for k in set(range(n)) - {i, j}
            if tuple(sorted((i, k))) in weights and tuple(sorted((j, k))) in weights
        ]
        if any(w < (1 - tolerance - 1e-9) * other for other in others):
            falls.add((i, j))
    return falls


def x2(x, y, given):
    """Pearson's statistic with one row less, computed in each stratum."""
    strata = {}
    for a, b, *z in zip(x, y, *given, strict=True):
        strata.setdefault(tuple(z), []).append((a, b))
    total = 0.0
    for rows in strata.values():
        n = len(rows)
        in_x, in_y = Counter(a for a, _ in rows), Counter(b for _, b in rows)
        joint = Counter(rows)
        for a, b in itertools.product(in_x, in_y):
            expected = in_x[a] * in_y[b] / n
            total += (joint[a, b] - expected) ** 2 / expected * (n - 1) / n
    return total


def markov_blanket(columns, target, candidates, alpha, most):
    """IAMB as published: add the most informative dependent variable, then remove."""

    def test(y, given):
        others = [columns[z] for z in given]
        g2, dof = g_test(columns[target], columns[y], others)
        return g2, chi2_sf(x2(columns[target], columns[y], others), dof) if dof else 1.0, dof

    chosen = []
    while len(chosen) < most:
        results = {y: test(y, chosen) for y in candidates if y not in chosen}
        passed = {y: g2 for y, (g2, p, _) in results.items() if p <= alpha}
        if not passed:
            break
        chosen.append(max(passed, key=passed.get))
    while len(chosen) > 1:
        results = {y: test(y, [z for z in chosen if z != y]) for y in chosen}
        failed = {y: p for y, (_, p, dof) in results.items() if dof and p > alpha}
        if not failed:
            break
        chosen.remove(max(failed, key=failed.get))
    return chosen


def copies(codes, names):
    """First column by name that each column repeats, with any state names; none for constants."""
    originals = list(range(len(codes)))
    order = sorted(originals, key=lambda v: names[v])
    for k, v in enumerate(order):
        column = codes[v]
        for u in order[:k]:
            pairs = set(zip(codes[u].tolist(), column.tolist(), strict=True))
            kinds = len(set(codes[u].tolist())), len(set(column.tolist()))
            if kinds[0] > 1 and kinds == (len(pairs),) * 2:
                originals[v] = u
                break
    return originals


def overlapping_copies(columns, names, least):
    """Original of each column with gaps (None), and the columns with the values of their copies.

    Columns that agree where both have a value are copies, if the agreement has a log surprise above
    `least`, and if the rows with both values have all states.
    """
    columns, originals = [list(column) for column in columns], list(range(len(columns)))
    states = [set(column) - {None} for column in columns]
    firsts, renamings = [], {}
    for v in sorted(originals, key=lambda v: names[v]):
        for u in firsts:
            both = [
                (a, b) for a, b in zip(columns[u], columns[v], strict=True) if None not in (a, b)
            ]
            a_of = {b: a for a, b in both}
            one_to_one = len(set(both)) == len(a_of) == len(set(a_of.values()))
            every_state = set(a_of) == states[v] and set(a_of.values()) == states[u]
            sizes = Counter(Counter(b for _, b in both).values())
            ways = math.lgamma(len(both) + 1) - sum(
                number * math.lgamma(size + 1) + math.lgamma(number + 1)
                for size, number in sizes.items()
            )
            if len(states[v]) > 1 and one_to_one and every_state and ways > least:
                originals[v], renamings[v] = u, a_of
                columns[u] = [
                    a_of.get(b) if a is None else a
                    for a, b in zip(columns[u], columns[v], strict=True)
                ]
                break
        else:
            firsts.append(v)
    for v, a_of in renamings.items():
        b_of = {a: b for b, a in a_of.items()}
        columns[v] = [b_of.get(a) for a in columns[originals[v]]]
    return originals, columns
