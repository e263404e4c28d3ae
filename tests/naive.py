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
