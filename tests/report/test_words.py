import pytest

from lsbn.report.words import findings


def levels(diagnostics):
    return [(f.level, f.text) for f in findings(diagnostics)]


def test_nothing_recorded_nothing_said():
    assert findings({}) == []


@pytest.mark.parametrize(
    ("r_hat", "level"), [(1.0, "good"), (1.05, "good"), (1.08, "note"), (1.3, "warning")]
)
def test_r_hat_has_three_levels(r_hat, level):
    assert findings({"r_hat": r_hat})[0].level == level


def test_the_worst_community_counts():
    parts = [{"method": "exact"}, {"method": "sampled", "r_hat": 1.02}]
    parts.append({"method": "sampled", "r_hat": 1.5, "r_hat_above_1.1": 4})
    found = findings({"communities": parts})
    assert found[0].level == "warning"
    assert "4 edge(s)" in found[0].why
    assert ("good", "Communities: 1 exact, 2 sampled") in levels({"communities": parts})


def test_the_last_pass_is_told_from_the_communities():
    said = levels({"method": "sampled", "communities": [{"method": "exact"}, {"clusters": 2}]})
    assert said == [
        ("good", "Averages over sampled orders"),
        ("good", "Communities: 1 exact, 0 sampled"),
    ]


def test_lost_chains_are_a_warning():
    assert levels({"chains": 4, "chains_kept": 3})[0] == ("warning", "1 of 4 chains left out")
    assert levels({"chains": 4, "chains_kept": 4}) == []


def test_few_draws_and_large_errors():
    found = findings({"effective_sample_size": 40.0, "standard_error": 0.12})
    assert [f.level for f in found] == ["warning", "note"]
    assert "40 independent draws" in found[1].why


def test_notes_and_warnings_are_passed_on():
    found = findings({"notes": ("2 column(s) with a single state: a, b",), "warnings": "look"})
    assert [(f.level, f.why) for f in found] == [
        ("warning", "look"),
        ("note", "2 column(s) with a single state: a, b"),
    ]


def test_strange_values_do_no_harm():
    assert findings({"r_hat": None, "chains": "many", "notes": None, "method": 3}) == []
