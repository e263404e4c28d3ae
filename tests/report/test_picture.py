from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from lsbn.graph import EdgeProbabilities
from lsbn.report import picture
from lsbn.report.page import report_page
from lsbn.report.picture import payload


def edges_of(entries, names):
    """Edge probabilities from {(parent, child): p}."""
    index = {name: v for v, name in enumerate(names)}
    matrix = sparse.lil_array((len(names), len(names)))
    for (u, v), p in entries.items():
        matrix[index[u], index[v]] = p
    return EdgeProbabilities(matrix.tocsr(), names)


def rows(data):
    """Pairs by name, as (a, b, f, r[, t])."""
    columns = data["pairs"]
    names = data["names"]
    return [(names[a], names[b], *rest) for a, b, *rest in zip(*columns.values(), strict=True)]


@pytest.fixture
def small():
    return edges_of(
        {("a", "b"): 0.2, ("b", "a"): 0.7, ("b", "c"): 0.4, ("c", "b"): 0.4, ("c", "d"): 0.3},
        "abcd",
    )


def test_pairs_stand_the_likelier_way_round_most_probable_first(small):
    assert rows(payload(small, [], None)) == [
        ("b", "a", 0.7, 0.2),
        ("b", "c", 0.4, 0.4),
        ("c", "d", 0.3, 0.0),
    ]


def test_the_picture_is_arranged_by_the_pairs_above_the_threshold(small):
    low, high = payload(small, [], None, 0.2), payload(small, [], None, 0.85)
    assert (low["threshold"], high["threshold"]) == (0.2, 0.85)
    assert payload(small, [])["threshold"] == 0.5
    assert low["pairs"] == high["pairs"]

    def length(data, u, v):
        x, y = data["picture"]["x"], data["picture"]["y"]
        return np.hypot(x[u] - x[v], y[u] - y[v])

    for data in (low, high):
        assert length(data, 0, 1) == pytest.approx(60, rel=0.3)  # 0.9, above both
    assert length(low, 2, 3) == pytest.approx(60, rel=0.3)
    assert low["picture"] != high["picture"]


def test_truth_marks_pairs_and_adds_what_was_never_found(small):
    truth = nx.DiGraph([("a", "b"), ("c", "b"), ("d", "a")])
    got = {(a, b): t for a, b, _, _, t in rows(payload(small, [], truth))}
    assert got == {("b", "a"): 2, ("b", "c"): 2, ("c", "d"): 0, ("a", "d"): 2}


def test_undirected_truth_has_both_directions(small):
    truth = nx.DiGraph([("a", "b"), ("b", "a")])
    truth.add_nodes_from("cd")
    assert [t for *_, t in rows(payload(small, [], truth))] == [3, 0, 0]


def test_main_community_is_the_one_with_most_edges(small):
    data = payload(small, [["c", "d"], ["a", "b", "c"], ["d"]], None)
    assert data["communities"] == [[0, 1, 2], [2, 3], [3]]
    assert data["home"] == [0, 0, 0, 1]
    first, second, alone = data["colours"]
    assert first != second
    assert alone == -1


def test_a_strange_member_is_named(small):
    with pytest.raises(ValueError, match="'z'"):
        payload(small, [["a", "z"]], None)


def test_neighbouring_communities_differ_in_colour():
    n = 40
    names = tuple(f"v{k}" for k in range(n))
    ring = edges_of({(names[k], names[(k + 1) % n]): 1.0 for k in range(n)}, names)
    groups = [[names[k], names[k + 1]] for k in range(0, n, 2)]
    data = payload(ring, groups, None)
    colour = [data["colours"][k] for k in data["home"]]
    pairs = data["pairs"]
    for a, b in zip(pairs["a"], pairs["b"], strict=True):
        assert data["home"][a] == data["home"][b] or colour[a] != colour[b]


def test_many_variables_become_communities(monkeypatch):
    monkeypatch.setattr(picture, "MOST_DRAWN", 50)
    names = tuple(f"v{k}" for k in range(120))
    chain = edges_of(dict.fromkeys(pairwise(names), 0.9), names)
    groups = [names[k : k + 4] for k in range(0, 120, 4)]
    drawn = payload(chain, groups, None)["picture"]
    assert drawn["kind"] == "communities"
    assert len(drawn["marks"]) == len(drawn["x"]) == 30
    assert "120 variables" in drawn["note"]


def test_many_variables_without_communities_are_thinned(monkeypatch):
    monkeypatch.setattr(picture, "MOST_DRAWN", 50)
    names = tuple(f"v{k:03}" for k in range(120))
    chain = edges_of(dict.fromkeys(pairwise(names[60:]), 0.9), names)
    drawn = payload(chain, [list(names)], None)["picture"]
    assert drawn["kind"] == "variables"
    assert len(drawn["marks"]) == 50
    assert min(drawn["marks"]) >= 60
    assert "50 variables of 120" in drawn["note"]


def test_too_many_pairs_are_cut_by_probability(monkeypatch):
    monkeypatch.setattr(picture, "MOST_PAIRS", 10)
    values = np.triu(np.linspace(0.02, 0.9, 36).reshape(6, 6), 1)
    data = payload(EdgeProbabilities(values, tuple("abcdef")), [], None)
    assert len(data["pairs"]["a"]) == 10
    assert 0.01 < data["floor"] < 1
    assert np.sum(values > data["floor"]) <= 10


def test_constant_variables_without_a_pair_are_not_drawn(small, monkeypatch):
    assert payload(small, [])["constants"] == []
    wide = edges_of({("a", "c"): 0.9}, "abcde")
    data = payload(wide, [], constants=["b", "c", "e", "unknown"])
    assert data["constants"] == [1, 4]
    assert data["picture"]["marks"] == [0, 2, 3]
    monkeypatch.setattr(picture, "MOST_DRAWN", 2)
    assert payload(wide, [], constants=["b"])["picture"]["marks"] == [0, 2]
    missed = nx.DiGraph([("a", "b")])
    missed.add_nodes_from(wide.names)
    assert payload(wide, [], missed, constants=["b", "e"])["constants"] == [1, 4]


def clusters(n, size):
    """Chains of variables, each a community, with one edge from each chain to the next."""
    names = tuple(f"v{k}" for k in range(n))
    groups = [list(names[k : k + size]) for k in range(0, n, size)]
    return edges_of(dict.fromkeys(pairwise(names), 0.9), names), groups


def test_communities_are_areas_with_their_variables_inside():
    edges, groups = clusters(160, 8)
    drawn = payload(edges, groups)["picture"]
    assert (drawn["kind"], len(drawn["marks"])) == ("communities", 20)
    inner = np.array([drawn["inner"]["x"], drawn["inner"]["y"]])
    assert inner.shape == (2, 160)
    assert np.hypot(*inner).max() < 0.9
    for group in range(20):
        spots = inner[:, 8 * group : 8 * group + 8]
        assert len(np.unique(spots, axis=1).T) == 8
    assert payload(*clusters(150, 8))["picture"]["kind"] == "variables"


def test_variables_outside_of_large_communities_stay_in_the_picture():
    edges, groups = clusters(160, 8)
    alone = [*groups[:-1], *([name] for name in groups[-1])]
    assert len(payload(edges, alone)["picture"]["marks"]) == 19 + 8
    assert payload(edges, groups[:-1])["picture"]["kind"] == "variables"  # 8 have no community
    assert payload(edges, [edges.names])["picture"]["kind"] == "variables"  # one area says nothing


def test_the_page_of_many_variables_is_small_enough_to_open():
    names = [f"variable {k}" for k in range(10_500)]
    rng = np.random.default_rng(0)
    near = rng.integers(1, 30, (4, len(names)))
    entries = {
        (names[v], names[v + step]): float(p)
        for steps, p in zip(near.tolist(), (0.99, 0.6, 0.2, 0.02), strict=True)
        for v, step in enumerate(steps)
        if v + step < len(names)
    }
    groups = [names[k : k + 25] for k in range(0, len(names), 20)]
    page = report_page(edges=edges_of(entries, names), communities=groups, summary={})
    assert len(page.text.encode()) < 20_000_000
    assert "variable 10499" in page.text
