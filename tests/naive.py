"""Slow and simple versions of the fast functions, for comparison in tests."""

import itertools
import math
from collections import Counter
from fractions import Fraction

from scipy import stats


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


def dirichlet(weight, counts):
    """Log evidence of a table whose cells have the same weight; `counts` has all of them."""
    total = math.lgamma(weight * len(counts)) - math.lgamma(weight * len(counts) + sum(counts))
    return total + sum(math.lgamma(weight + c) - math.lgamma(weight) for c in counts)


def family_counts(child, r, parents, cards):
    """The child's states in every configuration of the parents, one list for each."""
    rows = list(zip(*parents, strict=True)) if parents else [()] * len(child)
    table = [
        [c for c, row in zip(child, rows, strict=True) if row == configuration]
        for configuration in itertools.product(*map(range, cards))
    ]
    return [[part.count(k) for k in range(r)] for part in table]


def family_score(kind, ess, child, r, parents, cards):
    """Score of a family from its definition; `cards` are those of the parents."""
    if kind == "mixed":
        return mixed_score(child, r, parents, cards)
    q, counts = math.prod(cards), family_counts(child, r, parents, cards)
    if kind == "bdeu":
        return sum(dirichlet(ess / (q * r), part) for part in counts)
    if kind == "k2":
        return sum(dirichlet(1.0, part) for part in counts)
    likelihood = sum(c * math.log(c / sum(part)) for part in counts for c in part if c)
    return likelihood - 0.5 * math.log(len(child)) * q * (r - 1)


def log_mean(values):
    """Log of the mean of the exponentials."""
    values = list(values)
    return log_sum(values) - math.log(len(values))


def own_row(counts):
    """Log evidence of a row, averaged over its weight."""
    return log_mean(dirichlet(w / len(counts), counts) for w in (1 / 16, 1 / 4, 1, 4, 16))


def shrunk_rows(weight, counts):
    """Log evidence of rows that shrink towards the margin of all larger rows."""
    r, total = len(counts[0]), 0.0
    for row in counts:
        larger = [other for other in counts if sum(other) > sum(row)]
        margin = [1 / r + sum(other[k] for other in larger) for k in range(r)]
        prior = [weight * m / sum(margin) for m in margin]
        total += math.lgamma(weight) - math.lgamma(weight + sum(row))
        total += sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(prior, row, strict=True))
    return total


def mixed_score(child, r, parents, cards):
    """Log average of the five ways in which a child may depend on its parents."""
    counts = family_counts(child, r, parents, cards)
    one_weight = [sum(dirichlet(4.0**e / r, row) for row in counts) for e in range(-4, 3)]
    if len(counts) == 1:
        one_weight.append(-len(child) * math.log(r))
    ways = [
        log_mean(one_weight),
        sum(own_row(row) for row in counts),
        log_mean(shrunk_rows(w, counts) for w in (0.5, 2, 8)),
    ]
    trees = [
        tree_score(lambda row, w=w: dirichlet(w / r, row), child, r, parents, cards)
        for w in (1 / 256, 1 / 8, 2)
    ]
    if len(cards) > 1 and trees[0] is not None:
        ways += [log_mean(trees), tree_score(own_row, child, r, parents, cards)]
    return log_mean(ways)


def trees(rows, left, leaf, cards, least):
    """(probability, parents asked, score) of every decision tree for these rows.

    A row is the child's state and those of all parents; `left` are the parents left to ask. A
    node stops with probability one half, or for certain if it has fewer rows than `least`; `leaf`
    scores the child's states there.
    """
    score = leaf([child for child, _ in rows])
    if not left or len(rows) < least:
        yield 1.0, frozenset(), score
        return
    yield 0.5, frozenset(), score
    for p in left:
        below = (left - {p}, leaf, cards, least)
        branches = [list(trees([x for x in rows if x[1][p] == k], *below)) for k in range(cards[p])]
        for chosen in itertools.product(*branches):
            chance, asked, scores = zip(*chosen, strict=True)
            probability = 0.5 / len(left) * math.prod(chance)
            yield probability, frozenset({p}).union(*asked), sum(scores)


def tree_score(evidence, child, r, parents, cards):
    """Log average of the trees that ask every parent, by listing them all; None without any.

    `evidence` gives that of a leaf from the counts of the child's states.
    """
    everyone = frozenset(range(len(cards)))
    rows = list(zip(child, zip(*parents, strict=True), strict=True)) if parents else []

    def leaf(states):
        return evidence([states.count(k) for k in range(r)])

    whole = [
        (math.log(p), score)
        for p, asked, score in trees(rows, everyone, leaf, cards, math.sqrt(len(rows)))
        if asked == everyone
    ]
    if not whole or log_sum(p for p, _ in whole) < math.log(1e-6):
        return None
    return log_sum(p + score for p, score in whole) - log_sum(p for p, _ in whole)


def dags(n):
    """Parents of every node, as a tuple of frozensets, for each DAG over n nodes.

    A pair of nodes has no edge, or one in either direction; graphs with a cycle are left out.
    """
    choices = [(None, (a, b), (b, a)) for a, b in itertools.combinations(range(n), 2)]
    for chosen in itertools.product(*choices):
        edges = [edge for edge in chosen if edge]
        if is_acyclic(range(n), edges):
            yield tuple(frozenset(u for u, w in edges if w == v) for v in range(n))


def graph_posterior(families):
    """{DAG: probability} over the DAGs with listed families, each counted once."""
    n = len(families)
    choices = (dag for dag in itertools.product(*families) if is_dag(dag))
    weights = {dag: sum(families[v][dag[v]] for v in range(n)) for dag in choices}
    evidence = log_sum(weights.values())
    return {dag: math.exp(weight - evidence) for dag, weight in weights.items()}


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


def log_sum(values):
    """Logarithm of the sum of exponentials; -inf without any value."""
    values = [x for x in values if x > -math.inf]
    top = max(values, default=-math.inf)
    return top + math.log(math.fsum(math.exp(x - top) for x in values)) if values else top


def log_family(family, allowed):
    """F_v(allowed): log sum of the scores of the listed sets {frozenset: score} within allowed."""
    return log_sum(score for members, score in family.items() if members <= set(allowed))


def log_prior(prior, density, n, k):
    """Log prior of a family with k parents among n variables."""
    if prior == "density":
        return k * math.log(density / (1 - density)) + (n - 1) / 2 * math.log(1 - density)
    if prior == "sizes":
        half = min(k, (n - 1) // 2)
        return -math.log(math.comb(n - 1, half)) - (k - half) * math.log(n - 1)
    return 0.0


def leaning(kind, columns, cards, u, v):
    """Half of the gain of v -> u minus that of u -> v, without other parents."""
    if kind != "mixed":
        return 0.0

    def gain(a, b):
        alone = mixed_score(columns[b], cards[b], [], [])
        return mixed_score(columns[b], cards[b], [columns[a]], [cards[a]]) - alone

    return (gain(v, u) - gain(u, v)) / 2


def families(kind, ess, columns, cards, max_parents=None, prior="sizes", density=None):
    """{parents: score} of every variable over all parent sets, with their prior.

    Sets with more free parameters than rows are left out.
    """
    n = len(columns)
    most = n - 1 if max_parents is None else max_parents
    found = []
    for v in range(n):
        family = {}
        for k in range(most + 1):
            for chosen in itertools.combinations([u for u in range(n) if u != v], k):
                above, sizes = [columns[u] for u in chosen], [cards[u] for u in chosen]
                if k and math.prod(sizes) * (cards[v] - 1) > len(columns[v]):
                    continue
                score = family_score(kind, ess, columns[v], cards[v], above, sizes)
                score += sum(leaning(kind, columns, cards, u, v) for u in chosen)
                family[frozenset(chosen)] = score + log_prior(prior, density, n, k)
        found.append(family)
    return found


def dag_edge_posteriors(families, counted):
    """P(u -> v) over the DAGs of listed families, each counted once for every order; log evidence.

    `counted` are pairs of a DAG and its number of orders.
    """
    n = len(families)
    weights = {
        dag: math.log(orders) + sum(families[v][dag[v]] for v in range(n))
        for dag, orders in counted
        if all(dag[v] in families[v] for v in range(n))
    }
    evidence = log_sum(weights.values())
    posterior = [[0.0] * n for _ in range(n)]
    for dag, weight in weights.items():
        for v in range(n):
            for u in dag[v]:
                posterior[u][v] += math.exp(weight - evidence)
    return posterior, evidence


def order_posterior(families):
    """{order: probability} of all permutations; an order has the weight exp(sum of F_v)."""
    weights = {
        order: sum(log_family(families[v], order[:place]) for place, v in enumerate(order))
        for order in itertools.permutations(range(len(families)))
    }
    evidence = log_sum(weights.values())
    return {order: math.exp(weight - evidence) for order, weight in weights.items()}


def edge_posteriors_given_order(families, order):
    """P(u -> v | order): the share of the sets with u among the sets that precede v."""
    n = len(families)
    posterior = [[0.0] * n for _ in range(n)]
    for place, v in enumerate(order):
        total = log_family(families[v], order[:place])
        for members, score in families[v].items():
            if members <= set(order[:place]):
                for u in members:
                    posterior[u][v] += math.exp(score - total)
    return posterior


def order_edge_posteriors(families):
    """P(u -> v), averaged over all permutations."""
    n = len(families)
    posterior = [[0.0] * n for _ in range(n)]
    for order, share in order_posterior(families).items():
        given = edge_posteriors_given_order(families, order)
        for u, v in itertools.product(range(n), repeat=2):
            posterior[u][v] += share * given[u][v]
    return posterior


def undominated(family, margin):
    """The listed sets without a proper subset that is better by more than the margin."""
    return {
        members
        for members, score in family.items()
        if all(score + margin >= other for below, other in family.items() if below < members)
    }


def sum_over_allowed(family, n):
    """Log sums of the sets that are equal without the members n and above."""
    sums = {}
    for members, score in family.items():
        rest = frozenset(u for u in members if u < n)
        sums[rest] = sums.get(rest, 0.0) + math.exp(score)
    return {rest: math.log(total) for rest, total in sums.items()}


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
