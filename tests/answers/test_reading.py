"""Questions read the columns of a run only, and know the values that meant 'missing' in the fit."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lsbn import LSBN
from lsbn.answers.reading import read_columns
from lsbn.answers.store import read_answers, write_answers
from lsbn.data import DataError, Dataset


def frame_of(rows=60):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.9, a, 1 - a)
    text = np.where(rng.random(rows) < 0.9, b, 1 - b)
    age = 20 + 10 * a + rng.integers(0, 9, rows)
    return pd.DataFrame({"age": age, "b": b, "g": np.array(["no", "yes"])[text]})


@pytest.fixture(scope="module")
def raw():
    """A table whose signs for 'missing' are -99 and a question mark."""
    frame = frame_of()
    frame.loc[:2, "age"] = -99
    frame.loc[3:4, "b"] = -99
    frame.loc[5, "g"] = "?"
    return frame


@pytest.fixture(scope="module")
def blank(raw):
    """The same table with missing values."""
    return raw.astype(object).where(~raw.isin([-99, "?"]), None)


@pytest.fixture(scope="module")
def model(raw, tmp_path_factory):
    path = tmp_path_factory.mktemp("na") / "raw.csv"
    raw.to_csv(path, index=False)
    options = {"na": "-99,?", "missing": "drop", "discretize": "quantile", "bins": 3}
    return LSBN(random_state=0).fit(Dataset.read(path, **options))


def written(table, folder):
    table.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


FORMS = {
    "pandas": lambda table, _: table,
    "polars": lambda table, _: pl.from_pandas(table),
    "lazy": lambda table, _: pl.from_pandas(table).lazy(),
    "arrow": lambda table, _: pa.Table.from_pandas(table),
    "csv": written,
}


@pytest.mark.parametrize("form", FORMS)
def test_values_that_meant_missing_in_the_fit_do_so_in_questions(form, model, raw, blank, tmp_path):
    table = FORMS[form](raw, tmp_path)
    np.testing.assert_array_equal(model.log_likelihood(table), model.log_likelihood(blank))
    found, wanted = (model.predict_proba(each, "g") for each in (table, blank))
    np.testing.assert_array_equal(found, wanted)
    assert model.predict(table, "age").tolist() == model.predict(blank, "age").tolist()
    cells, wanted = model.impute(table).cells, model.impute(blank).cells
    assert len(cells) == 6
    pd.testing.assert_frame_equal(cells, wanted)


def test_filled_columns_keep_their_type(model, raw):
    filled = model.impute(raw).table
    assert filled["b"].dtype == raw["b"].dtype
    assert set(filled["b"]) == {0, 1}
    assert set(filled["g"]) == {"no", "yes"}
    assert filled["age"].iloc[0].startswith(("[", "("))
    assert filled["age"].iloc[3:].tolist() == raw["age"].iloc[3:].tolist()
    assert raw["age"].iloc[0] == -99


def test_a_run_remembers_the_values_that_mean_missing(model, raw, tmp_path):
    write_answers(tmp_path, model.answers_)
    stored = read_answers(tmp_path, model.edges_)
    assert stored.coding.na == ("-99", "?")
    assert (stored.log_likelihood(raw) == model.log_likelihood(raw)).all()
    more = stored.with_na(["?", "no"])
    assert more.coding.na == ("-99", "?", "no")
    assert len(more.impute(raw).cells) == 5 + (raw["g"] != "yes").sum()


def test_a_selection_of_columns_remembers_them(model):
    assert model.dataset_.select(["g"]).na == ("-99", "?")


def test_the_gaps_of_a_dataset_are_missing_values(blank):
    columns = blank[["b", "g"]]
    model = LSBN(random_state=0).fit(columns.dropna())
    data = Dataset.from_table(columns, missing="infer")
    found, wanted = (model.impute(each).cells.astype(str) for each in (data, columns))
    assert len(found) == 3
    pd.testing.assert_frame_equal(found, wanted)
    assert (model.log_likelihood(data) == model.log_likelihood(columns)).all()


@pytest.fixture(scope="module")
def plain():
    return LSBN(random_state=0, n_graphs=50).fit(frame_of()[["b", "g"]])


def with_others(table):
    """Add columns that cannot be states, and numbers that may be missing."""
    days = pd.date_range("2020-01-01", periods=len(table))
    empty = pd.array([None, *range(1, len(table))], "Int64")
    lists = [[k, k + 1] for k in range(len(table))]
    return table.assign(lists=lists, days=days, count=empty)[["lists", "g", "days", "b", "count"]]


def written_parquet(table, folder):
    table.to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.parametrize("form", ["pandas", "polars", "lazy", "arrow", "parquet"])
def test_columns_that_are_not_of_the_run_are_not_read(form, plain, tmp_path):
    rows = frame_of()[["b", "g"]].astype({"b": "Int64"})
    rows.loc[7, "b"] = pd.NA
    table = with_others(rows)
    given = (FORMS | {"parquet": written_parquet})[form](table, tmp_path)
    np.testing.assert_array_equal(plain.log_likelihood(given), plain.log_likelihood(rows))
    assert plain.predict(given, "g").tolist() == plain.predict(rows, "g").tolist()
    filled = plain.impute(given)
    assert filled.cells["row"].tolist() == [7]
    assert list(filled.table) == list(table)
    rest = ["lists", "days", "count"]
    for name in rest:
        found = [None if value is pd.NA else value for value in filled.table[name].astype(object)]
        wanted = [None if value is pd.NA else value for value in table[name].astype(object)]
        assert list(map(str, found)) == list(map(str, wanted))


def test_names_of_other_columns_may_repeat_or_be_empty(plain):
    rows = frame_of()[["b", "g"]]
    table = pd.concat([rows, rows, rows], axis=1).set_axis(["b", "g", "c", "c", "", np.nan], axis=1)
    assert plain.predict(table, "g").tolist() == plain.predict(rows, "g").tolist()
    assert plain.impute(table.mask(table == "no")).table["g"].isin(["no", "yes"]).all()


def test_the_column_of_the_target_is_not_read(plain):
    rows = frame_of()[["b", "g"]]
    lists = rows.assign(g=[[1]] * len(rows))
    assert plain.predict(lists, "g").tolist() == plain.predict(rows, "g").tolist()


def test_tables_without_a_column_of_the_run(plain, tmp_path):
    table = with_others(frame_of()).drop(columns=["b", "g"])
    for given in (table, pa.Table.from_pandas(table), written_parquet(table, tmp_path)):
        with pytest.raises(DataError, match=r"2 column.*missing: 'b', 'g'"):
            plain.impute(given)
        with pytest.raises(DataError, match=r"1 column.*missing: 'b'"):
            plain.predict(given, "g")


def test_columns_without_a_name_stay(plain, tmp_path):
    """The values of a single row do not tell that a column is an index."""
    rows = frame_of(6)[["b", "g"]]
    text = ",b,note,g,\n" + "".join(f"{k},{b},0{k},{g},\n" for k, b, g in rows.itertuples())
    (tmp_path / "t.csv").write_text(text.replace(",yes,", ",,", 1))
    filled = plain.impute(tmp_path / "t.csv")
    assert len(filled.cells) == 1
    assert list(filled.table) == ["", "b", "note", "g", ""]
    assert filled.table.iloc[:, 0].tolist() == list(range(6))
    assert filled.table["note"].tolist() == [f"0{k}" for k in range(6)]
    (tmp_path / "t.csv").write_text("".join(text.splitlines(keepends=True)[:2]))
    assert len(plain.log_likelihood(tmp_path / "t.csv")) == 1


def test_a_stored_index_stays(plain, tmp_path):
    table = with_others(frame_of()).set_index("days")
    table.to_parquet(tmp_path / "t.parquet")
    filled = plain.impute(tmp_path / "t.parquet").table
    assert filled["days"].tolist() == table.index.tolist()
    assert [each.name for each in read_columns(tmp_path / "t.parquet", ["b", "days"])] == ["b"]


def test_arrays_and_matrices(plain):
    rows = np.array([[1, 0], [0, 1]])
    model = LSBN(random_state=0).fit(np.repeat(rows, 20, axis=0))
    wide = np.column_stack([rows, [7, 8]])
    assert model.log_likelihood(wide).tolist() == model.log_likelihood(rows).tolist()
    holes = np.array([[np.nan, 0], [0, 1]])
    assert model.impute(holes).table.astype(int).to_numpy().tolist() == rows.tolist()
    assert list(model.impute(np.column_stack([holes, [7, 8]])).table) == ["x0", "x1", "x2"]


def test_what_is_no_table_is_refused(plain, tmp_path):
    with pytest.raises(DataError, match="cannot read a set as a table"):
        plain.impute({1, 2})
    (tmp_path / "t.parquet").write_bytes(b"no table")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        plain.impute(tmp_path / "t.parquet")
