"""XMLBIF and NET files, read by other packages: the same graph, states and tables."""

from xml.etree import ElementTree

import numpy as np
import pytest

from lsbn.network import BayesianNetwork, load_network, read_bif
from lsbn.network.exchange import kind_of, write_network

NAMES = ("body mass (kg)", "node", '1st // "größe"; </NAME>', "n.4", "n_4")
SAFE = {
    "xmlbif": ["body_mass_kg", "node", "1st_gr_e_below_NAMEabove", "n_4_2", "n_4"],
    "net": ["body_mass_kg", "node_2", "x_1st_gr_e_below_NAMEabove", "n_4_2", "n_4"],
}
STATES = (("[1.0, 2]", "(2, 3]"), ("a", "b", "c"), ("x", 'very "large"'), ("0", "1"), ("only",))


@pytest.fixture
def network():
    """Difficult names, up to three parents of different sizes, and probabilities of 0 and 1e-9."""
    parents = ([], [0], [1, 0, 4], [2], [])
    rng = np.random.default_rng(0)
    sizes = [len(states) for states in STATES]
    tables = [
        rng.dirichlet(np.ones(r), int(np.prod([sizes[p] for p in above])))
        for r, above in zip(sizes, parents, strict=True)
    ]
    tables[2][0] = [0.0, 1.0]
    tables[3][1] = [1e-9, 1 - 1e-9]
    return BayesianNetwork(NAMES, STATES, [np.array(p, int) for p in parents], tables, "my net")


def rows(network, names):
    """States of the parents of each variable as numbers, and its distribution there."""
    for v, name in enumerate(names):
        above = network.parents[v]
        for row, place in enumerate(np.ndindex(*network.cardinalities[above])):
            given = {names[u]: int(k) for u, k in zip(above, place, strict=True)}
            never = [0.0] * (len(network.states[v]) == 1)
            yield name, given, [*network.tables[v][row].tolist(), *never]


@pytest.mark.parametrize(("kind", "ending"), [("xmlbif", "bifxml"), ("net", "net")])
def test_pyagrum_reads_it(network, kind, ending, tmp_path):
    gum = pytest.importorskip("pyagrum")
    write_network(network, tmp_path / f"a.{ending}")
    found = gum.loadBN(str(tmp_path / f"a.{ending}"))
    assert set(found.names()) == set(SAFE[kind])
    assert found.variable("body_mass_kg").labels() == ("1_0_to_2", "2_to_3")
    for name, given, distribution in rows(network, SAFE[kind]):
        values = found.cpt(name)[given] if given else found.cpt(name).tolist()
        assert values == pytest.approx(distribution, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["xmlbif", "net"])
def test_pgmpy_reads_it(network, kind, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    reader = {"xmlbif": readwrite.XMLBIFReader, "net": readwrite.NETReader}[kind]
    write_network(network, tmp_path / f"a.{kind}")
    found = reader(str(tmp_path / f"a.{kind}")).get_model()
    assert found.check_model()
    assert set(found.nodes) == set(SAFE[kind])
    for name, given, distribution in rows(network, SAFE[kind]):
        cpd = found.get_cpds(name)
        states = {u: cpd.state_names[u][k] for u, k in given.items()}
        values = [cpd.get_value(**{name: state}, **states) for state in cpd.state_names[name]]
        assert values == distribution


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net"])
def test_a_single_state_gets_a_second_one_of_probability_zero(network, ending, tmp_path):
    """pyAgrum refuses variables with one state, or ends the process."""
    gum = pytest.importorskip("pyagrum")
    write_network(network, tmp_path / f"a.{ending}")
    found = gum.loadBN(str(tmp_path / f"a.{ending}"))
    assert found.variable("n_4").labels() == ("only", "never")
    assert found.cpt("n_4").tolist() == [1.0, 0.0]


def test_labels_of_net_are_the_original_names(network, tmp_path):
    write_network(network, tmp_path / "a.net")
    text = (tmp_path / "a.net").read_text("utf-8")
    assert 'label = "body mass (kg)";' in text
    assert 'label = "1st __ _größe__ <_NAME>";' in text
    assert text.count("(") == text.count(")")


def test_properties_of_xmlbif_have_the_original_names(network, tmp_path):
    write_network(network, tmp_path / "a.xml")
    variables = ElementTree.parse(tmp_path / "a.xml").getroot().iter("VARIABLE")
    first = next(variables)
    assert first.findtext("PROPERTY").startswith('lsbn_names = "body%20mass%20%28kg%29 ')
    assert [each.text for each in first.iter("OUTCOME")] == ["1_0_to_2", "2_to_3"]


def test_bif_comes_back(network, tmp_path):
    write_network(network, tmp_path / "a.bif.gz")
    found = read_bif(tmp_path / "a.bif.gz")
    assert (found.names, found.states) == (NAMES, STATES)
    assert all(map(np.array_equal, found.tables, network.tables))


def test_a_large_network_is_quick_and_right(tmp_path):
    gum = pytest.importorskip("pyagrum")
    alarm = load_network("alarm")
    write_network(alarm, tmp_path / "alarm.net")
    found = gum.loadBN(str(tmp_path / "alarm.net"))
    ids = {(found.variable(u).name(), found.variable(v).name()) for u, v in found.arcs()}
    assert ids == set(alarm.dag.edges)


def test_the_ending_must_fit(network, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.bif, \.bif\.gz, \.xmlbif"):
        kind_of(tmp_path / "a.txt")
    with pytest.raises(ValueError, match=r"must end in \.net"):
        write_network(network, tmp_path / "a.xml", "net")
    assert list(tmp_path.iterdir()) == []
