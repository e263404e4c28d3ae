"""`LSBN(missing="infer")` and `impute`, as a user sees them."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import lsbn.missing.chain as chain
from lsbn import LSBN, Knowledge, load_network
from lsbn.cli import main
from lsbn.data import DataError, Dataset
from lsbn.data.copies import fold_copies
from lsbn.missing import average_learned, completed_counts
from lsbn.runs import Run

pytestmark = pytest.mark.filterwarnings("ignore:.* completions of the table disagree")
"""Two completions are not precise."""
COLUMNS = ["HR", "HRBP", "HRSAT", "CO", "ERRLOWOUTPUT", "HREKG"]


@pytest.fixture(autouse=True, scope="module")
def short_chains():
    with pytest.MonkeyPatch.context() as patch:
        short = chain.ChainSettings(
            completions=2, most_completions=2, between=1, chains=2, most_rounds=2, draws=2
        )
        patch.setattr(chain, "ChainSettings", lambda: short)
        yield


@pytest.fixture(scope="module")
def truth():
    return load_network("alarm").sample(400, random_state=0)[COLUMNS].astype(str)


@pytest.fixture(scope="module")
def gaps(truth):
    mask = np.random.default_rng(0).random(truth.shape) < 0.15
    return truth.astype(object).mask(mask, None)


@pytest.fixture(scope="module")
def model(gaps):
    return LSBN(missing="infer", random_state=0, n_graphs=101).fit(gaps)


def test_the_result_is_an_average_of_completions(model, gaps):
    assert nx.is_directed_acyclic_graph(model.dag_)
    assert {frozenset(edge) for edge in model.dag_.edges} >= {frozenset(("HR", "HRBP"))}
    assert len(model.graphs_) == 101
    frequencies = model.graphs_.frequencies().toarray()
    np.testing.assert_allclose(frequencies, model.edge_probabilities_.toarray(), atol=0.15)
    assert not model.graphs_.independent
    missing = model.diagnostics_.missing
    assert missing.completions == 2
    assert missing.columns == {n: round(s, 6) for n, s in model.missing_share_.items() if s}
    assert model.missing_share_["HR"] == gaps["HR"].isna().mean()
    assert np.isfinite(model.score(gaps))
    assert model.to_network(ess=1.0).names == tuple(COLUMNS)


def test_same_seed_same_result(model, gaps):
    again = LSBN(missing="infer", random_state=0, n_graphs=101, n_jobs=2).fit(gaps)
    np.testing.assert_array_equal(
        again.edge_probabilities_.toarray(), model.edge_probabilities_.toarray()
    )
    assert again.score(gaps) == model.score(gaps)


def test_the_error_names_the_cure(gaps):
    with pytest.raises(DataError, match=r'missing="infer".*--missing infer'):
        LSBN().fit(gaps)
    with pytest.raises(DataError, match=r"no values in 1 column\(s\): 'HR'; .*--drop"):
        LSBN(missing="infer").fit(gaps.assign(HR=None))


def test_impute_fills_what_is_missing_and_nothing_else(model, gaps, truth):
    filled = model.impute(gaps)
    observed = gaps.notna().to_numpy()
    assert (filled.table == truth).to_numpy()[observed].all()
    assert not filled.table.isna().to_numpy().any()
    assert len(filled.cells) == (~observed).sum()
    assert filled.cells["probability"].between(1 / 4, 1).all()
    right = (filled.table == truth).to_numpy()[~observed]
    assert right.mean() == pytest.approx(filled.cells["probability"].mean(), abs=0.1)
    modes = (truth == gaps.mode().iloc[0]).to_numpy()[~observed]
    assert right.mean() > modes.mean()
    for row in filled.cells.head(5).itertuples():
        assert filled.table.iloc[row.row][row.column] == row.value
    assert "cells filled" in repr(filled)


def test_one_gap_is_predicted_as_by_predict(model, truth):
    rows = truth.head(30)
    cells = model.impute(rows.assign(CO=None), average=False).cells
    shares = model.predict_proba(rows, "CO")
    np.testing.assert_allclose(cells["probability"], shares.max(axis=1), rtol=1e-9)
    assert cells["value"].tolist() == model.predict(rows, "CO").tolist()


def test_predict_and_score_take_rows_with_gaps(model, gaps, truth):
    rows = gaps.head(40)
    shares = model.predict_proba(rows, "CO")
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    whole = rows.drop(columns="CO").notna().all(axis=1).to_numpy()
    exact = model.predict_proba(truth.head(40), "CO")
    np.testing.assert_allclose(shares[whole], exact[whole], rtol=1e-9)
    logs = model.log_likelihood(rows)
    assert (logs >= model.log_likelihood(truth.head(40)) - 0.05).all()
    both = [model.log_likelihood(truth.head(1).assign(HR=s))[0] for s in model.dataset_.states[0]]
    one = model.log_likelihood(truth.head(1).assign(HR=None))[0]
    assert one == pytest.approx(np.logaddexp.reduce(both))


def test_types_of_a_table_are_kept():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 300)
    table = pd.DataFrame(
        {
            "flag": np.array(a == 1, dtype=object),
            "number": 10.0 * a,
            "cut": a + rng.random(300),
            "kind": pd.Categorical(np.where(a, "x", "y")),
            "more": np.arange(300),
        },
        index=[f"r{i}" for i in range(300)],
    )
    learned = table.drop(columns="more")
    for column in range(4):
        learned.iloc[7 * column : 7 * column + 5, column] = None
    model = LSBN(missing="infer", random_state=0, discretize="cut=quantile:2").fit(learned)
    filled = model.impute(learned.assign(more=table["more"])).table
    assert list(filled.index) == list(table.index)
    assert filled["more"].tolist() == table["more"].tolist()
    assert filled["flag"].tolist() == table["flag"].tolist()
    assert filled["number"].tolist() == table["number"].tolist()
    assert filled["number"].dtype == float
    assert filled["kind"].tolist() == table["kind"].tolist()
    labels = model.dataset_.states[2]
    assert set(filled["cut"].iloc[14:19]) <= set(labels)
    assert filled["cut"].iloc[20:].tolist() == table["cut"].iloc[20:].tolist()
    again = model.impute(pl.from_pandas(learned)).table
    assert again["number"].tolist() == filled["number"].tolist()


def test_other_learners_average_their_graphs(gaps):
    for learner in ("greedy", "pc"):
        edges = LSBN(missing="infer", learner=learner, random_state=0).fit(gaps).edges_
        assert set(np.unique(edges.matrix.data)) <= {0.25, 0.5, 0.75, 1.0}


def test_knowledge_is_honoured(gaps):
    told = Knowledge(required=[("HRBP", "HR")], forbidden=[("HR", "CO"), ("CO", "HR")])
    model = LSBN(missing="infer", random_state=0, knowledge=told).fit(gaps)
    assert model.probability("HRBP", "HR") == 1
    assert model.probability("CO", "HR", how="adjacent") == 0
    assert all(graph.has_edge("HRBP", "HR") for graph in model.sample_graphs(10))


def test_copies_have_the_values_of_their_originals(gaps):
    table = gaps.assign(again=gaps["HR"].map(lambda s: s if s is None else f"is {s}"))
    dataset = Dataset.from_table(table, missing="infer")
    folded = fold_copies(dataset)
    assert folded.copies == {"again": "HR"}
    tables = chain.complete(folded.dataset, np.random.default_rng(0))
    counts = completed_counts(folded, tables)
    hr, again = counts.dataset.names.index("HR"), counts.dataset.names.index("again")
    together = counts(again, (hr,)).counts
    assert ((together > 0).sum(axis=1) <= 1).all()
    assert together.sum() == pytest.approx(len(table), abs=2)
    model = LSBN(missing="infer", random_state=0).fit(table)
    assert model.probability("HR", "again", how="adjacent") == 1


def test_a_stopped_fit_goes_on(gaps, model, tmp_path, monkeypatch):
    calls = []

    def stop(parts):
        calls.append(len(parts))
        if len(calls) == 1:
            raise KeyboardInterrupt
        return average_learned(parts)

    monkeypatch.setattr("lsbn.missing.precision.average_learned", stop)
    options = {"missing": "infer", "random_state": 0, "n_graphs": 101}
    with pytest.raises(KeyboardInterrupt):
        LSBN(checkpoint=tmp_path / "draft", **options).fit(gaps)
    again = LSBN(checkpoint=tmp_path / "draft", **options).fit(gaps)
    np.testing.assert_array_equal(
        again.edge_probabilities_.toarray(), model.edge_probabilities_.toarray()
    )


@pytest.mark.parametrize("scope", ["lsbn", "global"])
def test_the_command_line(gaps, tmp_path, capsys, scope):
    gaps.to_csv(tmp_path / "t.csv", index=False)
    run, table = tmp_path / "run", str(tmp_path / "t.csv")
    main(["learn", table, "-o", str(run), "--missing", "infer", "--scope", scope, "--jobs", "1"])
    summary = Run(run).summary
    assert summary["diagnostics"]["missing"]["completions"] == 2
    assert summary["diagnostics"]["missing"]["columns"]["HR"] == pytest.approx(
        gaps["HR"].isna().mean(), abs=1e-6
    )
    page = (run / "report.html").read_text()
    assert "Missing values" in page
    assert "were drawn from the network 2 times" in page
    capsys.readouterr()
    main(["ask", str(run), "impute", table, "--json"])
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert len(cells) == gaps.isna().to_numpy().sum()
    filled, shares = tmp_path / "filled.csv", tmp_path / "cells.csv"
    main(["ask", str(run), "impute", table, "-o", str(filled), "--cells", str(shares)])
    written, cell = pd.read_csv(filled, dtype=str), pd.read_csv(shares, dtype={"value": str})
    assert list(written) == list(gaps)
    assert not written.isna().to_numpy().any()
    assert cell["value"].tolist() == [c["value"] for c in cells]


def test_partition_fills_gaps_once(gaps, tmp_path):
    gaps.to_csv(tmp_path / "t.csv", index=False)
    run = tmp_path / "run"
    main(["partition", str(tmp_path / "t.csv"), "-o", str(run), "--missing", "infer"])
    assert {name for c in Run(run).communities for name in c} == set(gaps)


def test_copies_that_are_missing_together_are_not_certain():
    """Their probabilities are those of the column, and the other values keep theirs."""
    rng = np.random.default_rng(0)
    a, c = rng.integers(0, 2, (2, 400))
    table = pd.DataFrame({"a": a, "b": a, "c": c})
    model = LSBN(random_state=0, fold_copies="keep", n_graphs=50).fit(table)
    row = pd.DataFrame({"a": [None], "b": [None], "c": [1]}, dtype=object)
    for probability in model.impute(row).cells["probability"]:
        assert probability == pytest.approx(max(a.mean(), 1 - a.mean()), abs=0.2)
    for average in (False, True):
        (log,) = model.log_likelihood(row, average=average)
        assert np.exp(log) == pytest.approx(c.mean(), abs=0.02)
