"""Completions of tables: what stays, what is drawn, and that noise stays noise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lsbn import load_network
from lsbn.answers.families import DataCounts
from lsbn.answers.predictive import predictive_table
from lsbn.data import DataError, Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import LEARNERS, Score
from lsbn.missing import ChainSettings, chain, complete
from lsbn.missing.chain import drawn_table
from lsbn.missing.forest import likely_forest

COLUMNS = ["HR", "HRBP", "HRSAT", "CO", "ERRLOWOUTPUT", "HREKG"]
SHORT = ChainSettings(completions=2, by_rows=1, warm_up=2, sweeps=3)


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
    settings = ChainSettings(completions=3, by_rows=2, warm_up=4)
    tables = complete(dataset, np.random.default_rng(0), settings=settings)
    found = sum(LEARNERS["model-averaging"](each).edges.matrix.toarray() for each in tables) / 3
    assert (found + found.T).max() < 0.3


def test_a_table_without_gaps_is_its_own_completion():
    dataset = Dataset.from_table(pd.DataFrame({"a": [0, 1], "b": [0, 1]}), missing="infer")
    assert dataset.gaps is None
    assert complete(dataset, np.random.default_rng(0)) == [dataset]


def test_the_forest_joins_the_most_dependent_pairs():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 500)
    b = np.where(rng.random(500) < 0.8, a, rng.integers(0, 3, 500))
    c = np.where(rng.random(500) < 0.8, b, rng.integers(0, 3, 500))
    table = pd.DataFrame({"a": a, "c": c, "b": b, "noise": rng.integers(0, 3, 500)})
    dataset = Dataset.from_table(with_gaps(table, 0.2), missing="infer")
    filled = replace(dataset, gaps=None)
    parents = likely_forest(dataset, filled)
    edges = {frozenset((v, u)) for v, above in enumerate(parents) for u in above}
    assert edges == {frozenset((0, 2)), frozenset((1, 2))}


def test_very_many_variables_are_searched_among_partners(dataset, monkeypatch):
    monkeypatch.setattr(chain.SearchSettings, "max_unrestricted", 3)
    monkeypatch.setattr(chain, "PARTNERS", 2)
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
