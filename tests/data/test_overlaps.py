"""Copies among columns with missing values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn import Knowledge
from lsbn.data import Dataset
from lsbn.data.copies import LEAST_SURPRISE, fold_copies, group_copies
from lsbn.knowledge.copies import fold_with_knowledge

ROWS = 200
BASE = np.random.default_rng(0).integers(0, 3, (3, ROWS))


def dataset_of(columns):
    """A dataset with gaps from columns of labels and None."""
    return Dataset.from_table(pd.DataFrame(columns, dtype=object), missing="infer")


def with_gaps(column, gaps):
    """A column without its values in some rows."""
    return pd.Series(column, dtype=object).mask(np.isin(np.arange(len(column)), gaps), None)


def values(dataset):
    """The labels of all columns by name; None in gaps."""
    gaps = np.zeros(dataset.codes.shape, bool) if dataset.gaps is None else dataset.gaps
    return {
        name: [None if gap else labels[code] for code, gap in zip(codes, own, strict=True)]
        for name, codes, own, labels in zip(
            dataset.names, dataset.codes, gaps, dataset.states, strict=True
        )
    }


def least_of(n):
    """Log surprise that makes an agreement of two of n columns a copy."""
    return LEAST_SURPRISE + np.log(max(n * (n - 1) / 2, 1))


@st.composite
def tables(draw):
    """Columns and their copies under other names, some with a wrong value, and many gaps."""
    rng, columns = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), {"x9": BASE[2]}
    for v in range(draw(st.integers(2, 8))):
        rows = draw(st.sampled_from([20, ROWS, ROWS, ROWS]))
        column = np.full(ROWS, None, object)
        copied = BASE[draw(st.integers(0, 1)), :rows]
        column[:rows] = np.array(draw(st.permutations(["p", "q", "r"])))[copied]
        column[rng.integers(0, ROWS, draw(st.sampled_from([0, 0, 0, 1])))] = "q"
        column[rng.random(ROWS) < draw(st.sampled_from([0.0, 0.2, 0.6, 0.8]))] = None
        columns[f"x{v}"] = column
    columns["x8"] = with_gaps(BASE[0] == 0, [5])
    return {name: columns[name] for name in draw(st.permutations(sorted(columns)))}


@given(tables())
@settings(deadline=None, max_examples=200)
def test_copies_are_those_of_the_naive_code(columns):
    columns = {name: column for name, column in columns.items() if pd.notna(column).any()}
    dataset = dataset_of(columns)
    given_values = list(values(dataset).values())
    least = least_of(dataset.n_variables)
    originals, filled = naive.overlapping_copies(given_values, dataset.names, least)
    folded = fold_copies(dataset)
    assert folded.originals.tolist() == originals
    assert list(values(folded.whole).values()) == filled
    assert folded.table is dataset
    assert folded.whole.states == dataset.states
    assert folded.whole.notes == dataset.notes


@given(st.permutations(range(5)), st.integers(0, 99))
@settings(deadline=None, max_examples=20)
def test_the_order_of_columns_and_rows_does_not_matter(places, seed):
    rng = np.random.default_rng(1)
    columns = {"c": BASE[0], "b": 2 - BASE[0], "d": BASE[1], "a": BASE[0], "e": BASE[1] + 5}
    table = pd.DataFrame(columns).astype(object).mask(rng.random((ROWS, 5)) < 0.3, None)
    order = np.random.default_rng(seed).permutation(ROWS)
    for fold in (fold_copies, group_copies):
        one = fold(dataset_of(table))
        other = fold(dataset_of(table.iloc[order, places]))
        assert other.copies == one.copies
        assert other.groups == one.groups
        assert other.dataset.names == one.dataset.names
        assert (other.dataset.gaps == one.dataset.gaps[:, order]).all()
        assert (other.dataset.codes == one.dataset.codes[:, order]).all()
    assert fold_copies(dataset_of(table)).copies == {"b": "a", "c": "a", "e": "d"}


def test_values_fill_the_gaps_of_copies():
    a, b = with_gaps(BASE[0], [0, 1, 2]), with_gaps(2 - BASE[0], [2, 3, 4])
    folded = fold_copies(dataset_of({"b": b, "x": with_gaps(BASE[1], [7]), "a": a}))
    assert folded.copies == {"b": "a"}
    known = values(folded.whole)
    row = np.arange(ROWS)
    assert known["a"] == np.where(row == 2, None, BASE[0].astype(str)).tolist()
    assert known["b"] == np.where(row == 2, None, (2 - BASE[0]).astype(str)).tolist()
    assert values(folded.dataset)["a"] == known["a"]
    counts = np.bincount(np.delete(BASE[0], 2))
    assert folded.dataset.codes[0, 2] == counts.argmax()  # as in all gaps
    assert folded.table.missing == folded.whole.missing == (3 / ROWS, 1 / ROWS, 3 / ROWS)
    (note,) = folded.notes
    assert note.endswith(
        "a value that is missing in one of the equal columns is taken from another"
    )


def test_without_gaps_nothing_is_left_to_infer():
    folded = fold_copies(dataset_of({"a": with_gaps(BASE[0], [0]), "b": with_gaps(BASE[0], [1])}))
    assert folded.copies == {"b": "a"}
    assert folded.whole.gaps is None
    assert folded.dataset.codes.tolist() == [BASE[0].tolist()]


def test_columns_that_differ_in_a_common_row_are_no_copies():
    b = BASE[0].copy()
    b[100] = 2 - b[100] if b[100] != 1 else 0
    a, b = with_gaps(BASE[0], [0, 1]), with_gaps(b, [2, 3])
    dataset = dataset_of({"a": a, "b": b})
    folded = fold_copies(dataset)
    assert folded.copies == {}
    assert folded.whole is folded.dataset is folded.table is dataset
    assert fold_copies(dataset_of({"a": with_gaps(a, [100]), "b": b})).copies == {"b": "a"}


def test_columns_of_a_group_agree_with_each_other():
    """b and c agree with a, but not with each other."""
    b, c = BASE[0].copy(), BASE[0].copy()
    b[0], c[0] = 0, 1
    columns = {"a": with_gaps(BASE[0], [0]), "b": with_gaps(b, [1]), "c": with_gaps(c, [2])}
    assert fold_copies(dataset_of(columns)).copies == {"b": "a"}
    columns["d"] = columns["c"]
    assert fold_copies(dataset_of(columns)).copies == {"b": "a", "d": "c"}
    columns["c"] = with_gaps(c, [0, 2])
    assert fold_copies(dataset_of(columns)).copies == {"b": "a", "c": "a"}


def test_a_copy_may_overlap_with_another_copy_only():
    half = np.arange(ROWS // 2)
    columns = {
        "a": with_gaps(BASE[0], half),
        "b": BASE[0],
        "c": with_gaps(BASE[0], half + ROWS // 2),
    }
    assert fold_copies(dataset_of(columns)).copies == {"b": "a", "c": "a"}
    del columns["b"]
    assert fold_copies(dataset_of(columns)).copies == {}


def test_states_without_a_common_row_have_no_new_name():
    column = np.where(np.arange(ROWS) < 3, 2, BASE[0] % 2)
    b = with_gaps(column, range(100, 110))
    assert fold_copies(dataset_of({"a": with_gaps(column, [0, 1]), "b": b})).copies == {"b": "a"}
    b[[0, 1]] = None
    assert fold_copies(dataset_of({"a": with_gaps(column, [2]), "b": b})).copies == {}


def test_few_common_rows_agree_by_chance():
    a = np.array(["n", "y"], object)[np.random.default_rng(3).integers(2, size=ROWS)]
    for common, copies in ((14, {}), (22, {"b": "a"})):
        b = with_gaps(a, range(common, ROWS))
        assert fold_copies(dataset_of({"a": with_gaps(a, [150]), "b": b})).copies == copies


def test_codes_of_two_bytes():
    column = np.random.default_rng(0).integers(0, 300, 5_000)
    table = pd.DataFrame({"a": with_gaps(column, [0, 1]), "b": with_gaps(999 - column, [1, 2])})
    dataset = Dataset.from_table(table, max_states=300, missing="infer")
    folded = fold_copies(dataset)
    assert folded.copies == {"b": "a"}
    assert folded.whole.codes.dtype == np.uint16
    assert np.flatnonzero(folded.whole.gaps.any(axis=0)).tolist() == [1]
    assert [own[0] for own in values(folded.whole).values()] == [
        str(column[0]),
        str(999 - column[0]),
    ]


def test_groups_have_the_values_of_all_their_columns():
    columns = {
        "wet": with_gaps(BASE[0], [0, 1]),
        "day": with_gaps(BASE[1], [0]),
        "dry": with_gaps(2 - BASE[0], [1, 2]),
    }
    dataset = dataset_of(columns)
    folded = group_copies(dataset)
    assert folded.whole.names == ("dry = wet", "day")
    assert folded.groups == {"dry = wet": ("dry", "wet")}
    assert folded.table is dataset
    known = values(folded.whole)["dry = wet"]
    assert known == np.where(np.arange(ROWS) == 1, None, (2 - BASE[0]).astype(str)).tolist()
    assert folded.whole.notes == dataset.notes


@pytest.mark.parametrize(
    ("knowledge", "copies"),
    [
        (None, {"b": "a", "c": "a"}),
        (Knowledge(roots=["x"]), {"b": "a", "c": "a"}),
        (Knowledge(roots=["b"]), {"c": "a"}),
        (Knowledge(roots=["a"]), {}),
    ],
)
def test_columns_that_knowledge_tells_apart_keep_their_gaps(knowledge, copies):
    columns = {name: with_gaps(BASE[0], [k]) for k, name in enumerate("abc")}
    dataset = dataset_of(columns | {"x": BASE[1]})
    folded, _ = fold_with_knowledge(dataset, "join", knowledge)
    assert folded.copies == copies
    assert folded.table is dataset
    gaps = np.zeros(4, int) if folded.whole.gaps is None else folded.whole.gaps.sum(axis=1)
    alone = [int(name not in copies and not (copies and name == "a")) for name in "abc"]
    assert gaps[:3].tolist() == alone
