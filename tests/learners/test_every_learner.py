"""What holds of every learner but model averaging, which has tests of its own."""

import pytest

from learner_cases import EDGE_CASES, assert_sensible, relabelled, shuffled_alarm
from lsbn import metrics
from lsbn.data import Dataset
from lsbn.learners.aracne import learn_aracne
from lsbn.learners.greedy import learn_greedy
from lsbn.learners.mmhc import learn_mmhc
from lsbn.learners.pc import learn_pc

LEARNERS = [learn_aracne, learn_pc, learn_greedy, learn_mmhc]


@pytest.mark.parametrize("case", sorted(EDGE_CASES))
@pytest.mark.parametrize("learn", LEARNERS)
def test_edge_cases(learn, case):
    assert_sensible(learn, case)


@pytest.mark.parametrize(
    ("learn", "rows", "least"),
    [
        (learn_aracne, 20_000, 75),
        (learn_pc, 20_000, 93),
        (learn_greedy, 5_000, 90),
        (learn_mmhc, 20_000, 94),
    ],
)
def test_alarm_and_its_columns_reordered_and_rows_shuffled(learn, rows, least):
    table, truth = shuffled_alarm(rows)
    first = learn(Dataset.from_table(table), random_state=0).edges.to_networkx()
    assert metrics.compare(first, truth).f_score > least
    other = Dataset.from_table(relabelled(table))
    again = learn(other, random_state=0, n_jobs=2).edges.to_networkx()
    assert dict(first.edges) == dict(again.edges)
