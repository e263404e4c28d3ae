import math
from collections import Counter

import numpy as np
import pytest

import naive
from experiment_cases import load_experiment
from lsbn.learners import Score


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.own_prior")


def as_sets(row):
    return tuple(frozenset(u for u in range(len(row)) if int(m) >> u & 1) for m in row)


@pytest.mark.parametrize("rows", [8, 12, 100])
def test_drawn_graphs_follow_the_prior_of_the_learner(study, rows):
    """Both ways to draw follow the priors of families times orders, within sampling error.

    With 8 and 12 rows some families have too many free parameters, so orders have different sums.
    """
    cards, draws = [2, 3, 4], 20_000
    n = len(cards)
    bias = load_experiment("parts.order_bias")
    parents, orders = bias.all_graphs(n)
    weight = [
        count * math.prod(family_prior(v, above, cards, rows) for v, above in enumerate(dag))
        for dag, count in zip(map(as_sets, parents), orders, strict=True)
    ]
    expected = dict(zip(map(as_sets, parents), np.array(weight) / np.sum(weight), strict=True))
    rng = np.random.default_rng(3)
    ways = (
        lambda: study.draw_graph(np.array(cards), rows, n - 1, rng),
        lambda: bias.draw_listed_graph(np.array(cards), rows, orders, rng),
    )
    for draw in ways:
        seen = Counter(tuple(frozenset(p.tolist()) for p in draw()) for _ in range(draws))
        for graph, p in expected.items():
            assert seen[graph] / draws == pytest.approx(p, abs=5 * np.sqrt(p / draws))


def family_prior(v, parents, cards, rows):
    if (cards[v] - 1) * math.prod(cards[u] for u in parents) > rows:
        return 0.0
    return math.exp(naive.log_prior("sizes", None, len(cards), len(parents)))


def test_no_drawn_family_has_more_free_parameters_than_rows(study, monkeypatch):
    monkeypatch.setattr(study, "ROWS", (20, 60))
    for case in study.draw_cases(20, (5, 12), np.random.SeedSequence(2)):
        assert case.score == Score("bdeu", ess=case.ess, prior="sizes")
        cards, rows = case.known.cards.tolist(), case.known.n_rows
        assert 20 <= rows <= 60
        for v, above in enumerate(case.network.parents):
            assert len(above) <= study.MAX_PARENTS
            assert family_prior(v, above.tolist(), cards, rows) > 0


@pytest.mark.parametrize("ess", [1e-6, 0.5, 1e4])
def test_rows_are_dirichlet_draws_even_where_parameters_are_tiny(study, ess):
    q, r = 2000, 4
    table = study.draw_table(q, r, q * ess, np.random.default_rng(0))
    assert np.allclose(table.sum(axis=1), 1)
    assert table.mean(axis=0) == pytest.approx(1 / r, abs=0.05)
    assert table.var(axis=0) == pytest.approx((1 / r) * (1 - 1 / r) / (1 + ess), rel=0.15)
