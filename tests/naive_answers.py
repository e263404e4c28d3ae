"""Slow, simple versions of the functions that answer questions; see `naive`."""

import itertools
import math

import naive


def counted_graphs(families, count):
    """{DAG: probability}: each counted once, or as often as it has orders."""
    once = naive.graph_posterior(families)
    if count == "graphs":
        return once
    often = {dag: p * naive.linear_extensions(dag) for dag, p in once.items()}
    total = math.fsum(often.values())
    return {dag: p / total for dag, p in often.items()}


def ancestor_probabilities(posterior, n):
    """P(directed path from u to v), for all pairs."""
    out = [[0.0] * n for _ in range(n)]
    for dag, p in posterior.items():
        for u in range(n):
            for v in naive.descendants(dag, u):
                out[u][v] += p
    return out


def blanket(dag, x):
    """Parents, children, and other parents of the children."""
    children = {v for v, parents in enumerate(dag) if x in parents}
    return (set(dag[x]) | children | {u for c in children for u in dag[c]}) - {x}


def predictive_row(counts, j, evidence_and_means):
    """Average of posterior means of row j by the evidence of each model."""
    logs, means = zip(*evidence_and_means, strict=True)
    total = naive.log_sum(logs)
    shares = [math.exp(log - total) for log in logs]
    return [
        sum(s * mean[k] for s, mean in zip(shares, means, strict=True))
        for k in range(len(counts[j]))
    ]


def mean_row(row, weight, margin):
    """Posterior mean of a row with this weight, spread as the margin."""
    return [(c + weight * m) / (sum(row) + weight) for c, m in zip(row, margin, strict=True)]


def mixed_row(counts, j):
    """Prediction in row j under the mixed score, for at most one parent: there are no trees."""
    r, row = len(counts[j]), counts[j]
    even = [1 / r] * r
    one = [
        (sum(naive.dirichlet(w / r, each) for each in counts), mean_row(row, w, even))
        for w in (4.0**e for e in range(-4, 3))
    ]
    if len(counts) == 1:
        one.append((-sum(row) * math.log(r), even))
    own = [(naive.dirichlet(w / r, row), mean_row(row, w, even)) for w in (1 / 16, 1 / 4, 1, 4, 16)]
    larger = [other for other in counts if sum(other) > sum(row)]
    margin = [1 / r + sum(other[k] for other in larger) for k in range(r)]
    margin = [m / sum(margin) for m in margin]
    shrunk = [(naive.shrunk_rows(w, counts), mean_row(row, w, margin)) for w in (0.5, 2, 8)]
    ways = [
        (naive.log_mean(log for log, _ in one), predictive_row(counts, j, one)),
        (sum(naive.own_row(each) for each in counts), predictive_row(counts, j, own)),
        (naive.log_mean(log for log, _ in shrunk), predictive_row(counts, j, shrunk)),
    ]
    return predictive_row(counts, j, ways)


def joint(network, states):
    """Probability of one row of codes."""
    total = 1.0
    for v in range(network.n_variables):
        row = 0
        for u in network.parents[v]:
            row = row * int(network.cardinalities[u]) + states[u]
        total *= network.tables[v][row, states[v]]
    return total


def effect(network, x, y):
    """P(y | do(x)) by the truncated factorisation, summed over all rows."""
    cards = network.cardinalities.tolist()
    out = [[0.0] * cards[y] for _ in range(cards[x])]
    for states in itertools.product(*map(range, cards)):
        row = 0
        for u in network.parents[x]:
            row = row * cards[u] + states[u]
        own = network.tables[x][row, states[x]]
        out[states[x]][states[y]] += joint(network, states) / own if own else 0.0
    return out
