import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment
from lsbn import LSBN


@pytest.fixture(scope="module")
def study():
    return load_experiment("ways")


def test_variants_have_other_ways_or_other_weights(study):
    found = study.variants()
    assert len({variant.name for variant in found}) == len(found) == 20
    default = study.Variant("")
    assert all((v.ways, v.weights) != (default.ways, default.weights) for v in found)


def test_a_comparison_sums_the_families_of_the_graph(study):
    rng = np.random.default_rng(1)
    a, b = rng.integers(3, size=(2, 400))
    table = pd.DataFrame({"a": a, "b": b, "c": np.where(rng.random(400) < 0.8, a * b % 3, a)})
    model = LSBN(random_state=0).fit(table)
    found = study.Comparison.of("three", model)
    families = study.families_of(model.dataset_, model.dag_)
    bdeu = sum(family.ways(study.DEFAULT)[study.BDEU] for family in families)
    gain = dict(zip([v.name for v in study.variants()], found.gains, strict=True))
    assert found.families == 3
    assert gain["only BDeu"] == pytest.approx(bdeu - found.total)
    both = study.Comparison.sum_of([found, found])
    assert both.gains == pytest.approx([2 * g for g in found.gains])
    with pytest.raises(AssertionError, match="the score is"):
        study.check(found.total + 1, model.dataset_, model.dag_)
    text = study.page([found], [], "python experiments/ways.py")
    assert f"| {found.total:,.1f} " in text
