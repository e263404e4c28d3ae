"""Answers in a run folder: the same as those of the model, and damaged files are refused."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from lsbn import LSBN, load_network
from lsbn.answers.store import BIF, CODING, POSTERIOR, read_answers, write_answers
from lsbn.graph.edge_access import place_of


@pytest.fixture(scope="module")
def table():
    frame = load_network("alarm").sample(300, random_state=0)[["HR", "HRBP", "CO", "TPR"]]
    numbers = np.random.default_rng(0).normal(size=300) + (frame["HR"] == "HIGH")
    return frame.astype(str).assign(**{"wet grass": numbers})


@pytest.fixture(scope="module")
def model(table):
    return LSBN(random_state=0, discretize="quantile", n_graphs=200).fit(table)


@pytest.fixture
def folder(model, tmp_path):
    assert write_answers(tmp_path, model.answers_) is None
    return tmp_path


def test_the_folder_gives_the_same_answers(model, table, folder):
    stored = read_answers(folder, model.edges_)
    assert (stored.log_likelihood(table, True) == model.log_likelihood(table, average=True)).all()
    assert (stored.log_likelihood(table) == model.log_likelihood(table)).all()
    assert (stored.predict(table, "wet grass") == model.predict(table, "wet grass")).all()
    assert stored.probability("HR", "CO", "path") == model.probability("HR", "CO", how="path")
    pd.testing.assert_frame_equal(stored.markov_blanket("HR"), model.markov_blanket("HR"))
    wanted = model.effect("HR", "wet grass").to_frame()
    pd.testing.assert_frame_equal(stored.effect("HR", "wet grass").to_frame(), wanted)
    drawn = [each.sample(9, average=True, random_state=1) for each in (stored, model)]
    pd.testing.assert_frame_equal(*drawn)
    edges = [{frozenset(g.edges) for g in each.sample_graphs(200)} for each in (stored, model)]
    assert edges[0] == edges[1]


def test_the_table_is_not_in_the_folder(table, folder):
    with np.load(folder / POSTERIOR, allow_pickle=False) as file:
        assert all(len(file[name]) != len(table) or name == "x" for name in file.files)
        assert all(file[name].dtype.kind in "iuf" for name in file.files)


def test_models_without_networks_are_stored_too(table, tmp_path):
    model = LSBN(learner="greedy", random_state=0, discretize="quantile").fit(table)
    write_answers(tmp_path, model.answers_)
    stored = read_answers(tmp_path, model.edges_)
    assert stored.graphs is None
    assert (stored.log_likelihood(table) == model.log_likelihood(table)).all()


def test_the_network_can_be_read_by_its_original_names(model, folder):
    network = load_network(folder / BIF)
    assert network.names == model.edges_.names
    assert network.states == model.dataset_.states
    wanted = model.to_network()
    for found, own in zip(network.tables, wanted.tables, strict=True):
        np.testing.assert_allclose(found, own)


def test_large_tables_are_not_written_as_bif(model, tmp_path, monkeypatch):
    monkeypatch.setattr("lsbn.answers.answers.MOST_CELLS", 1)
    assert "network.bif is not written: the table of" in write_answers(tmp_path, model.answers_)
    assert not (tmp_path / BIF).exists()
    assert read_answers(tmp_path, model.edges_).graphs is not None


def arrays_of(folder):
    with np.load(folder / POSTERIOR, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize(
    "change",
    [
        {"dag": np.array([[0, 99]])},
        {"dag": np.array([[0, 1], [1, 0]])},
        {"dag": np.array([0.5])},
        {"graphs_parent": np.array([7], np.int32)},
        {"graphs_child": np.array([-1])},
        {"graphs_start": np.array([0, 5, 3])},
        {"graphs_start": np.array([], int)},
        {"family_counts": np.zeros(3, int)},
        {"family_child": np.array([9])},
        {"family_parents_start": np.array([0.0])},
        {"dag": np.array([None], dtype=object)},
    ],
)
def test_damaged_arrays_are_refused(model, folder, change):
    np.savez(folder / POSTERIOR, **arrays_of(folder) | change)
    with pytest.raises(ValueError, match=r"posterior\.npz: not readable"):
        read_answers(folder, model.edges_)


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip", "zip without arrays"])
def test_other_files_are_refused(model, folder, content):
    if isinstance(content, str):
        data = io.BytesIO()
        zipfile.ZipFile(data, "w").close()
        content = data.getvalue()
    (folder / POSTERIOR).write_bytes(content)
    with pytest.raises(ValueError, match=r"posterior\.npz: not readable"):
        read_answers(folder, model.edges_)


@pytest.mark.parametrize("text", ["", "[]", "null", '{"variables": 3, "score": {}}', "[" * 100_000])
def test_damaged_codings_are_refused(model, folder, text):
    (folder / CODING).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"coding\.json"):
        read_answers(folder, model.edges_)


def test_missing_files_are_named(model, folder):
    (folder / POSTERIOR).unlink()
    with pytest.raises(FileNotFoundError, match=r"has no posterior\.npz: run `lsbn learn` again"):
        read_answers(folder, model.edges_)


def test_other_variables_are_refused(model, folder):
    record = json.loads((folder / CODING).read_text("utf-8"))
    record["variables"][0]["name"] = "other"
    (folder / CODING).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ValueError, match="do not have the same variables"):
        read_answers(folder, model.edges_)
    assert place_of(model.edges_.names, "HR") == 0
