import numpy as np
import pytest

from lsbn.framework.diagnostics import CommunityDiagnostics
from lsbn.framework.groundwork import GROUNDWORK, Groundwork
from lsbn.learners import Candidates
from lsbn.plainfiles import read_value, write_value

LISTS = [np.array([0, 2]), np.array([], np.int64), np.array([1])]
TREE = np.array([[0.0, 1.0, 0.25, 3.0]])


def listed(arrays):
    return [(array.dtype.str, array.tolist()) for array in arrays]


@pytest.mark.parametrize("blocks", [None, np.array([[0, 0], [1, 0], [-1, -1]], np.int32)])
def test_a_draft_keeps_what_the_last_pass_needs(tmp_path, blocks):
    figures = [CommunityDiagnostics(sub_communities=2, clusters=0, method=["a"], r_hat=1.25)]
    candidates = Candidates(LISTS, LISTS[::-1], np.array([[0, 2]]), LISTS[:1], blocks)
    ground = Groundwork(LISTS, TREE, figures, candidates, edges="left out")
    write_value(tmp_path / "x", GROUNDWORK.pack(ground))
    found = GROUNDWORK.unpack(read_value(tmp_path / "x"))
    assert listed(found.communities) == listed(LISTS)
    assert found.hierarchy.tolist() == TREE.tolist()
    assert vars(found.diagnostics[0]) == vars(figures[0])
    assert listed(found.candidates.neighbours) == listed(LISTS)
    assert listed(found.candidates.blankets) == listed(LISTS[::-1])
    assert listed(found.candidates.parts) == listed(LISTS[:1])
    assert found.candidates.joined.tolist() == [[0, 2]]
    if blocks is None:
        assert found.candidates.blocks is None
    else:
        assert listed(found.candidates.blocks) == listed(blocks)
    assert (found.edges, found.pairs) == (None, None)


def test_groundwork_of_a_search_among_all_variables(tmp_path):
    write_value(tmp_path / "x", GROUNDWORK.pack(Groundwork([], TREE)))
    found = GROUNDWORK.unpack(read_value(tmp_path / "x"))
    assert (found.communities, found.diagnostics, found.candidates) == ([], None, None)
