"""Parents with a joint effect are found across the borders of parts."""

import numpy as np
import pytest
from scipy import sparse

import naive
from lsbn import checkpoint
from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Score
from lsbn.learners.averaging import parts as in_parts
from lsbn.learners.averaging.islands import add_further_parents, islands, regions_around
from lsbn.learners.averaging.rules import ParentRules
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.settings import SamplingSettings, SearchSettings

GENES, CHILD, SELECTOR, MARKER = (0, 1), 2, 20, 21
PARTS = [np.arange(20), np.arange(20, 26)]


@pytest.fixture(scope="module")
def pedigree():
    """Two genes of a parent, and the gene that a child gets by a selector, which has a marker.

    The child's gene and both genes of the parent begin chains, so they are no islands. The other
    variables of the second part are noise.
    """
    rng, rows = np.random.default_rng(6), 600
    table = rng.integers(2, size=(rows, 26))
    table[:, CHILD] = np.where(table[:, SELECTOR], *table[:, GENES].T)
    for v in range(3, 20):
        table[:, v] = table[:, v - 3] ^ (rng.random(rows) < 0.1)
    table[:, MARKER] = table[:, SELECTOR] ^ (rng.random(rows) < 0.1)
    pools = [part[part != v] for part in PARTS for v in part]
    return Dataset.from_table(table), pools


def averaged(dataset, pools, score="bdeu", n_jobs=1, knowledge=None, progress=None):
    settings = (SearchSettings(), SamplingSettings(), np.random.default_rng(0), n_jobs)
    sampler = OrderSampler(dataset, Score(score), *settings, knowledge=knowledge)
    sampler.parts, sampler.progress = PARTS, progress
    return sampler.run(pools)[0].toarray()


def test_a_selector_is_found_in_another_part(pedigree, monkeypatch):
    assert averaged(*pedigree, "bdeu")[[*GENES, SELECTOR], CHILD].min() > 0.9
    assert averaged(*pedigree, "mixed")[[*GENES, SELECTOR], CHILD].min() > 0.9
    monkeypatch.setattr(in_parts, "_MOST_PAIRS", 0)
    assert averaged(*pedigree, "mixed")[SELECTOR, CHILD] == 0


def test_any_number_of_jobs_gives_the_same_bits_and_all_pieces_count(pedigree):
    calls = []
    alone = averaged(*pedigree, progress=lambda *pieces: calls.append(pieces))
    assert np.array_equal(alone, averaged(*pedigree, n_jobs=2))
    assert calls[:2] == [(1, 2, 0), (2, 2, 0)]
    assert calls[2] == (3, 3, 0)


def test_a_fit_that_is_stopped_after_a_look_has_the_same_bits(pedigree, tmp_path, monkeypatch):
    wanted = averaged(*pedigree, "mixed")
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    monkeypatch.setattr(in_parts, "regions_around", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError), checkpoint.Checkpoint(tmp_path / "x", {}).active():
        averaged(*pedigree, "mixed")
    assert (tmp_path / "x").exists()
    monkeypatch.setattr(in_parts, "regions_around", regions_around)
    with checkpoint.Checkpoint(tmp_path / "x", {}).active():
        assert np.array_equal(averaged(*pedigree, "mixed"), wanted)


def test_knowledge_holds_across_borders(pedigree):
    dataset, pools = pedigree
    names = dataset.names
    told = Knowledge(forbidden=[(names[SELECTOR], names[CHILD]), (names[CHILD], names[SELECTOR])])
    edges = averaged(dataset, pools, knowledge=resolve(told, names))
    assert edges[SELECTOR, CHILD] == edges[CHILD, SELECTOR] == 0


def test_priors_of_single_edges_are_those_of_the_search(pedigree):
    dataset, score = pedigree[0], Score("bdeu", density=0.05)
    told = Knowledge(edge_probabilities={("x20", "x2"): 0.9, ("x3", "x2"): 0.2, ("x2", "x5"): 0.7})
    rules = ParentRules(resolve(told, dataset.names), 26, 8)
    parents = np.array([1, 3, 20, 25])
    wanted = rules.with_prior(np.zeros(26), 2, parents, score)[parents]
    np.testing.assert_allclose(rules.edge_priors(2, parents, score), wanted)
    assert np.flatnonzero(wanted).tolist() == [1, 2]


def test_further_parents_are_those_of_all_families(pedigree):
    dataset, pools = pedigree
    search = ParentSetSearch(dataset, Score("bdeu", density=0.05), SearchSettings(small_network=0))
    search.explore(pools, 0)
    keys, others = np.random.default_rng(3).permutation(26) / 26, PARTS[1]
    expected = []
    for v in range(20):
        sets = search._sets[v]
        known = {
            frozenset(u for u in row if u >= 0): score
            for row, score in zip(sets.members.tolist(), sets.scores.tolist(), strict=True)
            if all(keys[u] < keys[v] for u in row if u >= 0)
        }

        def score(parents, v=v):
            return search._each(search._score, [(v, [sorted(parents)])])[0][2][0]

        raising = naive.further_parents(known, score, set(others.tolist()), search.settings.delta)
        expected += [(u, v) for u in raising]
    before = [len(sets.scores) for sets in search._sets]
    pairs = add_further_parents(search, keys, pools, np.arange(20), others)
    assert expected
    assert pairs.tolist() == sorted(map(list, expected))
    grown = {v for v, sets in enumerate(search._sets) if len(sets.scores) > before[v]}
    assert grown == set(pairs[:, 1].tolist())


def test_noise_has_islands_and_no_further_parents():
    table = np.random.default_rng(0).integers(3, size=(200, 40))
    dataset = Dataset.from_table(table)
    search = ParentSetSearch(dataset, Score(), SearchSettings(small_network=0))
    pools = [np.delete(np.arange(20), v) if v < 20 else np.arange(20, v) for v in range(40)]
    search.explore(pools, 0)
    keys = np.arange(40) / 40
    assert len(islands(sparse.csr_array((40, 40)))) == 40
    assert not len(add_further_parents(search, keys, pools, np.arange(40), np.arange(40)))


def test_regions_are_disjoint_and_have_all_pairs():
    rng = np.random.default_rng(5)
    graph = sparse.random_array((80, 80), density=0.01, rng=rng, format="csr")
    pairs = rng.permutation(80)[:12].reshape(-1, 2)
    whole = regions_around(graph, pairs)
    place = {v: k for k, region in enumerate(whole) for v in region.tolist()}
    assert sum(map(len, whole)) == len(place)
    assert all(place[u] == place[v] for u, v in pairs.tolist())
    cut = regions_around(graph, pairs, 3)
    assert max(map(len, cut)) <= 3
    assert sorted(np.concatenate(cut)) == sorted(np.concatenate(whole))
