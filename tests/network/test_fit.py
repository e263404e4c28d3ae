import networkx as nx
import numpy as np
import pytest

from lsbn.data import Dataset
from lsbn.network import load_network, read_bif
from lsbn.network.fit import fit_tables


@pytest.fixture(scope="module")
def alarm():
    net = load_network("alarm")
    return net, Dataset.from_table(net.sample(20_000, random_state=0))


def test_tables_approach_the_truth(alarm):
    net, data = alarm
    fitted = fit_tables(net.dag, data)
    root = net.names.index("HYPOVOLEMIA")
    assert fitted.names == net.names
    labels = net.states[root]
    mine = dict(zip(fitted.states[root], fitted.tables[root][0], strict=True))
    np.testing.assert_allclose([mine[s] for s in labels], net.tables[root][0], atol=0.01)


def test_fitted_network_survives_bif(alarm, tmp_path):
    net, data = alarm
    fitted = fit_tables(net.dag, data)
    fitted.write_bif(tmp_path / "x.bif")
    assert set(read_bif(tmp_path / "x.bif").dag.edges) == set(net.dag.edges)


def test_unseen_configurations_are_uniform():
    data = Dataset.from_table(np.array([["a", "c", "e"], ["b", "d", "f"]]))
    net = fit_tables(nx.DiGraph([("x0", "x2"), ("x1", "x2")]), data)
    table = net.tables[2].reshape(2, 2, 2)
    np.testing.assert_allclose(table[0, 1], 0.5)
    np.testing.assert_allclose(table[0, 0], [1.125 / 1.25, 0.125 / 1.25])


def test_refusals():
    data = Dataset.from_table(np.array([["a", "c"], ["b", "d"]]))
    with pytest.raises(ValueError, match="'x1'"):
        fit_tables(nx.DiGraph([("x0", "x9")]), data)
    with pytest.raises(ValueError, match="ess"):
        fit_tables(nx.DiGraph([("x0", "x1")]), data, ess=0)
    wide = Dataset.from_table(np.array([[str(r)] * 10 for r in range(10)]))
    with pytest.raises(ValueError, match="cells"):
        fit_tables(nx.DiGraph([(f"x{i}", "x9") for i in range(9)]), wide)
