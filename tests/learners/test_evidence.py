"""Disagreement of data with knowledge."""

import numpy as np
import pytest

import naive
from lsbn import LSBN, Knowledge
from lsbn.data import Dataset
from lsbn.knowledge import resolve
from lsbn.learners import Score, learn_model_averaging
from lsbn.learners.evidence import knowledge_diagnostics


def chain_with_noise(rows=800):
    """a -> b -> c, and d by itself."""
    rng = np.random.default_rng(3)

    def noisy(x):
        return np.where(rng.random(rows) < 0.1, 1 - x, x)

    a, d = rng.integers(2, size=(2, rows))
    b = noisy(a)
    return Dataset.from_table(np.array([a, b, noisy(b), d]).T)


def compared(knowledge):
    dataset = chain_with_noise()
    known = resolve(knowledge, dataset.names)
    score = Score("bdeu", density=0.2)
    learned = learn_model_averaging(dataset, score=score, knowledge=known, method="exact")
    return dataset, knowledge_diagnostics(knowledge, known, dataset, learned, score)


def test_a_false_required_edge_shows_the_difference_of_its_families():
    tiers = [["x3"], ["x0"], ["x1"], ["x2"]]
    dataset, found = compared(Knowledge(required=[("x3", "x0")], tiers=tiers))
    (against,) = found.disagreements
    assert (against.source, against.target, against.statement) == ("x3", "x0", "required")
    assert against.instead == "no such edge"
    codes = dataset.codes.tolist()
    without = naive.family_score("bdeu", 1.0, codes[0], 2, [], [])
    with_it = naive.family_score("bdeu", 1.0, codes[0], 2, [codes[3]], [2])
    assert against.log_odds == pytest.approx(without - with_it + np.log(0.8 / 0.2), abs=1e-3)


def test_true_statements_have_no_evidence_against_them():
    told = Knowledge(required=[("x0", "x1")], forbidden=[("x3", "*")], tiers=[["x1"], ["x2"]])
    _, found = compared(told)
    assert found.disagreements == []
    assert found.told == told.sentences()


def test_a_forbidden_pair_shows_the_missing_edge():
    _, found = compared(Knowledge(forbidden=[("x0", "x1"), ("x1", "x0")]))
    first = found.disagreements[0]
    assert {first.source, first.target} == {"x0", "x1"}
    assert first.statement == "forbidden"
    assert first.log_odds > 50


def test_the_estimator_warns_of_strong_disagreement():
    from lsbn.report.words import findings

    dataset = chain_with_noise()
    for knowledge, level in (
        (Knowledge(tiers=[["x3"], ["x0"]], required=[("x3", "x0")]), "warning"),
        (Knowledge(tiers=[["x3"], ["x0"]]), "good"),
    ):
        model = LSBN(knowledge=knowledge, random_state=0).fit(dataset)
        (said,) = [f for f in findings(model.diagnostics_) if "nowledge" in f.text]
        assert said.level == level
