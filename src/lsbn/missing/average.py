"""Averages over the completions of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lsbn.answers.families import DataCounts
from lsbn.data import Dataset
from lsbn.data.copies import Folded
from lsbn.graph import EdgeProbabilities
from lsbn.graph.sampled import SampledGraphs
from lsbn.learners import Learned
from lsbn.learners.averaging import SamplingSettings, SearchSettings
from lsbn.missing.start import mask_of

__all__ = ["average_learned", "completed_counts", "completed_whole", "learner_options"]


def average_learned(parts: Sequence[Learned]) -> Learned:
    """Average what was learned from each completion; all completions have the same weight.

    Probabilities of edges are averaged, and networks are put together. The diagnostics are those of
    the completion whose chains agree least.

    Examples
    --------
    >>> from scipy import sparse
    >>> edges = [EdgeProbabilities(sparse.csr_array([[0, p], [0, 0]]), ("a", "b")) for p in (0, 1)]
    >>> average_learned([Learned(each) for each in edges]).edges.matrix.toarray().tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0].edges
    matrix = sum((part.edges.matrix for part in parts[1:]), first.matrix) / len(parts)
    worst = max(parts, key=lambda part: part.diagnostics.r_hat or 0.0)
    edges = EdgeProbabilities(matrix, first.names)
    return Learned(edges, worst.diagnostics, _together([part.graphs for part in parts]))


def _together(parts: Sequence[SampledGraphs | None]) -> SampledGraphs | None:
    """Put networks together; those of different completions are of different chains."""
    graphs = [part for part in parts if part is not None]
    if not graphs:
        return None
    chains, of_graph, used, before = [], [], 0, 0
    for part in graphs:
        chains.append(np.maximum(part.chain, 0) + used)
        of_graph.append(part.of_graph + before)
        used, before = used + int(part.chain.max(initial=0)) + 1, before + len(part)
    return SampledGraphs.sorted(
        graphs[0].names,
        np.concatenate(of_graph),
        np.concatenate([part.parent for part in graphs]),
        np.concatenate([part.child for part in graphs]),
        np.concatenate(chains),
        np.concatenate([part.log_score for part in graphs]),
    )


def completed_whole(folded: Folded, table: Dataset) -> Dataset:
    """Return all columns of a table without gaps: copies have the values of their originals.

    Parameters
    ----------
    folded : Folded
        With gaps.
    table : Dataset
        A completion of ``folded.dataset``.
    """
    whole, codes = folded.whole, folded.whole.codes.copy()
    place = {name: v for v, name in enumerate(whole.names)}
    codes[[place[name] for name in table.names]] = table.codes
    for v in folded.repeated.tolist():
        original, gaps = int(folded.originals[v]), mask_of(whole)[v]
        state = np.zeros(int(whole.cards[original]), codes.dtype)
        state[whole.codes[original, ~gaps]] = whole.codes[v, ~gaps]
        codes[v] = state[codes[original]]
    return replace(whole, codes=codes, gaps=None)


def completed_counts(folded: Folded, tables: Sequence[Dataset]) -> DataCounts:
    """Return the counts of families over all columns: of the table, or of its completions."""
    if folded.whole.gaps is None:
        return DataCounts(folded.whole)
    wholes = [completed_whole(folded, table) for table in tables]
    codes = np.concatenate([whole.codes for whole in wholes], axis=1)
    return DataCounts(replace(wholes[0], codes=codes), len(wholes))


def learner_options(effort: str, n_graphs: int, parts: int) -> list[dict[str, Any]]:
    """Return the options of model averaging for each completion of a table.

    Together they sample as much as one table without gaps. If chains of one completion have the
    standard error e, that of the mean of m completions is ``e / sqrt(m)``. So the tolerance grows
    by this root, and the least number of steps is divided. The first completion is searched by two
    sides, which are compared; the others by one.

    >>> [options["n_graphs"] for options in learner_options("standard", 8, 3)]
    [2, 3, 3]
    >>> learner_options("quick", 8, 1)
    [{'effort': 'quick', 'n_graphs': 8}]
    """
    if parts == 1:
        return [{"effort": effort, "n_graphs": n_graphs}]
    search, sampling, root = SearchSettings.of(effort), SamplingSettings.of(effort), parts**0.5
    sampling = replace(
        sampling,
        tolerance=root * sampling.tolerance,
        tempered_error=root * sampling.tempered_error,
        least_steps=sampling.least_steps // parts,
    )
    shares = [(k + 1) * n_graphs // parts - k * n_graphs // parts for k in range(parts)]
    searches = [search, *[replace(search, sides=1)] * (parts - 1)]
    return [
        {"effort": effort, "n_graphs": share, "search": own, "sampling": sampling}
        for share, own in zip(shares, searches, strict=True)
    ]
