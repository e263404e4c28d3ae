"""The paper's figures: transcribed as printed, checked against each other."""

import pytest

from lsbn.network import load_network
from lsbn.studies import published
from lsbn.studies.misprints import misprints, normalised_from_counts, recomputed


def cells():
    for network, rows in published.COMPARISON.items():
        for learner, halves in rows.items():
            for scope, figures in halves.items():
                yield network, learner, scope, figures


def test_all_fifty_cells_are_there_and_global_model_averaging_is_not():
    found = {(n, x, s): f for n, x, s, f in cells()}
    assert len(found) == 50
    missing = [key for key, figures in found.items() if figures is None]
    assert missing == [(n, "model-averaging", "global") for n in published.NETWORKS]


def test_the_published_scores_of_lsbn():
    """The figures by which the study is judged, with one decimal."""
    order = ("alarm", "insurance", "win95pts", "pigs", "link")
    expected = {
        "model-averaging": (88.7, 86.5, 64.7, 45.2, 41.9),
        "aracne": (85.7, 74.2, 69.8, 98.8, 44.8),
        "pc": (90.5, 79.1, 69.6, 98.5, 49.9),
        "greedy": (83.9, 82.0, 55.9, 97.0, 43.9),
        "mmhc": (93.5, 86.9, 70.8, 98.3, 49.4),
    }
    for learner, scores in expected.items():
        printed = [published.COMPARISON[n][learner]["lsbn"].f_score for n in order]
        assert [round(p, 1) for p in printed] == list(scores)


def test_edges_are_those_of_the_bundled_networks():
    for name, edges in published.TRUE_EDGES.items():
        assert load_network(name).n_edges == edges


def test_misprinted_cells_of_the_comparison():
    found = {(m.table, m.cell) for m in misprints() if m.table.startswith("comparison")}
    assert found == {
        ("comparison on insurance", "greedy lsbn, precision"),
        ("comparison on insurance", "greedy lsbn, recall"),
        ("comparison on alarm", "greedy lsbn, precision"),
        ("comparison on alarm", "greedy lsbn, recall"),
        ("comparison on alarm", "greedy lsbn, f_score"),
        ("comparison on pigs", "aracne global, hits + misses"),
        ("comparison on pigs", "aracne global, precision"),
        ("comparison on pigs", "aracne global, recall"),
        ("comparison on pigs", "aracne global, f_score"),
    }


def test_other_misprints():
    found = [(m.table, m.cell) for m in misprints()]
    assert ("truncate thresholds", "MI_sqrt on pigs") in found
    assert ("truncate thresholds", "MI_sqrt on link") in found
    assert ("average shortest path", "MI_pr on link") in found
    assert ("partition sizes", "mean size on alarm") in found
    normalised = {(t, c) for t, c in found if t.startswith("normalised")}
    assert {c for _, c in normalised} == {
        "greedy on insurance",
        "greedy on alarm",
        "aracne on pigs",
    }


def test_percentages_follow_from_the_counts_everywhere_else():
    wrong = {(m.table.removeprefix("comparison on "), m.cell.split(",")[0]) for m in misprints()}
    checked = 0
    for network, learner, scope, figures in cells():
        if figures is None or (network, f"{learner} {scope}") in wrong:
            continue
        right = recomputed(figures)
        assert figures.precision == pytest.approx(right.precision, abs=1.5e-3)
        assert figures.recall == pytest.approx(right.recall, abs=1.5e-3)
        assert figures.f_score == pytest.approx(right.f_score, abs=1.5e-3)
        assert figures.hits + figures.misses == published.TRUE_EDGES[network]
        checked += 1
    assert checked == 45 - 3


def test_normalised_figures_are_ratios_of_the_comparison():
    assert normalised_from_counts("link", "mmhc", "recall") == pytest.approx(
        published.NORMALISED["recall"]["link"][3], abs=0.01
    )
    with pytest.raises(ValueError, match="no global model-averaging"):
        normalised_from_counts("link", "model-averaging", "recall")
