import json

import pytest

from lsbn.framework import CommunityDiagnostics, FitDiagnostics
from lsbn.framework.diagnostics import fit_diagnostics
from lsbn.learners import Diagnostics

EXACT = Diagnostics(method="exact", max_parents=3)
SAMPLED = Diagnostics(method="sampled", r_hat=1.02, effective_sample_size=90.0)
WORSE = Diagnostics(method="sampled", r_hat=1.5, effective_sample_size=200.0)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([], {}),
        ([Diagnostics(score=-3.0)], {}),
        ([EXACT, EXACT], {"method": "exact"}),
        ([WORSE, EXACT], {"method": ["exact", "sampled"], "r_hat": 1.5}),
        ([SAMPLED, WORSE], {"method": "sampled", "r_hat": 1.5}),
    ],
)
def test_the_worst_sub_community_counts(parts, expected):
    found = dict(CommunityDiagnostics.of_parts(parts, 7, 2))
    size = found.pop("effective_sample_size", None)
    assert found == {"sub_communities": 7, "clusters": 2, **expected}
    assert size == min((p.effective_sample_size for p in parts if p.r_hat), default=None)


def communities(*parts):
    return [CommunityDiagnostics.of_parts([part], 1, 0) for part in parts]


def test_the_last_pass_speaks_for_the_whole():
    found = fit_diagnostics(EXACT, communities(SAMPLED), {"read": 0.123456}, ("a note",))
    assert (found.method, found.max_parents, found.r_hat) == ("exact", 3, None)
    assert found.seconds == {"read": 0.1235}
    assert found.notes == ["a note"]
    assert found.communities == communities(SAMPLED)
    assert found.not_run is None


def test_without_a_last_pass_the_worst_community_counts():
    found = fit_diagnostics(Diagnostics(), communities(SAMPLED, WORSE, EXACT), {}, ())
    assert (found.method, found.r_hat) == ("exact and sampled", 1.5)
    assert found.effective_sample_size == 90
    none = fit_diagnostics(Diagnostics(), communities(Diagnostics(steps=3)), {}, ())
    assert list(none) == ["seconds", "communities", "notes"]


def test_stages_that_were_not_run_have_a_reason():
    found = fit_diagnostics(SAMPLED, None, {}, ())
    assert set(found.not_run) == {"blankets", "local", "merge"}
    assert found.communities == []
    assert list(found)[-4:] == ["not_run", "seconds", "communities", "notes"]


def test_json_gives_the_same_diagnostics_back():
    written = fit_diagnostics(Diagnostics(), communities(SAMPLED, EXACT), {"read": 1.0}, ("x",))
    read = FitDiagnostics.of(json.loads(json.dumps(written)))
    assert read == written
    assert isinstance(read.communities[0], CommunityDiagnostics)
    assert read.communities[0].r_hat == 1.02
    assert FitDiagnostics.of({"communities": 5, "notes": None, "seconds": [1]}) == {}


def test_constant_columns_are_named_if_there_are_any():
    assert fit_diagnostics(EXACT, None, {}, ()).constants is None
    found = fit_diagnostics(EXACT, None, {}, (), constants=["a"])
    assert FitDiagnostics.of(json.loads(json.dumps(found))).constants == ["a"]
