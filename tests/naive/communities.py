"""Steps of the framework: link communities, their support, LocalLearn's parts, Mergence."""

import itertools
import math
from collections import Counter
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

    Both axes are scaled to [0, 1]. Squared distances need no root, so the result is exact.
    """
    counts = [Fraction(int(c)) for c in counts]
    start, last, top = counts.index(max(counts)), len(counts) - 1, max(counts)
    if start == last or top == sum(counts):
        return -math.inf
    points = [(Fraction(b, last), counts[b] / top) for b in range(start, last + 1)]
    (x0, y0), (x1, y1) = points[0], points[-1]
    best, threshold = Fraction(0), -math.inf
    for b, (x, y) in enumerate(points, start):
        cross = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
        distance = cross**2 / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
        if cross < 0 and distance > best:
            best, threshold = distance, bin_edges[b]
    return threshold


def co_occurrence(partitions, n_nodes):
    """Agreement and lift of all pairs that share a community, from the definitions."""
    found = {}
    for u, v in itertools.combinations(range(n_nodes), 2):
        common = [[c for c in p if u in c and v in c] for p in partitions]
        agreement = sum(bool(cs) for cs in common)
        units = sum(Fraction(1, len(c) - 1) for cs in common for c in cs)
        if agreement:
            found[u, v] = (agreement, units * (n_nodes - 1) / len(partitions))
    return found


def sub_communities(community, blankets, rng, max_size):
    """Random node neighbour with plain sets, and with the same random draws."""
    inside = {int(v) for v in community}
    near = {
        v: sorted(u for u in inside - {v} if u in set(blankets[v]) or v in set(blankets[u]))
        for v in inside
    }
    visited, found = set(), []
    while inside - visited:
        left = sorted(inside - visited)
        start = left[rng.integers(len(left))]
        order = rng.permutation(near[start]).tolist() if near[start] else rng.permutation([])
        kept = [start, *map(int, order)]
        while len(kept) > 1 and len(set(kept).union(*(blankets[v] for v in kept))) > max_size:
            kept = kept[:-1]
        sub = set(kept).union(*(blankets[v] for v in kept))
        if len(sub) > max_size:
            sub = {start, *list(blankets[start])[: max_size - 1]}
        if sub not in found:
            found.append(sub)
        visited |= set(kept)
    return found


def triplet_clusters(n_nodes, edges):
    """Nodes of the link communities of the edges that lie in triangles."""
    joined = {frozenset(map(int, e)) for e in edges}
    triangles = [
        t
        for t in itertools.combinations(range(n_nodes), 3)
        if all(frozenset(pair) in joined for pair in itertools.combinations(t, 2))
    ]
    pairs = sorted({pair for t in triangles for pair in itertools.combinations(t, 2)})
    if not pairs:
        return triangles, set()
    found, _, _ = link_communities(n_nodes, pairs)
    return triangles, {nodes for nodes, _ in found if len(nodes) > 2}


def merge_order(communities):
    """Mergence in fractions; every step computes all pairs again."""
    pool = {c: {int(v) for v in members} for c, members in enumerate(communities)}
    rows = []
    while len(pool) > 1:
        best = max(
            itertools.combinations(sorted(pool), 2),
            key=lambda pair: (
                Fraction(len(pool[pair[0]] & pool[pair[1]]), len(pool[pair[0]] | pool[pair[1]])),
                -pair[0],
                -pair[1],
            ),
        )
        if not pool[best[0]] & pool[best[1]]:
            best = tuple(sorted(sorted(pool, key=lambda c: (len(pool[c]), c))[:2]))
        a, b = pool.pop(best[0]), pool.pop(best[1])
        pool[len(communities) + len(rows)] = a | b
        rows.append((*best, 1 - len(a & b) / len(a | b), len(a | b)))
    return rows


def joined_blocks(labels, near, least=2):
    """Blocks, small levels first, after variables without one have joined those around them.

    ``near`` maps a variable to the variables in its Markov blanket.
    """
    labels = [list(own) for own in labels]
    free = [v for v, own in enumerate(labels) if own[-1] < 0]
    for level in reversed(range(len(labels[0]))):
        joining = {None: None}
        while joining:
            joining = {}
            for v in (v for v in free if labels[v][level] < 0):
                inside = [u for u in near[v] if labels[u][level + 1 :] == labels[v][level + 1 :]]
                votes = Counter(labels[u][level] for u in inside if labels[u][level] >= 0)
                ranked = sorted(votes, key=lambda block: (-votes[block], block))
                if ranked and votes[ranked[0]] >= least:
                    joining[v] = ranked[0]
            for v, block in joining.items():
                labels[v][level] = block
    return labels
