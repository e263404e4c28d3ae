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
from lsbn.data.copies import Folded, fold_copies, group_copies, grouped_dataset
from lsbn.data.overlaps import surprise
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
    assert fold_copies(dataset).originals.tolist() == naive.copies(dataset.codes, dataset.names)


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
    assert surprise(np.array(counts)) == pytest.approx(np.log(len(ways)))


def test_codes_of_two_bytes():
    column = np.random.default_rng(0).integers(0, 300, 5_000)
    dataset = Dataset.from_table(pd.DataFrame({"a": column, "b": 999 - column}), max_states=300)
    assert dataset.codes.dtype == np.uint16
    assert fold_copies(dataset).copies == {"b": "a"}


def test_edges_unfold_to_the_places_of_the_table():
    dataset = with_copies(BASE[:2], [(0, [1, 2, 0])], [2, 1, 0])
    folded = fold_copies(dataset)
    assert folded.copies == {"x2": "x0"}
    assert folded.dataset.names == ("x0", "x1")  # by name
    learned = EdgeProbabilities(np.array([[0.0, 0.1], [0.7, 0.0]]), folded.dataset.names)
    edges = folded.unfold_edges(learned)
    assert edges.names == dataset.names
    assert edges.matrix.toarray() == pytest.approx(
        np.array([[0, 0, 0.15], [0, 0, 0.7], [0.85, 0.1, 0]])
    )
    found = folded.unfold_communities([np.array([0]), np.array([1]), np.array([0, 1])])
    assert [c.tolist() for c in found] == [[0, 2], [1], [0, 1, 2]]


def test_nothing_to_fold_changes_nothing():
    dataset = chain_table()
    for folded in (fold_copies(dataset), group_copies(dataset), Folded.nothing(dataset)):
        assert folded.dataset is dataset
        assert folded.notes == ()
        assert folded.groups == {}


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_first_of_two_copies_by_name_has_the_edges(learner):
    table = load_network("alarm").sample(2_000, random_state=3)[["CO", "HR", "HRBP", "HRSAT"]]
    table = table.assign(copy=table["HR"].map({"LOW": "b", "NORMAL": "a", "HIGH": "c"}))
    model = LSBN(learner=learner, fold_copies=True, random_state=0).fit(table)
    assert sorted(map(sorted, model.dag_.edges)) == sorted(
        map(sorted, [("HR", x) for x in ("CO", "HRBP", "HRSAT", "copy")])
    )
    assert any("'copy' of 'HR'" in note for note in model.diagnostics_.notes)
    assert all("copy" in c for c in model.communities_ if "HR" in c)
    moved = clone(model).fit(table[["copy", *table.columns[:-1]]])
    assert set(moved.dag_.edges) == set(model.dag_.edges)


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


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_groups_hold_the_columns_that_are_equal(data):
    code = st.tuples(st.integers(0, 3), st.permutations([0, 1, 2]))
    renamed = data.draw(st.lists(code, max_size=4))
    places = data.draw(st.permutations(range(4 + len(renamed))))
    dataset = with_copies(BASE, renamed, places)
    folded = group_copies(dataset)
    equal = {}
    for v, original in enumerate(naive.copies(dataset.codes, dataset.names)):
        equal.setdefault(original, []).append(dataset.names[v])
    members = {" = ".join(sorted(group)): tuple(sorted(group)) for group in equal.values()}
    assert set(folded.whole.names) == set(members)
    assert folded.groups == {name: m for name, m in members.items() if len(m) > 1}
    standing = with_copies(BASE, renamed, range(4 + len(renamed)))
    assert folded.dataset.names == group_copies(standing).dataset.names
    assert np.array_equal(folded.dataset.codes, group_copies(standing).dataset.codes)


def test_a_group_has_the_first_place_and_the_states_of_the_first_name():
    table = pd.DataFrame({"wet": [0, 1] * 20, "day": range(40), "dry": ["yes", "no"] * 20})
    dataset = Dataset.from_table(table.assign(constant=1))
    folded = group_copies(dataset)
    assert folded.whole.names == ("dry = wet", "day", "constant")
    assert folded.whole.states[0] == ("no", "yes")
    assert folded.whole.notes == dataset.notes
    assert folded.dataset.names == ("constant", "day", "dry = wet")
    (note,) = folded.notes
    assert "1 group(s) of equal columns: 'dry = wet'" in note
    edges = EdgeProbabilities(np.diag([0.25, 0.75], 1), folded.dataset.names)
    unfolded = folded.unfold_edges(edges)
    assert unfolded.names == folded.whole.names
    assert unfolded.matrix.toarray().tolist() == [[0, 0, 0], [0.75, 0, 0], [0, 0.25, 0]]
    found = folded.unfold_communities([np.array([0, 2]), np.array([1])])
    assert [c.tolist() for c in found] == [[0, 2], [1]]
    assert grouped_dataset(dataset, {}) is dataset


def test_names_of_groups_are_unique_for_any_order():
    columns = {"a": BASE[0], "b = c": BASE[0], "a = b": BASE[1], "c": BASE[1], "a = b = c": BASE[2]}
    for order in itertools.permutations(columns):
        table = pd.DataFrame({name: columns[name] for name in order})
        assert group_copies(Dataset.from_table(table)).groups == {
            "(a = b = c)": ("a", "b = c"),
            "((a = b = c))": ("a = b", "c"),
        }


def test_a_large_group_has_a_short_name():
    table = pd.DataFrame({f"x{v:02}": BASE[0] for v in range(60)})
    ((name, columns),) = group_copies(Dataset.from_table(table)).groups.items()
    assert name == "x00 = x01 = x02 = x03 = x04 = x05 = x06 = x07 and 52 more"
    assert columns == tuple(table.columns)


def alarm_with_copies():
    """A part of alarm with three copies, two of them of the same column."""
    names = ["CO", "HR", "HRBP", "HRSAT", "HREKG", "TPR", "BP"]
    table = load_network("alarm").sample(800, random_state=3)[names]
    renamed = table["HR"].map({"LOW": "b", "NORMAL": "a", "HIGH": "c"})
    return table.assign(AAA=renamed, zzz=table["HR"], TPR2=table["TPR"])


def by_name(model):
    """All results of a model, without the order of its columns."""
    edges = {(u, v): p for u, v, p in model.to_networkx().edges(data="probability")}
    return {
        "edges": edges,
        "dag": set(model.dag_.edges),
        "cpdag": set(model.cpdag_.edges),
        "communities": [set(c) for c in model.communities_],
        "hierarchy": model.hierarchy_.tolist(),
        "groups": model.groups_,
        "notes": model.diagnostics_.notes,
    }


@pytest.mark.parametrize("options", [{}, {"learner": "greedy"}, {"last_pass": False}])
@pytest.mark.parametrize("mode", ["join", "group", "keep"])
def test_the_order_of_the_columns_does_not_matter(mode, options):
    table = alarm_with_copies()
    model = LSBN(fold_copies=mode, random_state=0, **options).fit(table)
    expected = by_name(model)
    assert expected["edges"]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(table.shape[1])
        assert by_name(clone(model).fit(table.iloc[:, order])) == expected


@given(st.permutations(list(range(6))))
@settings(deadline=None, max_examples=10)
def test_groups_are_the_same_bit_by_bit_for_any_order(order):
    table = alarm_with_copies()[["HR", "zzz", "CO", "AAA", "TPR", "TPR2"]]
    expected = by_name(LSBN(fold_copies="group", random_state=0).fit(table))
    assert by_name(LSBN(fold_copies="group", random_state=0).fit(table.iloc[:, order])) == expected


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_group_is_one_variable_of_all_results(learner):
    table = alarm_with_copies()
    model = LSBN(learner=learner, fold_copies="group", random_state=0).fit(table)
    hr, tpr = "AAA = HR = zzz", "TPR = TPR2"
    names = ("CO", hr, "HRBP", "HRSAT", "HREKG", tpr, "BP")
    assert model.groups_ == {hr: ("AAA", "HR", "zzz"), tpr: ("TPR", "TPR2")}
    assert model.edges_.names == tuple(model.dag_) == tuple(model.cpdag_) == names
    assert model.edge_probabilities_.shape == (7, 7)
    assert set().union(*model.communities_) == set(names)
    assert set(model.dag_.to_undirected()[hr]) >= {"CO", "HRBP"}
    assert model.n_features_in_ == model.dataset_.n_variables == table.shape[1]
    assert any(f"2 group(s) of equal columns: {hr!r}" in note for note in model.diagnostics_.notes)
    if len(model.hierarchy_):
        assert model.hierarchy_[-1, 3] == 7


def test_other_variables_have_the_same_edges_whether_joined_or_grouped():
    table = alarm_with_copies()
    joined = LSBN(random_state=0).fit(table)
    grouped = LSBN(fold_copies="group", random_state=0).fit(table)
    stands_for = {name: columns[0] for name, columns in grouped.groups_.items()}
    copies = {c for columns in grouped.groups_.values() for c in columns[1:]}
    assert joined.groups_ == {}
    assert {
        (stands_for.get(u, u), stands_for.get(v, v)): p
        for (u, v), p in by_name(grouped)["edges"].items()
    } == {e: p for e, p in by_name(joined)["edges"].items() if not copies & set(e)}


def test_a_group_of_all_columns():
    column = np.random.default_rng(0).integers(0, 2, 300)
    table = pd.DataFrame({"a": column, "b": 1 - column, "c": column})
    model = LSBN(fold_copies="group", random_state=0).fit(table)
    assert (list(model.dag_), model.communities_) == (["a = b = c"], [["a = b = c"]])
    assert model.to_network().names == ("a = b = c",)


def test_old_values_of_fold_copies_mean_the_same():
    table = alarm_with_copies()
    for old, new in ((True, "join"), (False, "keep"), (None, "join")):
        found = [by_name(LSBN(fold_copies=v, random_state=0).fit(table)) for v in (old, new)]
        assert found[0] == found[1]
