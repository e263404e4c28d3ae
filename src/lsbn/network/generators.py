"""Artificial Bayesian networks of any size, to measure how learning scales."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lsbn.network.network import BayesianNetwork, RandomState

__all__ = ["quilt", "random_network", "tile"]


def tile(
    network: BayesianNetwork,
    k: int,
    *,
    links: int = 3,
    concentration: float = 1.0,
    random_state: RandomState = None,
) -> BayesianNetwork:
    """Put k copies of a network side by side, with a few links from each copy to the next.

    Parameters
    ----------
    network : BayesianNetwork
        The network to copy. Variable ``x`` of copy t is called ``x_t``, t = 0 .. k-1.
    k : int
        Number of copies.
    links : int
        Number of links between copy t and copy t+1. For each link a different variable of copy t+1
        gets one more parent, which is drawn from copy t.
    concentration : float
        For the first state of the new parent, the variable keeps its distributions. For each other
        state, the distributions are Dirichlet draws with this parameter.
    random_state : int, SeedSequence, Generator or None
        The seed of the links and their tables.

    Returns
    -------
    BayesianNetwork
        ``k * n_variables`` variables and ``k * n_edges + (k - 1) * links`` edges. The network is
        acyclic, since links go to the next copy only.

    Examples
    --------
    >>> from lsbn.network import load_network
    >>> tile(load_network("alarm"), 10, links=2, random_state=0)
    <BayesianNetwork 'alarm x 10': 370 variables, 478 edges>
    """
    if k < 1:
        raise ValueError(f"k, the number of copies, must be at least 1, got {k}")
    joined = quilt(
        [network] * k, links=links, concentration=concentration, random_state=random_state
    )
    return replace(joined, name=f"{network.name} x {k}")


def quilt(
    networks: Sequence[BayesianNetwork],
    *,
    links: int = 3,
    concentration: float = 1.0,
    random_state: RandomState = None,
) -> BayesianNetwork:
    """Put networks side by side, with a few links from each network to the next.

    Parameters
    ----------
    networks : sequence of BayesianNetwork
        At least one. Variable ``x`` of network t is called ``x_t``, t = 0, 1, ...
    links : int
        Number of links between network t and network t+1. For each link a different variable of
        network t+1 gets one more parent, which is drawn from network t.
    concentration : float
        See `tile`.
    random_state : int, SeedSequence, Generator or None
        The seed of the links and their tables.

    Returns
    -------
    BayesianNetwork, acyclic, since links go to the next network only

    Examples
    --------
    >>> from lsbn.network import load_network
    >>> quilt([load_network("alarm"), load_network("insurance")], links=2, random_state=0)
    <BayesianNetwork 'quilt of 2': 64 variables, 100 edges>
    """
    if not networks:
        raise ValueError("a quilt needs at least one network")
    least = min(network.n_variables for network in networks)
    if not 0 <= links <= least:
        raise ValueError(f"links must be between 0 and the {least} variables, got {links}")
    rng = np.random.default_rng(random_state)
    start = np.concatenate([[0], np.cumsum([network.n_variables for network in networks])])
    states = [own for network in networks for own in network.states]
    parents = [
        above + first
        for network, first in zip(networks, start, strict=False)
        for above in network.parents
    ]
    tables = [table for network in networks for table in network.tables]
    for t in range(1, len(networks)):
        children = start[t] + rng.choice(networks[t].n_variables, size=links, replace=False)
        above = start[t - 1] + rng.integers(networks[t - 1].n_variables, size=links)
        for child, parent in zip(children.tolist(), above.tolist(), strict=True):
            size = len(states[parent])
            parents[child] = np.append(parents[child], parent)
            tables[child] = _with_new_parent(tables[child], size, concentration, rng)
    return replace(
        networks[0],
        names=tuple(f"{name}_{t}" for t, network in enumerate(networks) for name in network.names),
        states=tuple(states),
        parents=tuple(parents),
        tables=tuple(tables),
        name=f"quilt of {len(networks)}",
    )


def _with_new_parent(
    table: np.ndarray, size: int, concentration: float, rng: np.random.Generator
) -> np.ndarray:
    """Extend a table by one more parent with `size` states, which varies fastest."""
    q, r = table.shape
    wider = np.empty((q, size, r))
    wider[:, 0] = table
    wider[:, 1:] = rng.dirichlet(np.full(r, concentration), size=(q, size - 1))
    return wider.reshape(q * size, r)


def random_network(
    n: int,
    *,
    max_parents: int = 3,
    mean_parents: float = 1.5,
    states: int | tuple[int, int] = (2, 4),
    concentration: float = 0.5,
    random_state: RandomState = None,
) -> BayesianNetwork:
    """Draw a sparse random DAG with random tables.

    Parameters
    ----------
    n : int
        Number of variables.
    max_parents, mean_parents : int, float
        The number of a variable's parents is binomial with this maximum and mean, but at most the
        number of variables before it in a random order. The parents are drawn uniformly from these.
    states : int or (int, int)
        Number of states of every variable, or its least and greatest value.
    concentration : float
        Rows of the tables are Dirichlet draws with this parameter. Small values make strong
        dependence, large values weak dependence.
    random_state : int, SeedSequence, Generator or None
        The seed of all draws.

    Returns
    -------
    BayesianNetwork
        Variables ``X0``, ``X1``, ...; their order is independent of the graph.

    Examples
    --------
    >>> net = random_network(1000, states=3, random_state=0)
    >>> net.n_variables, max(map(len, net.parents))
    (1000, 3)
    """
    low, high = (states, states) if isinstance(states, int) else states
    _check_sizes(n, max_parents, mean_parents, low, high)
    rng = np.random.default_rng(random_state)
    order = rng.permutation(n)
    sizes = rng.integers(low, high, size=n, endpoint=True)
    counts = rng.binomial(max_parents, mean_parents / max(max_parents, 1), size=n)
    parents: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * n
    tables: list[np.ndarray] = [np.empty((0, 0))] * n
    for rank, v in enumerate(order.tolist()):
        above = order[rng.choice(rank, size=min(counts[rank], rank), replace=False)]
        rows = int(np.prod(sizes[above]))
        parents[v] = above
        tables[v] = rng.dirichlet(np.full(sizes[v], concentration), size=rows)
    labels = tuple(str(s) for s in range(high))
    return BayesianNetwork(
        names=tuple(f"X{v}" for v in range(n)),
        states=tuple(labels[:size] for size in sizes.tolist()),
        parents=tuple(parents),
        tables=tuple(tables),
        name=f"random {n}",
    )


def _check_sizes(n: int, max_parents: int, mean_parents: float, low: int, high: int) -> None:
    """Check the arguments of `random_network`."""
    if n < 1 or max_parents < 0 or not 0 <= mean_parents <= max_parents:
        raise ValueError(
            "need n >= 1 and 0 <= mean_parents <= max_parents, "
            f"got n={n}, mean_parents={mean_parents}, max_parents={max_parents}"
        )
    if not 1 <= low <= high:
        raise ValueError(
            f"states must be a positive number or a range (low, high), got ({low}, {high})"
        )
