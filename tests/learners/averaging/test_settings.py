"""Settings of model averaging: limits and errors."""

import numpy as np
import pytest

from lsbn.learners.averaging import settings
from lsbn.learners.averaging.convergence import ConvergenceSettings
from lsbn.learners.averaging.settings import SamplingSettings, SearchSettings


@pytest.mark.parametrize(("most", "wanted"), [(2, (1, 12)), (10, (1, 12, 6, 4, 3, 2, 2, 2, 2, 2))])
def test_settings_are_bounded(most, wanted):
    assert SearchSettings().bounded(most).beams == wanted
    assert len(SearchSettings().bounded(most).wide) == most
    assert SearchSettings().bounded(None) == SearchSettings()


def test_more_pairs_are_scored_in_small_pools():
    beams, wide = SearchSettings().widths(64)
    assert beams[1] == wide[1] == 32
    beams, wide = SearchSettings().widths(45)
    assert beams[1] == wide[1] == 45
    beams, wide = SearchSettings().widths(1000)
    assert (beams[1], wide[1]) == (12, 2)
    beams, wide = SearchSettings().halved().widths(64)
    assert (beams[1], wide[1]) == (6, 2)


def test_where_all_sets_are_listed_sampling_is_longer():
    long = SamplingSettings(tolerance=0.001, most_steps=10).exhaustive()
    assert (long.tolerance, long.most_steps) == (0.001, 40)
    assert SamplingSettings().exhaustive().tolerance == 0.006


@pytest.mark.parametrize(("n", "sweeps"), [(4, 250), (20, 50), (21, 47), (500, 40)])
def test_pilots_of_few_variables_have_more_sweeps(n, sweeps):
    assert SamplingSettings(pilot_sweeps=40, pilot_steps=1_000).pilot(n) == sweeps


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("SamplingSettings", {"chains": 0}, "at least one chain and 2 sweeps"),
        ("SamplingSettings", {"sweeps": 1}, "at least one chain and 2 sweeps"),
        ("SamplingSettings", {"betas": (0.5,)}, "last inverse temperature must be 1"),
        ("SearchSettings", {"rounds": -1}, "rounds must be at least 0"),
        ("SearchSettings", {"patience": 0}, "patience at least 1"),
        ("SearchSettings", {"beams": (1, 2)}, "one entry for each number of parents"),
        ("SearchSettings", {"max_candidates": 65}, "from 1 to 64"),
        ("SearchSettings", {"max_sets": 0}, "at least one set"),
        ("EnumerationSettings", {"max_sets": 0}, "at least one set"),
        ("EnumerationSettings", {"density_step": 1.0}, "must exceed 1"),
        ("TableSettings", {"max_candidates": 64}, "at most 2\\*\\*30"),
    ],
)
def test_impossible_settings_are_refused(kind, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(settings, kind)(**options)


def test_impossible_limits_of_convergence_are_refused():
    with pytest.raises(ValueError, match="limits must be positive"):
        ConvergenceSettings(warning_error=0.0)


def test_a_ladder_begins_at_the_temperature_of_the_posterior():
    ladder = SamplingSettings(temperatures=3).ladder(0.25)
    np.testing.assert_allclose(ladder, [1, 0.5, 0.25])
