import numpy as np
import pytest
from scipy.special import gammaln

from lsbn.kernels.dirichlet import WEIGHTS, empty_terms, row_evidence


def slow_evidence(counts):
    """One row after the other, and one weight after the other."""
    r = counts.shape[1]
    return [
        [
            sum(gammaln(w / r + x) - gammaln(w / r) for x in row)
            - (gammaln(w + row.sum()) - gammaln(w))
            for w in WEIGHTS
        ]
        for row in counts
    ]


@pytest.mark.parametrize("most", [3, 900, 50_000])
def test_rows_of_all_weights(most):
    rng, known = np.random.default_rng(most), empty_terms(True)
    for r in (2, 5, 3, 2):
        counts = rng.integers(0, most, size=(6, r))
        counts[1] = 0
        assert row_evidence(counts, known) == pytest.approx(np.array(slow_evidence(counts)))


def test_more_numbers_of_states_than_tables():
    known = empty_terms(True)
    for r in [*range(2, 30), 2]:
        counts = np.arange(2 * r).reshape(2, r)
        assert row_evidence(counts, known) == pytest.approx(np.array(slow_evidence(counts)))


def test_an_empty_row_has_no_evidence():
    assert not row_evidence(np.zeros((2, 3), np.int64), empty_terms(True)).any()
