"""Convert a network to the types of other packages."""

from typing import Any

import numpy as np

from lsbn.network.network import BayesianNetwork

__all__ = ["to_pgmpy", "to_pyagrum"]


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Return the network as a ``DiscreteBayesianNetwork`` of pgmpy, which must be installed."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork(list(network.dag.edges))
    model.add_nodes_from(network.names)
    for v, name in enumerate(network.names):
        evidence = [network.names[u] for u in network.parents[v]]
        names = {x: list(network.states[network.names.index(x)]) for x in (name, *evidence)}
        cards = [len(names[x]) for x in evidence]
        values = network.tables[v].reshape(-1, len(network.states[v])).T
        model.add_cpds(TabularCPD(name, len(values), values, evidence, cards, state_names=names))
    return model


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Return the network as a ``BayesNet`` of pyAgrum, which must be installed."""
    import pyagrum as gum

    model = gum.BayesNet(network.name)
    for name, states in zip(network.names, network.states, strict=True):
        model.add(gum.LabelizedVariable(name, name, list(states)))
    for v, name in enumerate(network.names):
        for u in network.parents[v]:
            model.addArc(network.names[u], name)
    for v, name in enumerate(network.names):
        parents = [network.names[u] for u in network.parents[v]]
        table = network.tables[v].reshape(*(len(network.states[u]) for u in network.parents[v]), -1)
        axes = [parents.index(x) for x in model.cpt(name).names if x != name]
        # The axes of pyAgrum's array are the parents in reverse order of ``cpt.names``.
        model.cpt(name)[:] = np.ascontiguousarray(table.transpose(*axes[::-1], len(axes)))
    return model
