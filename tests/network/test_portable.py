"""BIF files for other packages: safe names, and the way back."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn import LSBN
from lsbn.network import BayesianNetwork, parse_bif, read_bif
from lsbn.network.bif import BIFContents, format_bif
from lsbn.network.portable import portable

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6) | st.sampled_from(
    ["[32.1, 40.8]", "(-1, -0.5]", "table", "a b", "a_b", '"', "<5", ";", "%20"]
)


def network_of(names, labels, seed=0):
    rng, r = np.random.default_rng(seed), len(labels)
    parents = (np.array([], int), np.array([0]))
    tables = (rng.dirichlet(np.ones(r), 1), rng.dirichlet(np.ones(r), r))
    return BayesianNetwork(tuple(names), (tuple(labels),) * 2, parents, tables, "a net")


@settings(deadline=None, max_examples=150)
@given(
    st.lists(words, min_size=2, max_size=2, unique=True),
    st.lists(words | st.just(""), min_size=2, max_size=4, unique=True),
)
def test_any_words_come_back(names, labels):
    net = network_of(names, labels)
    contents = BIFContents(net.name, net.names, net.states, net.parents, net.tables)
    safe, properties = portable(contents)
    for word in (*safe.names, *safe.states[0], safe.name):
        assert re.fullmatch("[A-Za-z0-9_]+", word)
    assert len(set(safe.names)) == 2
    assert len(set(safe.states[0])) == len(labels)
    back = parse_bif(format_bif(safe, properties))
    assert (back.names, back.states) == (net.names, net.states)
    assert all(map(np.array_equal, back.tables, net.tables))


def test_names_that_are_safe_stay():
    net = network_of(["rain", "wet_2"], ["no", "1"])
    contents = BIFContents("n", net.names, net.states, net.parents, net.tables)
    safe, properties = portable(contents)
    assert (safe.names, safe.states, properties) == (net.names, net.states, {})


def test_a_property_that_does_not_fit_is_ignored():
    before = "variable x { type discrete [ 2 ] { n, y };"
    after = "} probability ( x ) { table 0.8 0.2; }"
    for wrong in ('= "a b"', '= " n y"', "", '= "x n n"', "="):
        net = parse_bif(f"{before} property lsbn_names {wrong}; {after}")
        assert (net.names, net.states) == (("x",), (("n", "y"),))


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A model of discretised columns with difficult names, and its file."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    table = pd.DataFrame(
        {
            "body mass (kg)": x,
            "table": x + rng.normal(size=600),
            "größe": np.where(x > 0, "very large", "small; or so"),
            "n.4": rng.integers(0, 2, 600),
        }
    )
    model = LSBN(discretize="quantile", bins=3, random_state=0).fit(table)
    path = tmp_path_factory.mktemp("bif") / "network.bif"
    model.to_bif(path)
    return model, path


def test_our_reader_restores_the_names(learned):
    model, path = learned
    assert read_bif(path).names == model.edges_.names
    assert read_bif(path).states == model.dataset_.states


def safe_names(learned):
    """Safe and original names of variables and states, in order."""
    text = learned[1].read_text(encoding="utf-8")
    plain = parse_bif("\n".join(line for line in text.splitlines() if "property" not in line))
    return plain, read_bif(learned[1])


def test_pyagrum_reads_it(learned):
    gum = pytest.importorskip("pyagrum")
    found = gum.loadBN(str(learned[1]))
    safe, original = safe_names(learned)
    assert {found.variable(v).name() for v in found.nodes()} == set(safe.names)
    for v, name in enumerate(safe.names):
        assert found.variable(name).labels() == safe.states[v]
        shape = [safe.cardinalities[u] for u in safe.parents[v]]
        for row, place in enumerate(np.ndindex(*shape)):
            given = {safe.names[u]: int(k) for u, k in zip(safe.parents[v], place, strict=True)}
            values = found.cpt(name)[given] if given else found.cpt(name).tolist()
            assert values == pytest.approx(original.tables[v][row], abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_reads_it(learned):
    pytest.importorskip("pgmpy")
    from pgmpy.readwrite import BIFReader

    found = BIFReader(str(learned[1])).get_model()
    safe, original = safe_names(learned)
    assert set(found.nodes) == set(safe.names)
    for v, name in enumerate(safe.names):
        cpd = found.get_cpds(name)
        shape = [safe.cardinalities[u] for u in safe.parents[v]]
        for row, place in enumerate(np.ndindex(*shape)):
            given = {
                safe.names[u]: safe.states[u][k]
                for u, k in zip(safe.parents[v], place, strict=True)
            }
            values = [cpd.get_value(**{name: state}, **given) for state in safe.states[v]]
            assert values == pytest.approx(original.tables[v][row], abs=1e-6)
