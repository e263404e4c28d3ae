"""Models with groups of copies: files, pages and other packages."""

import networkx as nx
import pytest

from lsbn import LSBN, load_network
from lsbn.network import read_bif


@pytest.fixture(scope="module")
def grouped():
    """A model with a group of copies."""
    table = load_network("alarm").sample(1_000, random_state=0)[["HR", "HRBP", "HRSAT", "CO"]]
    renamed = table["HR"].map({"LOW": "b", "NORMAL": "a", "HIGH": "c"})
    return LSBN(fold_copies="group", random_state=0).fit(table.assign(pulse=renamed))


def test_files_of_a_model_with_groups(grouped, tmp_path):
    edges = set(grouped.dag_.edges)
    assert {frozenset(edge) for edge in edges} == {
        frozenset(("HR = pulse", name)) for name in ("HRBP", "HRSAT", "CO")
    }
    network = grouped.to_network()
    assert set(network.dag.edges) == edges
    states = dict(zip(network.names, network.states, strict=True))
    assert states["HR = pulse"] == ("HIGH", "LOW", "NORMAL")
    network.write_bif(tmp_path / "net.bif")
    assert set(read_bif(tmp_path / "net.bif").dag.edges) == edges
    grouped.to_graphml(tmp_path / "graph.graphml")
    assert set(nx.read_graphml(tmp_path / "graph.graphml").edges) == edges
    grouped.to_csv(tmp_path / "edges.csv")
    assert "HR = pulse" in (tmp_path / "edges.csv").read_text(encoding="utf-8")
    grouped.plot(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Groups of equal columns" in page
    assert "<bdi>HR</bdi>, <bdi>pulse</bdi>" in page


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", ["pgmpy", "pyagrum"])
def test_other_packages_know_groups(grouped, package):
    pytest.importorskip(package)
    found = getattr(grouped, f"to_{package}")()
    names = found.nodes if package == "pgmpy" else found.names()
    assert set(names) == set(grouped.dag_)
