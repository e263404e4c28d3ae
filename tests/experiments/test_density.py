import numpy as np
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("density")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for part, rows in (("train", 300), ("valid", 50), ("test", 200)):
        x = rng.integers(0, 2, rows)
        y = np.where(rng.random(rows) < 0.9, x, 1 - x)
        table = np.column_stack([x, y, rng.integers(0, 2, rows)])
        np.savetxt(tmp_path / f"nltcs.{part}.data", table, fmt="%d", delimiter=",")
    return tmp_path


def test_the_page_has_the_log_likelihood_of_the_test_rows(study, folder, monkeypatch):
    page = folder / "page.md"
    monkeypatch.setattr("sys.argv", ["density", str(folder), "--output", str(page)])
    study.main()
    row = next(line for line in page.read_text().splitlines() if line.startswith("| nltcs"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:3] == ["nltcs", "300 + 200", "3"]
    best = -(2 * np.log(2) - 0.9 * np.log(0.9) - 0.1 * np.log(0.1))
    assert float(cells[3]) == pytest.approx(best, abs=0.1)
    assert float(cells[4]) == pytest.approx(best, abs=0.1)
    assert cells[5] == "-6.110"


def test_the_valid_rows_are_learned_from_on_request(study, folder):
    assert len(study.read_split(folder, "nltcs").train) == 300
    assert len(study.read_split(folder, "nltcs", valid=True).train) == 350


def test_wrong_files_are_refused(study, folder, tmp_path):
    with pytest.raises(SystemExit, match=r"no files NAME.train.data"):
        study.names_in(tmp_path / "none")
    (folder / "nltcs.test.data").write_text("0,1\n")
    with pytest.raises(SystemExit, match="3 columns to learn from, 2 to test"):
        study.read_split(folder, "nltcs")
    (folder / "nltcs.test.data").write_text("0,1,2\n")
    with pytest.raises(SystemExit, match="other values than 0 and 1"):
        study.read_split(folder, "nltcs")
