import numpy as np
import pytest

import naive
from experiment_cases import load_experiment
from lsbn import Dataset
from lsbn.learners import Score


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.order_bias")


def as_sets(row):
    return tuple(frozenset(u for u in range(len(row)) if int(m) >> u & 1) for m in row)


@pytest.mark.parametrize("n", [3, 4])
def test_graphs_and_their_orders_are_those_of_the_slow_list(study, n):
    parents, orders = study.all_graphs(n)
    found = dict(zip(map(as_sets, parents), orders.tolist(), strict=True))
    assert found == {dag: naive.linear_extensions(dag) for dag in naive.dags(n)}


def test_posteriors_over_graphs_are_those_of_the_slow_sum(study):
    prior = load_experiment("parts.own_prior")
    case = next(prior.draw_cases(1, (4, 4), np.random.SeedSequence(1)))
    data = case.known
    columns, cards = data.codes[:, :60].tolist(), data.cards.tolist()
    data = Dataset(np.ascontiguousarray(data.codes[:, :60]), *_rest(data))
    scores = naive.families("bdeu", 2.0, columns, cards)
    graphs = list(naive.dags(4))
    for weigh in (naive.linear_extensions, lambda _: 1):
        wanted, _ = naive.dag_edge_posteriors(scores, [(dag, weigh(dag)) for dag in graphs])
        weight = np.array([weigh(as_sets(row)) for row in study.all_graphs(4)[0]], float)
        (found,) = study.graph_posteriors(data, Score("bdeu", ess=2.0, prior="sizes"), [weight])
        assert np.allclose(found, wanted, atol=1e-9)


def _rest(data):
    return data.cards, data.names, data.states
