"""Learn from a table whose missing cells are drawn from the network that made it.

No method that has only the table can draw them better. What is still lost is lost with the cells.
Or chains begin with the true cells: those that begin otherwise are stuck if they end with less.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd

from lsbn import Dataset
from lsbn.answers.families import FamilyTable
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.kernels.gaps import NetworkTables
from lsbn.learners import LEARNERS
from lsbn.missing import average_learned, learner_options
from lsbn.missing.start import drawn_by_trees, drawn_from_columns
from lsbn.network import BayesianNetwork

COMPLETIONS = 10
SWEEPS = 60
"""Gibbs sweeps before each completion."""
LEAST = 1e-12
"""Smallest probability of a state, so that any start is possible."""


def true_tables(net: BayesianNetwork, data: Dataset) -> NetworkTables:
    """Give the tables of a network over the codes of a dataset."""
    place = {name: v for v, name in enumerate(data.names)}
    families: list[FamilyTable | None] = [None] * data.n_variables
    for child, own, table in zip(net.names, net.parents, net.tables, strict=True):
        members = [*own.tolist(), net.names.index(child)]
        table = table.reshape([len(net.states[v]) for v in members])
        for axis, v in enumerate(members):
            labels = data.states[place[net.names[v]]]
            table = table.take([net.states[v].index(label) for label in labels], axis)
        above = [place[net.names[v]] for v in own.tolist()]
        falling = np.argsort(above)[::-1]  # the first parent is the lowest digit
        table = table.transpose(*falling, len(above)).reshape(-1, table.shape[-1]) + LEAST
        parents = np.array(sorted(above), np.int64)
        table /= table.sum(axis=1, keepdims=True)
        v = place[child]
        families[v] = FamilyTable(v, parents, data.cards[parents], table)
    return network_tables([family for family in families if family is not None], data.cards)


@contextmanager
def chains_begin_with(whole: pd.DataFrame) -> Iterator[None]:
    """Let chains of completions begin with the cells of a table without gaps."""

    def start(dataset: Dataset, rng: np.random.Generator) -> Dataset:
        """Fill the gaps with the true cells; states that no row shows stay at random."""
        table = drawn_from_columns(dataset, rng)
        for v, name in enumerate(dataset.names):
            code = {str(state): k for k, state in enumerate(dataset.states[v])}
            true = whole[name].astype(str).map(code)
            known = true.notna().to_numpy()
            table.codes[v, known] = true[known].astype(int)
        return table

    with patch("lsbn.missing.chain.drawn_by_trees", start):
        yield


def graph_by_true_cells(net: BayesianNetwork, data: Dataset, seed: int) -> nx.DiGraph:
    """Learn completions drawn from the true network, and average them as ``infer`` does."""
    assert data.gaps is not None
    rng = np.random.default_rng(seed)
    tables, gaps, parts = true_tables(net, data), Gaps.of(data.gaps), []
    table = drawn_by_trees(data, rng)
    for options in learner_options("standard", COMPLETIONS, COMPLETIONS):
        table = replace(table, codes=gaps.draw(table.codes, tables, SWEEPS, rng))
        parts.append(LEARNERS["model-averaging"](table, random_state=rng, n_jobs=1, **options))
    return average_learned(parts).edges.dag()
