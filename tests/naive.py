"""Slow, obviously right twins of the fast routines: the tests' oracles."""

import itertools
import math
from fractions import Fraction


def link_communities(n_nodes, edges, weights=None):
    """Link communities from the definitions, with sets and fractions, in O(m^2) a level.

    Returns the set of (nodes, edges) of the communities, the exact maximum density and a list of
    (similarity, number of clusters that vanish) of the levels, descending.
    """
    edges = [tuple(sorted((int(u), int(v)))) for u, v in edges]
    weights = [1.0] * len(edges) if weights is None else [float(w) for w in weights]
    rows = [{} for _ in range(n_nodes)]
    for (u, v), w in zip(edges, weights, strict=True):
        rows[u][v] = rows[v][u] = w
    for i, row in enumerate(rows):
        if row:
            row[i] = math.fsum(row.values()) / len(row)

    def tanimoto(i, j):
        dot = math.fsum(rows[i][k] * rows[j][k] for k in rows[i].keys() & rows[j].keys())
        norms = math.fsum(w * w for i_or_j in (i, j) for w in rows[i_or_j].values())
        return round(dot / (norms - dot), 12)

    def density(partition):
        total = Fraction(0)
        for cluster in partition:
            m_c, n_c = len(cluster), len(set().union(*cluster))
            if n_c > 2:
                total += Fraction(m_c * (m_c - (n_c - 1)), (n_c - 2) * (n_c - 1))
        return 2 * total / len(edges)

    similar = {}
    for e, f in itertools.combinations(edges, 2):
        if len(set(e) & set(f)) == 1:
            similar[e, f] = tanimoto(*(set(e) ^ set(f)))

    partition = [{e} for e in edges]
    best, chosen, levels = Fraction(0), partition, []
    for level in sorted(set(similar.values()), reverse=True):
        before = len(partition)
        for e, f in (pair for pair, s in similar.items() if s == level):
            touched = [c for c in partition if e in c or f in c]
            partition = [c for c in partition if c not in touched] + [set().union(*touched)]
        if len(partition) < before:
            levels.append((level, before - len(partition)))
            if density(partition) > best:
                best, chosen = density(partition), partition
    found = {(frozenset().union(*c), frozenset(c)) for c in chosen}
    found |= {(frozenset([v]), frozenset()) for v in range(n_nodes) if not rows[v]}
    return found, best, levels


def elbow(counts, bin_edges):
    """Left edge of the bin with the largest perpendicular distance below the chord, in fractions.

    Both axes are scaled to [0, 1]; squared distances spare the root, so all is exact.
    """
    counts = [Fraction(int(c)) for c in counts]
    start, last, top = counts.index(max(counts)), len(counts) - 1, max(counts)
    if start == last or top == sum(counts):
        return bin_edges[0]
    points = [(Fraction(b, last), counts[b] / top) for b in range(start, last + 1)]
    (x0, y0), (x1, y1) = points[0], points[-1]
    best, threshold = Fraction(0), bin_edges[0]
    for b, (x, y) in enumerate(points, start):
        cross = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
        distance = cross**2 / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
        if cross < 0 and distance > best:
            best, threshold = distance, bin_edges[b]
    return threshold
