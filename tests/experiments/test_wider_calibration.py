import numpy as np
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("wider_calibration")


def test_the_page_names_the_cells_above_the_bound(study):
    """A learner that is sure of the truth is within the bound; one that joins all pairs is not."""
    draw_cell = load_experiment("parts.wider_cells").draw_cell
    graphs = {
        tuple(case.table.iloc[0]): case.graph.astype(float)
        for key in ("f", "h1", "j")
        for case, _ in draw_cell(key, 8, 1)
    }
    right = [study.run_cell(key, 8, 1, lambda t, _: graphs[tuple(t.iloc[0])]) for key in ("f", "j")]
    wrong = study.run_cell("h1", 8, 1, lambda t, _: np.triu(np.ones((t.shape[1],) * 2), 1))
    text = " ".join(study.page([*right, wrong], "--networks 8")).replace("  ", " ")
    assert "Cells above it: h1." in text
    assert study.REASONS["h1"] in text
    perfect, noise, joined = (result.pairs for result in (*right, wrong))
    assert f"| f | {len(perfect.relation):,} | {perfect.skeleton[1].sum():,} |" in text
    assert f"| j | {len(noise.relation):,} | 0 | 0.0 | 0.0 | 0.0000 (0.0000) | 0 |" in text
    false = len(joined.relation) - joined.skeleton[1].sum()
    assert f"| {len(joined.relation):,}.0 | {false:,}.0 |" in text
