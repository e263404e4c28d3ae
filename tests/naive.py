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


def v_structures(edges):
    """All a -> c <- b with a and b not adjacent, as (frozenset of a and b, c)."""
    adjacent = {frozenset(edge) for edge in edges}
    return {
        (frozenset((a, b)), c)
        for a, c in edges
        for b, d in edges
        if c == d and a != b and frozenset((a, b)) not in adjacent
    }


def is_acyclic(nodes, edges):
    """Whether some order of the nodes goes along with every edge."""
    left, edges = set(nodes), set(edges)
    while left:
        sources = left - {v for u, v in edges if u in left}
        if not sources:
            return False
        left -= sources
    return True


def equivalence_class(nodes, edges):
    """All DAGs with the same skeleton and v-structures, as sets of edges, by enumeration."""
    wanted = v_structures(edges)
    choices = [((u, v), (v, u)) for u, v in edges]
    dags = (set(dag) for dag in itertools.product(*choices))
    return [dag for dag in dags if v_structures(dag) == wanted and is_acyclic(nodes, dag)]


def cpdag(nodes, edges):
    """Union of all DAGs of the equivalence class: an edge in both directions is undirected."""
    return set().union(*equivalence_class(nodes, edges))


def compare(nodes, found, true):
    """Hits, misses, errors and Hamming distance of two sets of edges, pair by pair."""
    hits = misses = errors = distance = 0
    for a, b in itertools.combinations(nodes, 2):
        left = ((a, b) in found, (b, a) in found)
        right = ((a, b) in true, (b, a) in true)
        hits += any(left) and any(right)
        misses += any(right) and not any(left)
        errors += any(left) and not any(right)
        distance += left != right
    return hits, misses, errors, distance


def pairs(matrix, edges):
    """Skeleton probability and truth of all pairs, from a dense matrix."""
    return [
        (matrix[i][j] + matrix[j][i], (i, j) in edges or (j, i) in edges)
        for i, j in itertools.combinations(range(len(matrix)), 2)
    ]


def average_precision(matrix, edges):
    """Average precision over all pairs, threshold by threshold."""
    scored = pairs(matrix, edges)
    total, before, area = sum(y for _, y in scored), 0.0, 0.0
    for t in sorted({p for p, _ in scored}, reverse=True):
        found = [y for p, y in scored if p >= t]
        recall = sum(found) / total
        area += (recall - before) * sum(found) / len(found)
        before = recall
    return area


def calibration_error(matrix, edges, bins):
    """Expected calibration error over all pairs, bin by bin."""
    scored, error = pairs(matrix, edges), 0.0
    for k in range(bins):
        inside = [(p, y) for p, y in scored if min(int(p * bins), bins - 1) == k]
        error += abs(sum(y for _, y in inside) - sum(p for p, _ in inside))
    return error / len(scored)
