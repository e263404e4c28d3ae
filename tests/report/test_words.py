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


def test_figures_of_the_whole_hide_those_of_the_communities():
    bad = {"method": "sampled", "r_hat": 1.5, "r_hat_above_1.1": 9, "chains": 4, "chains_kept": 1}
    bad |= {"effective_sample_size": 3.0, "standard_error": 0.4, "warnings": "alarm"}
    good = {"method": "sampled", "r_hat": 1.0, "r_hat_above_1.1": 0, "chains": 4, "chains_kept": 4}
    good |= {"effective_sample_size": 900.0, "standard_error": 0.001, "warnings": []}
    assert levels({**good, "communities": [bad, bad]}) == levels(good)
    assert [level for level, _ in levels(good)] == ["good"] * 3
    assert levels({"communities": [good, bad]})[0][0] == "warning"


def test_each_figure_is_looked_for_at_the_top_first():
    """Merged communities give the worst R-hat at the top, and their chains only below."""
    parts = [{"method": "sampled", "r_hat": 1.02, "chains": 4, "chains_kept": 3}]
    said = levels({"method": "sampled", "r_hat": 1.02, "communities": parts})
    assert said == [
        ("warning", "1 of 4 chains left out"),
        ("good", "Averages over sampled orders"),
        ("good", "R-hat at most 1.020"),
    ]


def test_an_exact_result_has_no_sampling_figures():
    parts = [{"method": "sampled", "r_hat": 1.9, "chains": 4, "chains_kept": 1}]
    assert levels({"method": "exact", "communities": parts}) == [("good", "Exact averages")]


def test_several_methods_are_counted_by_community():
    parts = [{"method": "exact"}, {"method": "sampled"}, {"clusters": 2}]
    said = levels({"method": "exact and sampled", "communities": parts})
    assert said == [("good", "Communities: 1 exact, 1 sampled")]


def test_the_threshold_is_that_of_the_run():
    found = findings({"standard_error": 0.2}, threshold=0.8)
    assert "near the threshold 0.8" in found[0].why


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
