"""Completions of tables: what stays, what is drawn, and that noise stays noise."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import naive
import naive_missing
from lsbn import load_network
from lsbn.answers.families import DataCounts
from lsbn.answers.predictive import predictive_table
from lsbn.data import DataError, Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import LEARNERS, Score
from lsbn.learners.families import FamilyScores
from lsbn.missing import ChainSettings, chain, complete, learner_options, start, walk
from lsbn.missing.halfway import FamilyTest, drawn_table, drawn_tables
from lsbn.missing.start import drawn_by_trees, drawn_from_columns
from lsbn.missing.walk import NetworkWalk, _order_of
from lsbn.pairs import PairStatistics

COLUMNS = ["HR", "HRBP", "HRSAT", "CO", "ERRLOWOUTPUT", "HREKG"]
SHORT = ChainSettings(
    completions=2, most_completions=2, between=1, chains=2, most_rounds=2, draws=2
)


def with_gaps(table, share, seed=0):
    mask = np.random.default_rng(seed).random(table.shape) < share
    return table.astype(object).mask(mask)


@pytest.fixture(scope="module")
def dataset():
    table = load_network("alarm").sample(300, random_state=0)[COLUMNS]
    return Dataset.from_table(with_gaps(table, 0.2), missing="infer")


def test_observed_values_stay_and_completions_differ(dataset):
    tables = complete(dataset, np.random.default_rng(0), settings=SHORT)
    assert len(tables) == 2
    for table in tables:
        assert table.gaps is None
        assert (table.codes == dataset.codes)[~dataset.gaps].all()
        assert (table.codes.max(axis=1) < table.cards).all()
    assert (tables[0].codes != tables[1].codes).any()


def test_same_seed_same_completions_for_any_number_of_jobs(dataset):
    first, second = (
        complete(dataset, np.random.default_rng(5), settings=SHORT, n_jobs=jobs) for jobs in (1, 2)
    )
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.codes, b.codes)


def test_draws_are_better_than_draws_from_the_columns(dataset):
    truth = load_network("alarm").sample(300, random_state=0)[COLUMNS]
    (table,) = complete(dataset, np.random.default_rng(0), settings=replace(SHORT, completions=1))
    right = (table.to_pandas().astype(str) == truth.astype(str)).to_numpy().T[dataset.gaps].mean()
    by_column = [
        truth[name].value_counts(normalize=True).pow(2).sum() * dataset.gaps[v].sum()
        for v, name in enumerate(COLUMNS)
    ]
    assert right > sum(by_column) / dataset.gaps.sum() + 0.1


def test_independent_columns_are_not_joined():
    """A single completion that confirms its own network would join some of them."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 2, (400, 7)), columns=list("abcdefg"))
    dataset = Dataset.from_table(with_gaps(table, 0.3), missing="infer")
    settings = ChainSettings(completions=3, chains=1, most_rounds=4)
    tables = complete(dataset, np.random.default_rng(0), settings=settings)
    found = sum(LEARNERS["model-averaging"](each).edges.matrix.toarray() for each in tables) / 3
    assert (found + found.T).max() < 0.3


def test_a_table_without_gaps_is_its_own_completion():
    dataset = Dataset.from_table(pd.DataFrame({"a": [0, 1], "b": [0, 1]}), missing="infer")
    assert dataset.gaps is None
    assert complete(dataset, np.random.default_rng(0)) == [dataset]


def test_trees_fill_better_than_columns(dataset):
    truth = load_network("alarm").sample(300, random_state=0)[COLUMNS].astype(str).to_numpy().T
    right = []
    for fill in (drawn_from_columns, drawn_by_trees):
        table = fill(dataset, np.random.default_rng(0))
        assert (table.codes == dataset.codes)[~dataset.gaps].all()
        right.append((truth == table.to_pandas().astype(str).to_numpy().T)[dataset.gaps].mean())
    assert right[1] > right[0] + 0.1


@pytest.mark.parametrize("seed", range(3))
def test_values_are_drawn_from_the_rows_of_leaves(dataset, seed):
    found = drawn_by_trees(dataset, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    filled = drawn_from_columns(dataset, rng)
    near = PairStatistics(filled).heaviest(["MI"], most=5)
    wanted = naive_missing.drawn_by_trees(filled.codes, dataset.gaps, near, start.LEAF, 10, rng)
    np.testing.assert_array_equal(found.codes, wanted)


def test_columns_that_tell_nothing_are_drawn_from_themselves():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, (200, 3)), columns=list("abc"))
    dataset = Dataset.from_table(with_gaps(table, 0.3), missing="infer")
    filled = drawn_by_trees(dataset, np.random.default_rng(0))
    assert (filled.codes < filled.cards[:, None]).all()


def test_copies_that_are_missing_together_change_together():
    """Cells that are drawn one after the other would stay."""
    a = np.repeat([0, 1], 200)
    table = pd.DataFrame({"a": a, "b": a}).astype(object)
    table.iloc[100:300] = None
    dataset = Dataset.from_table(table, missing="infer")
    own = chain.Augmentation(dataset, np.random.default_rng(0), Score(), None, 1, SHORT)
    codes = np.where(dataset.gaps, 0, dataset.codes).astype(dataset.codes.dtype)
    own.table = replace(dataset, codes=codes, gaps=None)
    counts = DataCounts(Dataset.from_table(pd.DataFrame({"a": a, "b": a})))
    own.table = own._drawn_cells(own.table, drawn_tables([(), (0,)], counts, Score(), own.rng))
    first, second = own.table.codes[:, 100:300]
    assert (first == second).mean() > 0.95
    assert 0.3 < first.mean() < 0.7


def test_a_search_goes_on_from_the_last_order(dataset):
    table = drawn_by_trees(dataset, np.random.default_rng(0))
    steps = NetworkWalk(dataset, Score(), None, np.random.default_rng(0))
    networks = [steps.step(table, anew) for anew in (True, False, False)]
    for parents in networks:
        keys = _order_of(parents)
        assert all(keys[u] < keys[v] for v, above in enumerate(parents) for u in above)
    joined = [{frozenset((u, v)) for v, a in enumerate(n) for u in a} for n in networks]
    assert joined[0] & joined[1] & joined[2]
    assert steps.density is not None


def test_constant_columns_have_no_parents():
    table = pd.DataFrame({"a": [0, 1] * 30, "one": ["x"] * 60, "b": [0, 1] * 30})
    table = table.astype(object)
    table.iloc[3, 0] = None
    dataset = Dataset.from_table(table, missing="infer")
    assert (dataset.cards == 1).sum() == 1
    steps = NetworkWalk(dataset, Score(), None, np.random.default_rng(0))
    filled = drawn_by_trees(dataset, np.random.default_rng(0))
    for anew in (True, False):
        assert steps.step(filled, anew)[int(dataset.cards.argmin())] == ()
    alone = NetworkWalk(dataset.select(np.array([1])), Score(), None, np.random.default_rng(0))
    assert alone.step(dataset.select(np.array([1])), True) == [()]


def test_completions_share_the_work_of_sampling():
    parts = learner_options("standard", 10, 4)
    assert [own["n_graphs"] for own in parts] == [2, 3, 2, 3]
    assert [own["search"].sides for own in parts] == [2, 1, 1, 1]
    whole = learner_options("standard", 10, 1)
    assert whole == [{"effort": "standard", "n_graphs": 10}]


@pytest.mark.parametrize(
    ("gains", "most_rounds", "rounds"),
    [([4.9], 60, 4), ([5.1, 5.1, 4.9], 60, 8), ([5.1] * 3, 9, 9), ([], 3, 3), ([], 0, 0)],
)
def test_a_chain_goes_on_while_its_evidence_rises(dataset, monkeypatch, gains, most_rounds, rounds):
    """Every two rounds, the last two are compared with the two before."""
    settings = replace(SHORT, compared=2, most_rounds=most_rounds, rising=5.0)
    own = chain.Augmentation(dataset, np.random.default_rng(0), Score(), None, 1, settings)
    before, left = [], list(gains)

    def step(table, anew):
        before.append(table)
        return [()] * table.n_variables

    def evidence(groups, families):
        tables = [*before[1:], own.table]
        found = [[each.table for each in group] for group in groups]
        assert found == [tables[-4:-2], tables[-2:]]
        gain = left.pop(0)
        return np.array([[0, -gain], [gain, 0]])

    monkeypatch.setattr(own.walk, "step", step)
    monkeypatch.setattr(chain, "log_evidence", evidence)
    while own.moves():
        own.advance()
    assert own.rounds == rounds
    assert not left


def test_every_chain_meets_every_other_one_once(dataset, monkeypatch):
    met = []
    monkeypatch.setattr(chain.Augmentation, "meet", lambda own, other: met.append((own, other)))
    complete(dataset, np.random.default_rng(0), settings=replace(SHORT, chains=3, most_rounds=1))
    chains = {own for own, _ in met}
    assert len(chains) == 3
    assert len(met) == 6
    assert set(met) == set(itertools.permutations(chains, 2))


def test_every_second_round_reverses_edges_while_the_chain_moves(dataset, monkeypatch):
    reversing, test = [], FamilyTest.__call__

    def spied(self, parents, table, families, draw, reverse):
        reversing.append(reverse)
        return test(self, parents, table, families, draw, reverse)

    monkeypatch.setattr(FamilyTest, "__call__", spied)
    settings = replace(SHORT, most_rounds=5)
    own = chain.Augmentation(dataset, np.random.default_rng(0), Score(), None, 1, settings)
    for _ in range(8):
        own.advance()
    assert reversing == [False, True, False, True, False, False, False, False]


def test_chains_keep_no_table_that_nothing_reads(dataset, monkeypatch):
    chains, arrive = [], chain._arrive

    def arrived(found, tell):
        arrive(found, tell)
        assert [len(own.recent) for own in found] == [2, 2]
        assert not any("bits" in vars(each.table) for own in found for each in own.recent)
        chains[:] = found

    monkeypatch.setattr(chain, "_arrive", arrived)
    settings = replace(SHORT, compared=1)
    tables = complete(dataset, np.random.default_rng(0), settings=settings)
    assert [len(own.recent) for own in chains] == [0, 0]
    assert not any("bits" in vars(table) for table in tables)


def test_networks_of_chains_that_arrived_have_exact_probabilities():
    """All completions of six cells and all graphs, weighted by their orders, are enumerated.

    One point of the integral stands for it in the tests half-way, so they lean to fewer edges.
    """
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.45, a, rng.integers(0, 2, 60))
    c = np.where(rng.random(60) < 0.35, b, rng.integers(0, 2, 60))
    table = pd.DataFrame({"a": a, "b": b, "c": c}).astype(object)
    for cell in rng.choice(180, 6, replace=False):
        table.iat[cell // 3, cell % 3] = None
    dataset, score = Dataset.from_table(table, missing="infer"), Score("bdeu", density=0.3)
    settings = ChainSettings(most_rounds=4, draws=1)
    own = chain.Augmentation(dataset, np.random.default_rng(0), score, None, 1, settings)
    while own.moves():
        own.advance()
    joined, draw, rounds = np.zeros((3, 3)), own._draw, 700

    def counted(parents):
        for v, above in enumerate(parents):
            joined[list(above), v] += 1 / rounds
        draw(parents)

    own._draw = counted
    for _ in range(rounds):
        own.advance()
    np.testing.assert_allclose(joined + joined.T, joined_exactly(dataset, score), atol=0.12)


def joined_exactly(dataset, score):
    """Probability that each pair is joined, by enumeration."""
    n, gaps, weights, pairs = dataset.n_variables, np.argwhere(dataset.gaps), [], []
    graphs = [(graph, naive.linear_extensions(graph)) for graph in naive.dags(n)]
    for values in itertools.product((0, 1), repeat=len(gaps)):
        codes = dataset.codes.copy()
        codes[tuple(gaps.T)] = values
        family = cache(FamilyScores(replace(dataset, codes=codes, gaps=None), score))
        for graph, orders in graphs:
            log = sum(family(v, above) for v, above in enumerate(graph))
            weights.append(orders * np.exp(log))
            pairs.append([[u in graph[v] or v in graph[u] for v in range(n)] for u in range(n)])
    return np.average(np.array(pairs, float), axis=0, weights=weights)


def test_trees_of_long_tables_use_some_rows(dataset, monkeypatch):
    monkeypatch.setattr(start, "ROWS", 50)
    table = drawn_by_trees(dataset, np.random.default_rng(0))
    assert (table.codes == dataset.codes)[~dataset.gaps].all()


def test_very_many_variables_are_searched_among_partners(dataset, monkeypatch):
    monkeypatch.setattr(walk.SearchSettings, "max_unrestricted", 3)
    monkeypatch.setattr(walk, "PARTNERS", 2)
    assert len(complete(dataset, np.random.default_rng(0), settings=SHORT)) == 2


def test_knowledge_holds_while_cells_are_drawn(dataset):
    known = resolve(Knowledge(forbidden=[("*", "HR"), ("HR", "*")]), dataset.names)
    tables = complete(dataset, np.random.default_rng(0), knowledge=known, settings=SHORT)
    assert len(tables) == 2


@pytest.mark.parametrize("kind", ["mixed", "bdeu", "k2", "bic"])
def test_tables_are_drawn_around_their_means(dataset, kind):
    counts, score = DataCounts(dataset)(1, (0,)), Score(kind)
    assert counts.counts.sum() == (~dataset.gaps[:2].any(axis=0)).sum()
    rng = np.random.default_rng(0)
    draws = np.array([drawn_table(counts, score, rng).table for _ in range(300)])
    np.testing.assert_allclose(draws.sum(axis=2), 1)
    assert (draws > 0).all()
    means = predictive_table(counts.counts, counts.cards, score)
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=0.08)


def test_learners_refuse_gaps_by_themselves(dataset):
    for name in ("model-averaging", "greedy", "pc"):
        with pytest.raises(DataError, match="to be inferred"):
            LEARNERS[name](dataset)
