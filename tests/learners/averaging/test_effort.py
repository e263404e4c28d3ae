"""More effort never ends at a lower log score."""

import pytest
from sklearn.datasets import load_breast_cancer

from lsbn import LSBN, Dataset
from lsbn.network.generators import random_network

DENSITY = 0.5
"""Nats by which log scores may differ: the density of edges is found to half a percent."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["breast_cancer", "random"])
def test_more_effort_never_gives_a_lower_log_score(name):
    table = random_network(18, states=(2, 3), random_state=3).sample(400, random_state=3)
    if name == "breast_cancer":
        frame = load_breast_cancer(as_frame=True).frame.iloc[:, :18]
        table = Dataset.from_table(frame, discretize="quantile", bins=4)
    efforts = ("quick", "standard", "thorough")
    scores = [LSBN(random_state=1, effort=e).fit(table).diagnostics_.log_score for e in efforts]
    assert scores[0] < scores[1] + DENSITY
    assert scores[1] < scores[2] + DENSITY
