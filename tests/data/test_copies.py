import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

import naive
from learner_cases import chain_table
from lsbn.data import Dataset
from lsbn.data.copies import Folded, _surprise, fold_copies
from lsbn.estimator import LSBN
from lsbn.graph import EdgeProbabilities
from lsbn.learners import LEARNERS
from lsbn.network import load_network

BASE = np.random.default_rng(0).integers(0, 3, (4, 200))


def with_copies(codes, renamed, places):
    """A table of some columns and of copies under other state names, in any order."""
    columns = [*codes, *(np.array(names)[codes[v]] for v, names in renamed)]
    frame = pd.DataFrame({f"x{v}": column for v, column in enumerate(columns)})
    return Dataset.from_table(frame.iloc[:, places])


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_copies_are_those_of_the_naive_code(data):
    code = st.tuples(st.integers(0, 3), st.permutations([0, 1, 2]))
    renamed = data.draw(st.lists(code, max_size=4))
    places = data.draw(st.permutations(range(4 + len(renamed))))
    dataset = with_copies(BASE, renamed, places)
    assert fold_copies(dataset).originals.tolist() == naive.copies(dataset.codes)


@given(
    arrays(np.uint8, st.tuples(st.integers(2, 6), st.integers(2, 8)), elements=st.integers(0, 1))
)
@settings(deadline=None)
def test_columns_that_are_alike_by_chance_stay(codes):
    dataset = Dataset.from_table(codes.T)
    assert fold_copies(dataset).copies == {}


def test_constant_columns_are_no_copies():
    assert fold_copies(Dataset.from_table(np.zeros((500, 3), int))).copies == {}


@pytest.mark.parametrize("rows", [12, 40])
def test_columns_with_a_state_for_every_row_are_no_copies(rows):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"patient": rng.permutation(rows), "sample": rng.permutation(rows)})
    assert fold_copies(Dataset.from_table(table)).copies == {}


@pytest.mark.parametrize("counts", [(2, 2), (3, 1), (1, 1, 1, 1), (2, 2, 1), (3, 2, 1)])
def test_surprise_counts_the_ways_to_part_the_rows(counts):
    column = np.repeat(np.arange(len(counts)), counts)
    ways = {
        frozenset(frozenset(np.flatnonzero(np.array(order) == k)) for k in range(len(counts)))
        for order in set(itertools.permutations(column.tolist()))
    }
    assert _surprise(np.array(counts)) == pytest.approx(np.log(len(ways)))


def test_codes_of_two_bytes():
    column = np.random.default_rng(0).integers(0, 300, 5_000)
    dataset = Dataset.from_table(pd.DataFrame({"a": column, "b": 999 - column}), max_states=300)
    assert dataset.codes.dtype == np.uint16
    assert fold_copies(dataset).copies == {"b": "a"}


def test_edges_unfold_to_the_places_of_the_table():
    dataset = with_copies(BASE[:2], [(0, [1, 2, 0])], [2, 1, 0])
    folded = fold_copies(dataset)
    assert folded.copies == {"x0": "x2"}
    assert folded.dataset.names == ("x1", "x2")  # by name
    learned = EdgeProbabilities(np.array([[0.0, 0.7], [0.1, 0.0]]), folded.dataset.names)
    edges = folded.unfold_edges(learned)
    assert edges.names == dataset.names
    assert edges.matrix.toarray() == pytest.approx(
        np.array([[0, 0.1, 0.85], [0.7, 0, 0], [0.15, 0, 0]])
    )
    found = folded.unfold_communities([np.array([1]), np.array([0]), np.array([0, 1])])
    assert [c.tolist() for c in found] == [[0, 2], [1], [0, 1, 2]]


def test_nothing_to_fold_changes_nothing():
    dataset = chain_table()
    for folded in (fold_copies(dataset), Folded.nothing(dataset)):
        assert folded.dataset is dataset
        assert folded.notes == ()


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_first_of_two_copies_has_the_edges(learner):
    table = load_network("alarm").sample(2_000, random_state=3)[["CO", "HR", "HRBP", "HRSAT"]]
    table = table.assign(copy=table["HR"].map({"LOW": "b", "NORMAL": "a", "HIGH": "c"}))
    model = LSBN(learner=learner, fold_copies=True, random_state=0).fit(table)
    assert sorted(map(sorted, model.dag_.edges)) == sorted(
        map(sorted, [("HR", x) for x in ("CO", "HRBP", "HRSAT", "copy")])
    )
    assert any("'copy' of 'HR'" in note for note in model.diagnostics_.notes)
    assert all("copy" in c for c in model.communities_ if "HR" in c)
    moved = clone(model).fit(table[["copy", *table.columns[:-1]]])
    assert all("copy" in edge for edge in moved.dag_.edges)


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_that_treat_copies_alike_keep_them(learner):
    table = pd.DataFrame({"a": BASE[0], "b": 2 - BASE[0], "c": BASE[1]})
    notes = LSBN(learner=learner, random_state=0).fit(table).diagnostics_.notes
    assert len(notes) == (learner not in ("pc", "aracne"))


def test_the_merge_tree_counts_copies():
    table = load_network("alarm").sample(1_000, random_state=0)
    table = table.assign(**{f"{name} again": table[name] for name in table.columns[:10]})
    model = LSBN(random_state=0, last_pass=False).fit(table)
    members = [set(c) for c in model.communities_]
    for a, b, _, size in model.hierarchy_.tolist():
        members.append(members[int(a)] | members[int(b)])
        assert len(members[-1]) == size
    assert size == 47


def test_a_table_of_copies_alone():
    column = np.random.default_rng(0).integers(0, 2, 300)
    model = LSBN(random_state=0).fit(pd.DataFrame({"a": column, "b": 1 - column, "c": column}))
    assert sorted(model.dag_.edges) == [("a", "b"), ("a", "c")]
    assert model.edge_probabilities_[[0, 1], [1, 0]] == pytest.approx([2 / 3, 1 / 3])
