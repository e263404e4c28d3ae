"""Learned networks as networks of other packages."""

import numpy as np
import pytest

from lsbn.estimator import LSBN
from lsbn.network import load_network


@pytest.fixture(scope="module")
def whole_alarm():
    """A model in which variables have several parents, of different numbers of states."""
    model = LSBN(random_state=0).fit(load_network("alarm").sample(2_000, random_state=3))
    assert max(len(parents) for parents in model.to_network().parents) > 2
    return model


def rows_of(network):
    """States of the parents of each variable, and its distribution there."""
    for v, name in enumerate(network.names):
        parents = network.parents[v]
        table = network.tables[v].reshape(*(len(network.states[u]) for u in parents), -1)
        for row in np.ndindex(table.shape[:-1]):
            given = {
                network.names[u]: network.states[u][k] for u, k in zip(parents, row, strict=True)
            }
            yield name, given, table[row]


@pytest.mark.filterwarnings("ignore")
def test_pgmpy(whole_alarm):
    pytest.importorskip("pgmpy")
    found, expected = whole_alarm.to_pgmpy(), whole_alarm.to_network()
    assert set(found.edges) == set(whole_alarm.dag_.edges)
    assert found.check_model()
    states = dict(zip(expected.names, expected.states, strict=True))
    for name, parents, distribution in rows_of(expected):
        cpd = found.get_cpds(name)
        values = [cpd.get_value(**parents, **{name: state}) for state in states[name]]
        assert values == pytest.approx(distribution)


def test_pyagrum(whole_alarm):
    pytest.importorskip("pyagrum")
    found, expected = whole_alarm.to_pyagrum(), whole_alarm.to_network()
    assert {found.variable(v).name() for v in found.nodes()} == set(expected.names)
    for name, parents, distribution in rows_of(expected):
        assert found.cpt(name)[parents] == pytest.approx(distribution)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["x.bif", "x.bifxml", "x.net"])
def test_files_for_other_packages(whole_alarm, tmp_path, name):
    gum = pytest.importorskip("pyagrum")
    path, expected = tmp_path / name, whole_alarm.to_network()
    write = {".bif": "to_bif", ".bifxml": "to_xmlbif", ".net": "to_net"}[path.suffix]
    getattr(whole_alarm, write)(path)
    found = gum.loadBN(str(path))
    assert {(found.variable(u).name(), found.variable(v).name()) for u, v in found.arcs()} == set(
        whole_alarm.dag_.edges
    )
    for variable, parents, distribution in rows_of(expected):
        assert found.cpt(variable)[parents] == pytest.approx(distribution, abs=1e-6)
