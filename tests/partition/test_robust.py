import numpy as np
import pytest

from lsbn.data import Dataset
from lsbn.network import load_network
from lsbn.partition import WEIGHTS, ropart


@pytest.fixture(scope="module")
def alarm():
    return Dataset.from_table(load_network("alarm").sample(5_000, random_state=0))


def as_sets(communities):
    return {frozenset(c.tolist()) for c in communities}


def test_every_variable_is_covered_by_every_partition(alarm):
    found = ropart(alarm)
    assert tuple(found.by_weight) == tuple(found.kept) == tuple(found.graphs) == WEIGHTS
    for communities in [found.communities, *found.by_weight.values()]:
        assert np.unique(np.concatenate(communities)).tolist() == list(range(37))
    for name in WEIGHTS:
        assert 0.05 < found.kept[name] < 0.6
        assert found.kept[name] == len(found.graphs[name].edges) / (37 * 36 / 2)


def test_most_true_edges_lie_inside_small_communities(alarm):
    communities = ropart(alarm).communities
    assert max(len(c) for c in communities) <= 25
    names = alarm.names
    held = {frozenset((names[a], names[b])) for c in communities for a in c for b in c if a != b}
    edges = [frozenset(e) for e in load_network("alarm").dag.edges]
    assert sum(e in held for e in edges) >= 40


def test_any_number_of_jobs_gives_the_same(alarm):
    one, two = ropart(alarm, n_jobs=1), ropart(alarm, n_jobs=2)
    assert [c.tolist() for c in one.communities] == [c.tolist() for c in two.communities]
    for name in WEIGHTS:
        assert as_sets(one.by_weight[name]) == as_sets(two.by_weight[name])


def test_the_order_of_rows_and_columns_does_not_matter(alarm):
    rng = np.random.default_rng(3)
    columns, rows = rng.permutation(37), rng.permutation(alarm.n_rows)
    moved = alarm.select(columns)
    moved = Dataset(moved.codes[:, rows], moved.cards, moved.names, moved.states)
    found = {frozenset(columns[list(c)].tolist()) for c in as_sets(ropart(moved).communities)}
    assert found == as_sets(ropart(alarm).communities)


def test_fewer_weights_and_words_of_progress(alarm):
    told = []
    found = ropart(alarm, weights=["MI", "Pearson"], progress=told.append)
    assert list(found.by_weight) == ["MI", "Pearson"]
    assert told[0] == "partition the variables (666 pairs)"
    assert len(told) == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_tables(n):
    codes = np.tile(np.array([[0, 1]], np.uint8), (n, 20))
    names = tuple("abc"[:n])
    data = Dataset(codes, np.full(n, 2), names, (("x", "y"),) * n)
    found = ropart(data)
    assert [c.tolist() for c in found.communities] == [list(range(n))]


def test_independent_constants_stay_alone():
    data = Dataset(np.zeros((3, 5), np.uint8), np.ones(3, int), ("a", "b", "c"), (("x",),) * 3)
    assert [c.tolist() for c in ropart(data).communities] == [[0], [1], [2]]


def test_no_weights(alarm):
    with pytest.raises(ValueError, match="weights is empty"):
        ropart(alarm, weights=[])
