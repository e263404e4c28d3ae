"""Chains of orders, and their parts as a draft stores them."""

import numpy as np
import pytest

from kernel_cases import random_families
from learner_cases import listed_sets
from lsbn.learners.averaging import SamplingSettings
from lsbn.learners.averaging.chains import Chain, TemperedChain
from lsbn.plainfiles import read_value, write_value

N = 4
SETTINGS = SamplingSettings(sweeps=20)


def plain(sets):
    return Chain(np.arange(N) / N, sets.n_candidates, np.random.default_rng(0))


def tempered(sets):
    orders = [np.arange(N) / N, np.arange(N)[::-1] / N]
    return TemperedChain(orders, sets.n_candidates, np.random.default_rng(0), SETTINGS)


@pytest.mark.parametrize("make", [plain, tempered])
def test_a_chain_is_made_again_from_its_parts(tmp_path, make):
    """So a part that is stored need not have the sums and draws of those before it."""
    sets = listed_sets(random_families(2, N))
    chain, again = make(sets), make(sets)
    for k in range(12):
        part = chain.advance(sets, sets, SETTINGS)
        write_value(tmp_path / str(k), part)
        chain.add(part, sets, SETTINGS)
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert max(sizes) < min(sizes) + 100
    for k in range(12):
        again.add(read_value(tmp_path / str(k)), sets, SETTINGS)
    assert (again.sweeps, again.parts, again.log_score) == (240, 11, chain.log_score)
    for _ in range(2):
        assert again.mean.tolist() == chain.mean.tolist()
        assert again.trail.draws.tolist() == chain.trail.draws.tolist()
        for each in (chain, again):
            each.add(each.advance(sets, sets, SETTINGS), sets, SETTINGS)
