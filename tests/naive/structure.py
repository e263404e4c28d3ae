"""Graphs: acyclicity, equivalence, and comparison of two graphs."""

import itertools


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
    """Whether some order of the nodes agrees with every edge."""
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


def dags(n):
    """Parents of every node, as a tuple of frozensets, for each DAG over n nodes.

    A pair of nodes has no edge, or one in either direction; graphs with a cycle are left out.
    """
    choices = [(None, (a, b), (b, a)) for a, b in itertools.combinations(range(n), 2)]
    for chosen in itertools.product(*choices):
        edges = [edge for edge in chosen if edge]
        if is_acyclic(range(n), edges):
            yield tuple(frozenset(u for u, w in edges if w == v) for v in range(n))


def is_dag(parents):
    """Say whether the graph with these parents of each node has no cycle."""
    edges = [(u, v) for v, members in enumerate(parents) for u in members]
    return is_acyclic(range(len(parents)), edges)


def descendants(parents, v):
    """Nodes that are reached from v."""
    found = {v}
    while more := {w for w, members in enumerate(parents) if members & found} - found:
        found |= more
    return found - {v}


def linear_extensions(parents):
    """Number of orders in which every node comes after its parents."""

    def count(left):
        firsts = [v for v in left if not parents[v] & left]
        return sum(count(left - {v}) for v in firsts) if left else 1

    return count(frozenset(range(len(parents))))
