"""Copies of columns with gaps in different rows, as a user sees them."""

import json

import numpy as np
import pandas as pd
import pytest

import lsbn.missing.chain as chain
from lsbn import LSBN, load_network
from lsbn.answers.store import CODING, read_answers, write_answers
from lsbn.cli import main
from lsbn.data import DataError
from lsbn.runs import Run

OTHER = {"LOW": "b", "NORMAL": "a", "HIGH": "c"}
OPTIONS = {"missing": "infer", "random_state": 0, "n_graphs": 50}


@pytest.fixture(autouse=True, scope="module")
def short_chains():
    with pytest.MonkeyPatch.context() as patch:
        short = chain.ChainSettings(completions=2, between=1, chains=2, most_rounds=2, draws=2)
        patch.setattr(chain, "ChainSettings", lambda: short)
        yield


@pytest.fixture(scope="module")
def truth():
    table = load_network("alarm").sample(400, random_state=0)[["HRBP", "HR", "CO"]].astype(str)
    return table.assign(again=table["HR"].map(OTHER))


@pytest.fixture(scope="module")
def gaps(truth):
    mask = np.random.default_rng(0).random(truth.shape) < 0.2
    return truth.astype(object).mask(mask, None)


@pytest.fixture(scope="module", params=["join", "group"])
def model(request, gaps):
    return LSBN(fold_copies=request.param, **OPTIONS).fit(gaps)


def test_columns_that_agree_are_folded(model, gaps, truth):
    (note,) = (note for note in model.diagnostics_.notes if "equal columns" in note)
    assert "'again' of 'HR'" in note or "'HR = again'" in note
    first = "HR" if model.fold_copies == "join" else "HR = again"
    assert {frozenset(edge) for edge in model.dag_.edges} >= {frozenset((first, "HRBP"))}
    if model.fold_copies == "join":
        assert model.probability("HR", "again", how="adjacent") == 1
        edges = model.edge_probabilities_.toarray()
        assert edges[3, [0, 2]].tolist() == edges[[0, 2], 3].tolist() == [0, 0]
    shares = gaps.isna().mean()
    assert model.missing_share_ == shares.to_dict()
    assert model.diagnostics_.missing.columns == pytest.approx(shares.to_dict(), abs=1e-6)
    assert model.diagnostics_.missing.share == pytest.approx(shares.mean(), abs=1e-6)
    assert model.diagnostics_.missing.completions == 2
    known = gaps["HR"].notna() | gaps["again"].notna()
    v = model.edges_.names.index(first)
    counts = model.answers_.tables.counts(v, ()).counts[0]
    assert np.abs(counts - np.bincount(model.dataset_.codes[1], minlength=3)).max() > 5
    seen = truth["HR"][known].value_counts().sort_index()
    assert (counts >= seen).all()  # all values that a column shows, as they are
    assert counts.sum() == pytest.approx(len(gaps), abs=1)


def test_impute_takes_values_from_copies(model, gaps, truth):
    filled = model.impute(gaps)
    assert not filled.table.isna().to_numpy().any()
    cells = filled.cells
    assert len(cells) == gaps.isna().to_numpy().sum()
    assert list(cells["row"]) == sorted(cells["row"])
    for column, other in (("HR", "again"), ("again", "HR")):
        own = cells[cells["column"] == column]
        rows = gaps.index[gaps[column].isna() & gaps[other].notna()]
        assert len(rows) > 30
        assert (filled.table[column] == truth[column])[rows].all()
        assert set(own["row"]) == set(gaps.index[gaps[column].isna()])
        known = own[own["row"].isin(rows)]
        if model.fold_copies == "group":
            assert (known["probability"] == 1).all()
            assert (own["probability"][~own["row"].isin(rows)] < 1).all()
        else:  # by the tables of the networks, as of any column
            assert known["probability"].between(0.98, 1).all()
        assert (filled.table[column][own["row"]].tolist()) == own["value"].tolist()
    assert (filled.table["again"] == filled.table["HR"].map(OTHER)).all()


def test_a_gap_of_one_column_of_a_group_is_no_gap(gaps, truth, tmp_path):
    model = LSBN(fold_copies="group", **OPTIONS).fit(gaps)
    rows = truth.head(50)
    for missing in ("HR", "again"):
        some = rows.assign(**{missing: None})
        assert (model.log_likelihood(some) == model.log_likelihood(rows)).all()
    assert (model.log_likelihood(rows[["CO", "HR", "HRBP"]]) == model.log_likelihood(rows)).all()
    some = rows.assign(HR=None)
    with pytest.raises(DataError, match=r"1 column\(s\): 'again' \('no'\)"):
        model.log_likelihood(some.assign(again="no"))
    assert np.isfinite(model.log_likelihood(rows.assign(again="no"))).all()  # not needed
    write_answers(tmp_path, model.answers_)
    stored = read_answers(tmp_path, model.edges_)
    pd.testing.assert_frame_equal(stored.impute(gaps).table, model.impute(gaps).table)
    record = json.loads((tmp_path / CODING).read_text())
    group = next(each for each in record["variables"] if "others" in each)
    for wrong in ([0, 0, 1], [0, 1], ["a", "b", "c"]):
        group["others"][0]["renamed"] = wrong
        (tmp_path / CODING).write_text(json.dumps(record))
        with pytest.raises(ValueError, match="not a coding of lsbn"):
            read_answers(tmp_path, model.edges_)


def test_copies_that_fill_all_gaps_leave_a_complete_table(truth, tmp_path):
    table = truth.astype(object)
    table.loc[:40, "HR"], table.loc[41:90, "again"] = None, None
    model, whole = LSBN(**OPTIONS).fit(table), LSBN(random_state=0, n_graphs=50).fit(truth)
    assert (model.edge_probabilities_ != whole.edge_probabilities_).nnz == 0
    assert model.score(truth) == whole.score(truth)
    assert model.diagnostics_.missing.completions == 0
    model.plot(tmp_path / "page.html")
    assert "They were taken from copies of their columns." in (tmp_path / "page.html").read_text()


def test_the_order_of_columns_does_not_matter(model, gaps):
    other = LSBN(fold_copies=model.fold_copies, **OPTIONS).fit(gaps[sorted(gaps)])
    place = [other.edges_.names.index(name) for name in model.edges_.names]
    found = other.edge_probabilities_.toarray()[np.ix_(place, place)]
    assert (found == model.edge_probabilities_.toarray()).all()


@pytest.mark.parametrize("scope", ["lsbn", "global"])
def test_the_command_line(gaps, tmp_path, capsys, scope):
    gaps.to_csv(tmp_path / "t.csv", index=False)
    run, table = tmp_path / "run", str(tmp_path / "t.csv")
    words = ["--missing", "infer", "--copies", "group", "--scope", scope, "--jobs", "1"]
    main(["learn", table, "-o", str(run), *words])
    assert "a value that is missing in one of the equal columns" in capsys.readouterr().out
    summary = Run(run).summary
    assert summary["groups"] == {"HR = again": ["HR", "again"]}
    shares = gaps.isna().mean().to_dict()
    assert summary["diagnostics"]["missing"]["columns"] == pytest.approx(shares, abs=1e-6)
    main(["ask", str(run), "impute", table, "-o", str(tmp_path / "filled.csv")])
    filled = pd.read_csv(tmp_path / "filled.csv", dtype=str)
    assert (filled["again"] == filled["HR"].map(OTHER)).all()
