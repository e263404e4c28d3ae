"""Posterior probabilities over orders and over graphs, by enumeration."""

import itertools
import math

from .evidence import log_sum
from .structure import is_dag


def graph_posterior(families):
    """{DAG: probability} over the DAGs with listed families, each counted once."""
    n = len(families)
    choices = (dag for dag in itertools.product(*families) if is_dag(dag))
    weights = {dag: sum(families[v][dag[v]] for v in range(n)) for dag in choices}
    evidence = log_sum(weights.values())
    return {dag: math.exp(weight - evidence) for dag, weight in weights.items()}


def log_family(family, allowed):
    """F_v(allowed): log sum of the scores of the listed sets {frozenset: score} within allowed."""
    return log_sum(score for members, score in family.items() if members <= set(allowed))


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


def edges_over_densities(families, counted, prior_edges, n_pairs=None, n_required=0):
    """Expected number of edges over the DAGs and all densities, by Beta functions.

    `families` have no prior of edges. The prior of the density is Beta(a, m) for m pairs, and
    required edges say nothing of it.
    """
    n = len(families)
    m = n_pairs or n * (n - 1) // 2
    weights, sizes = {}, {}
    for dag, orders in counted:
        if all(dag[v] in families[v] for v in range(n)):
            sizes[dag] = sum(len(dag[v]) for v in range(n))
            k = sizes[dag] - n_required
            log_beta = math.lgamma(prior_edges + k) + math.lgamma(2 * m - k)
            weights[dag] = math.log(orders) + sum(families[v][dag[v]] for v in range(n)) + log_beta
    evidence = log_sum(weights.values())
    return sum(sizes[dag] * math.exp(weight - evidence) for dag, weight in weights.items())
