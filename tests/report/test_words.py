import pytest

from lsbn.framework import CommunityDiagnostics, FitDiagnostics
from lsbn.report.words import findings


def levels(**figures):
    return [(f.level, f.text) for f in findings(FitDiagnostics(**figures))]


def community(**figures):
    return CommunityDiagnostics(sub_communities=3, clusters=0, **figures)


def test_nothing_recorded_nothing_said():
    assert findings(FitDiagnostics()) == []


@pytest.mark.parametrize(
    ("r_hat", "level"), [(1.0, "good"), (1.05, "good"), (1.08, "note"), (1.3, "warning")]
)
def test_r_hat_has_three_levels(r_hat, level):
    assert findings(FitDiagnostics(r_hat=r_hat))[0].level == level


def test_a_large_r_hat_is_a_warning_that_counts_edges():
    found = findings(FitDiagnostics(method="sampled", r_hat=1.5, high_r_hat_edges=4))
    assert found[0].level == "warning"
    assert "4 edge(s)" in found[0].why
    assert "at least one edge" in findings(FitDiagnostics(r_hat=1.5))[0].why


def test_figures_of_the_whole_hide_those_of_the_communities():
    bad = community(method="sampled", r_hat=1.5, effective_sample_size=3.0)
    good = {"method": "sampled", "r_hat": 1.0, "high_r_hat_edges": 0, "chains": 4, "chains_kept": 4}
    good |= {"effective_sample_size": 900.0, "standard_error": 0.001}
    assert levels(**good, communities=[bad, bad]) == levels(**good)
    assert [level for level, _ in levels(**good)] == ["good"] * 3


def test_an_exact_result_has_no_sampling_figures():
    figures = {"r_hat": 1.9, "chains": 4, "chains_kept": 1, "standard_error": 0.4}
    assert levels(method="exact", **figures) == [("good", "Exact averages")]


def test_what_counts_once_is_said():
    for method, text in (("exact", "Exact averages"), ("sampled", "Averages over sampled graphs")):
        (found,) = findings(FitDiagnostics(method=method, count="graphs"))
        assert (found.level, found.text) == ("good", text)
        assert "counts once" in found.why or "each counted once" in found.why


def test_several_methods_are_counted_by_community():
    parts = [community(method="exact"), community(method="sampled"), community()]
    parts.append(community(method=["exact", "sampled"]))
    said = levels(method="exact and sampled", communities=parts)
    assert said == [("good", "Communities: 1 exact, 1 sampled")]


def test_the_threshold_is_that_of_the_run():
    found = findings(FitDiagnostics(standard_error=0.2), threshold=0.8)
    assert "near the threshold 0.8" in found[0].why


def test_lost_chains_are_a_warning():
    assert levels(chains=4, chains_kept=3)[0] == ("warning", "1 of 4 chains left out")
    assert levels(chains=4, chains_kept=4) == []


def test_few_draws_and_large_errors():
    found = findings(FitDiagnostics(effective_sample_size=40.0, standard_error=0.12))
    assert [f.level for f in found] == ["warning", "note"]
    assert "40 independent draws" in found[1].why


def test_notes_about_the_table_are_passed_on():
    found = findings(FitDiagnostics(notes=["2 column(s) with a single state: a, b"]))
    assert [(f.level, f.why) for f in found] == [("note", "2 column(s) with a single state: a, b")]


def test_strange_values_do_no_harm():
    strange = {"r_hat": None, "chains": "many", "notes": None, "method": 3}
    assert findings(FitDiagnostics.of(strange)) == []


def test_searches_that_disagree():
    apart = findings(FitDiagnostics(searches_compared=4, searches_agreed=1))
    assert apart[0].text == "Only 1 of 4 independent searches reached the best log score"
    figures = {"searches_compared": 2, "searches_agreed": 2}
    (agreed,) = findings(FitDiagnostics(**figures))
    assert (agreed.level, agreed.text) == ("good", "2 independent searches agree")
    other = findings(FitDiagnostics(**figures, doubtful_edges=3, doubtful_variables=["a"]))
    assert other[0].level == "warning"
    assert other[0].text == "2 independent searches reached the same log score by different edges"
    assert "Edges into 'a' differ" in other[0].why


def test_a_huge_r_hat_is_written_in_words():
    assert findings(FitDiagnostics(r_hat=1000.0))[0].text == "R-hat above 100"
