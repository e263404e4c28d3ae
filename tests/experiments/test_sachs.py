import networkx as nx
import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("sachs")


@pytest.fixture(scope="module")
def table():
    """A chain of three numbers whose dependence is by levels, and a number without any."""
    rng = np.random.default_rng(0)
    level = rng.integers(3, size=400)
    a = 10.0 * level + rng.random(400)
    b = 10.0 * np.where(rng.random(400) < 0.9, level, rng.integers(3, size=400)) + rng.random(400)
    c = np.where(rng.random(400) < 0.9, b, 30 * rng.random(400))
    return pd.DataFrame({"a": a, "b": b, "c": c, "alone": rng.random(400)})


def test_levels_are_cut_where_the_dependence_is(study, table):
    cuts = study.informative_cuts(table, first=20)
    assert {len(cut) for cut in cuts.values()} == {2}
    codes = study.levels(table, cuts)
    assert set(codes["a"]) == {0, 1, 2}
    assert (codes["a"] == (table["a"] // 10)).mean() > 0.85


def test_the_joined_levels_lose_the_least_information(study, table):
    codes = study.levels(
        table, {name: np.quantile(table[name], [0.2, 0.4, 0.6, 0.8]) for name in table}
    )

    def information(codes):
        total = 0.0
        for other in ("b", "c", "alone"):
            joint = pd.crosstab(codes["a"], codes[other]).to_numpy() / len(codes)
            expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
            seen = joint > 0
            total += (joint[seen] * np.log(joint[seen] / expected[seen])).sum()
        return total

    joined = [codes.assign(a=codes["a"] - (codes["a"] > cut)) for cut in range(4)]
    best = max(range(4), key=lambda cut: information(joined[cut]))
    assert study._least_loss(codes, "a", 4) == best


def test_cycles_have_one_depth_and_turned_edges_are_counted(study):
    target = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c"), ("d", "c")])
    assert study.depths(target) == [["a", "b", "d"], ["c"]]
    assert study.turned(nx.DiGraph([("b", "a"), ("c", "b"), ("d", "c")]), target) == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_page_is_written_from_files(study, table, tmp_path, monkeypatch):
    table.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "target.csv").write_text('"Cause","Effect"\n"a","b"\n"b","c"\n')
    monkeypatch.setattr(study, "available_methods", dict)
    page = tmp_path / "page.md"
    files = [str(tmp_path / "data.csv"), str(tmp_path / "target.csv")]
    arguments = ["sachs", *files, "--rows", "300", "--seeds", "1", "--output", str(page)]
    monkeypatch.setattr("sys.argv", arguments)
    study.main()
    text = page.read_text()
    assert "300 rows, 2 edges" in text
    assert "LSBN(), tiers" in text
    (tmp_path / "target.csv").write_text("Cause,Effect\nx,b\n")
    with pytest.raises(SystemExit, match="no such columns in the data: x"):
        study.main()
