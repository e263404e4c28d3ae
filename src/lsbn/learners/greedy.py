"""Greedy search: hill climbing over directed acyclic graphs with a tabu list and kicks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels import climb as _climb
from lsbn.kernels import climb_state as _state
from lsbn.knowledge import Constraints
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.informed import without_required
from lsbn.learners.scoring import PUBLISHED, Score, columns_of
from lsbn.pairs import PairStatistics

__all__ = ["Climbing", "learn_greedy"]

_ALL_PAIRS = 2_000
"""Up to this number of variables all pairs are candidates."""
_MEAN_CANDIDATES = 100
"""Mean number of candidates of a variable, with more variables."""


@dataclass(frozen=True)
class Climbing:
    """Effort of the search. The defaults were chosen by the score reached, not by a true graph.

    Attributes
    ----------
    tenure : int
        Number of steps for which a changed pair of variables is tabu.
    patience : int
        A climb ends after this number of steps without a new best graph.
    rounds : int
        Largest number of rounds of kicks. The search ends after a round that does not increase the
        score.
    kicks : int
        Number of kicks in a round. Kicks start at variables in random order. The numbers of kicks
        of two variables differ by at most one.
    largest_region : int
        A kick removes all edges among a connected set of variables. The size of this set is drawn
        at random, from 1 to ``largest_region``.
    """

    tenure: int = 15
    patience: int = 25
    rounds: int = 5
    kicks: int = 250
    largest_region: int = 20


STANDARD_CLIMBING = Climbing()


def learn_greedy(
    dataset: Dataset,
    *,
    score: Score | str = PUBLISHED,
    max_parents: int = 8,
    effort: Climbing = STANDARD_CLIMBING,
    candidates: Candidates | None = None,
    knowledge: Constraints | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn one graph by hill climbing: add, remove or reverse the edge with the largest gain.

    Parameters
    ----------
    dataset : Dataset
    score : Score or str
        The score to maximise, with its structure prior, or the kind of the score.
    max_parents : int
        Largest number of parents of a variable.
    effort : Climbing
    candidates : Candidates, optional
        Candidates for a second search, see Notes.
    knowledge : Constraints, optional
        The search starts from the required edges and never leaves the graphs that agree with it.
    pairs : PairStatistics, optional
        Statistics of the same dataset. By default they are computed here.
    random_state, n_jobs : seed of the kicks; the number of threads is ignored

    Returns
    -------
    Learned
        Directed edges with probability 1.

    Notes
    -----
    A climb ends in a local maximum. The first steps decide which maximum, and many first steps have
    equal gains: with BDeu, u -> v and v -> u have the same gain in the empty graph. Equal gains are
    decided by `canonical_order`. It comes from the data, so the order of the columns and of the
    rows does not matter.

    A *kick* leaves a local maximum: it removes all edges among a few connected variables and climbs
    again. The new graph is kept if its score is not lower. Kicks increased F on win95pts from 64 to
    about 86 and on link from 58 to 70 (20,000 rows).

    The candidate edges are those of `candidate_pairs`. With `candidates` there are two searches,
    and the graph with the higher score is returned. Some parents depend on the child only together
    with others, and are not in `candidates`: on link, `candidates` alone lost 8 points of F.
    """
    del n_jobs
    rng = np.random.default_rng(random_state)
    pairs = pairs or PairStatistics(dataset)
    order = canonical_order(pairs)
    climber = _Climber(dataset, order, Score.of(score), max_parents, effort, rng, knowledge)
    if candidates is None:
        return climber.climb(candidate_pairs(pairs))
    proposed = climber.climb(candidates.pairs(dataset))
    unrestricted = climber.climb(candidate_pairs(pairs))
    return max(unrestricted, proposed, key=_score_of)


def _score_of(learned: Learned) -> float:
    """Return the score of a graph that was found by climbing."""
    score = learned.diagnostics.score
    return -math.inf if score is None else score


def climb_within(
    pairs: PairStatistics,
    allowed: np.ndarray,
    *,
    score: Score,
    max_parents: int,
    effort: Climbing,
    rng: np.random.Generator,
    knowledge: Constraints | None = None,
) -> Learned:
    """Search for the best graph whose edges are among the allowed pairs.

    Parameters
    ----------
    pairs : PairStatistics
    allowed : (m, 2) int array
        Pairs that may have an edge.
    score, max_parents, effort
        See `learn_greedy`.
    rng : numpy.random.Generator
        Random numbers for the kicks.
    knowledge : Constraints, optional

    Returns
    -------
    Learned
    """
    climber = _Climber(
        pairs.dataset, canonical_order(pairs), score, max_parents, effort, rng, knowledge
    )
    return climber.climb(allowed)


@dataclass(frozen=True)
class _Climber:
    """A search over the variables in their canonical order."""

    dataset: Dataset
    order: np.ndarray
    score: Score
    max_parents: int
    effort: Climbing
    rng: np.random.Generator
    knowledge: Constraints | None = None

    def climb(self, allowed: np.ndarray) -> Learned:
        """Search among the allowed pairs."""
        back, known = np.argsort(self.order), self.knowledge
        ordered = self.dataset.select(self.order.tolist())
        if known is not None:
            free, fixed = without_required(known, allowed)
            allowed, known = np.concatenate([free, fixed]), known.select(self.order)
        lists = lists_of(len(back), back[allowed])
        matrix, notes = search(
            ordered, lists, self.score, self.max_parents, self.effort, self.rng, known
        )
        return Learned(EdgeProbabilities(matrix[back][:, back], self.dataset.names), notes)


def canonical_order(pairs: PairStatistics) -> np.ndarray:
    """Return the variables ordered by entropy, then by the sum of their mutual information.

    The sum is taken over all other variables. Both keys are rounded to nine decimals. Two variables
    with equal keys are copies of each other, or almost copies.
    """
    strength = pairs.moments(["MI"])["MI"].strength
    return np.lexsort((strength.round(9), pairs.entropy.round(9)))


def candidate_pairs(pairs: PairStatistics) -> np.ndarray:
    """Return the default candidate edges.

    Up to 2,000 variables, these are all pairs. With more variables, these are the pairs with the
    largest mutual information, 100 for each variable on average.
    """
    n = pairs.dataset.n_variables
    varying = np.flatnonzero(pairs.dataset.cards > 1)
    if n <= _ALL_PAIRS:
        u, v = np.meshgrid(varying, varying)
        return np.stack([u[u < v], v[u < v]], axis=1)
    return pairs.above({"MI": pairs.threshold("MI", _MEAN_CANDIDATES * n / 2)})["MI"][0]


def lists_of(n: int, edges: np.ndarray) -> _state.Lists:
    """Return candidate lists in which u and v of each pair are candidates of each other."""
    both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
    keys = np.unique(both[:, 0] * n + both[:, 1])
    indptr = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64)
    return _state.new_lists(indptr, keys % n)


def search(
    dataset: Dataset,
    lists: _state.Lists,
    score: Score,
    max_parents: int,
    effort: Climbing,
    rng: np.random.Generator,
    knowledge: Constraints | None = None,
) -> tuple[sparse.csr_array, Diagnostics]:
    """Climb within candidate lists, then kick until a round of kicks does not increase the score.

    Parameters
    ----------
    dataset : Dataset
    lists : Lists
        Candidate neighbours of each variable, see `lists_of`.
    score, max_parents, effort
        See `learn_greedy`.
    rng : numpy.random.Generator
        Random numbers for the kicks.
    knowledge : Constraints, optional
        Its required edges must be among the candidates.

    Returns
    -------
    matrix : sparse (n, n) array
        1 for an edge from row to column.
    diagnostics : Diagnostics
        The score, the scores after each round, and the number of steps.
    """
    n = dataset.n_variables
    rules = edge_rules(lists, score, max_parents, knowledge)
    width = int(rules.most.max())
    state, penalty = _state.new_state(lists, width), score.penalty(n, width)
    if knowledge is not None:
        for u, v in zip(*knowledge.required_edges(), strict=True):
            state.parents[v, state.n_parents[v]] = u
            state.n_parents[v] += 1
    problem = _state.Problem(columns_of(dataset), score.lookup(), penalty, lists, rules)
    tabu = _state.Tabu(np.zeros(1, np.int64), effort.tenure, effort.patience)
    _climb.start(problem, state)
    best = _climb.climb(problem, state, tabu)
    trace = [best]
    for _ in range(effort.rounds):
        for centre in _centres(n, effort, rng):
            draws = rng.random(rng.integers(effort.largest_region))
            best = _climb.kick(problem, state, tabu, centre, draws, best)
        trace.append(best)
        if trace[-1] <= trace[-2] + _climb.TIE:
            break
    diagnostics = Diagnostics(score=best, scores=trace, steps=int(tabu.clock[0]))
    return _matrix(state.parents, state.n_parents), diagnostics


def edge_rules(
    lists: _state.Lists, score: Score, max_parents: int, knowledge: Constraints | None
) -> _state.EdgeRules:
    """Return what is known about the edges of candidate lists."""
    n, size = len(lists.indptr) - 1, len(lists.candidates)
    most = np.full(n, max(1, min(max_parents, n - 1)))
    if knowledge is None:
        return _state.EdgeRules(np.zeros(size), np.zeros(size, bool), most)
    children = np.repeat(np.arange(n), np.diff(lists.indptr))
    edges = children * n + lists.candidates
    prior = np.where(knowledge.allows(lists.candidates, children), 0.0, -np.inf)
    _, here, there = np.intersect1d(edges, knowledge.likely, return_indices=True)
    prior[here] += knowledge.log_odds[there] - score.edge_log_odds(n)
    n_required = np.bincount(knowledge.required // n, minlength=n)
    most = np.maximum(np.minimum(most, knowledge.most_parents), n_required)
    return _state.EdgeRules(prior, np.isin(edges, knowledge.required), most)


def _centres(n: int, effort: Climbing, rng: np.random.Generator) -> np.ndarray:
    """Return the variables at which the kicks of a round start."""
    passes = -(-effort.kicks // n)
    return np.concatenate([rng.permutation(n) for _ in range(passes)])[: effort.kicks]


def _matrix(parents: np.ndarray, n_parents: np.ndarray) -> sparse.csr_array:
    """Return the adjacency matrix of parent lists."""
    n = len(n_parents)
    inside = np.arange(parents.shape[1]) < n_parents[:, None]
    children = np.repeat(np.arange(n), n_parents)
    return sparse.csr_array((np.ones(len(children)), (parents[inside], children)), shape=(n, n))
