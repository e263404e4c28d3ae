import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import lookup, scores
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.gamma import fill_rising, log_gamma, log_rising, rising
from lsbn.kernels.state import Columns

KINDS = {"bdeu": lookup.BDEU, "k2": lookup.K2, "bic": lookup.BIC, "mixed": lookup.MIXED}
TABLES = ["bdeu", "bic", "k2"]


def table(seed, cards, rows, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(r, size=rows) for r in cards], dtype)
    return codes, Columns(*bit_columns(byte_planes(codes), np.asarray(cards)), byte_planes(codes))


def wanted(kind, ess, codes, cards, child, parents):
    above, sizes = [codes[p].tolist() for p in parents], [cards[p] for p in parents]
    column = codes[child].tolist()
    return naive.family_score(kind, ess, column, cards[child], above, sizes)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(TABLES),
    st.sampled_from([0.3, 1.0, 10.0]),
    st.integers(0, 10_000),
    st.lists(st.integers(1, 5), min_size=2, max_size=5),
    st.integers(2, 80),
)
def test_family_score_is_its_definition(kind, ess, seed, cards, rows):
    codes, columns = table(seed, cards, rows)
    tables = lookup.make_lookup(KINDS[kind], ess)
    parents = np.arange(1, len(cards))
    got = scores.family_score(columns, tables, 0, parents)
    want = wanted(kind, ess, codes, cards, 0, parents)
    assert got == pytest.approx(want, rel=1e-9, abs=1e-8)


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 10_000),
    st.lists(st.integers(1, 4), min_size=4, max_size=6),
    st.integers(2, 200),
)
def test_extension_scores_are_family_scores(kind, seed, cards, rows):
    _, columns = table(seed, cards, rows)
    tables = lookup.make_lookup(KINDS[kind], 1.0)
    parents = np.array([1, 2])
    candidates = np.arange(3, len(cards))
    got = scores.extension_scores(columns, tables, 0, parents, candidates)
    for c, score in zip(candidates, got, strict=True):
        one_by_one = scores.family_score(columns, tables, 0, np.append(parents, c))
        assert score == pytest.approx(one_by_one, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("kind", TABLES)
def test_large_tables_are_counted_by_rows(kind):
    cards = [3, 40, 30, 20, 2]
    codes, columns = table(5, cards, 3000)
    tables = lookup.make_lookup(KINDS[kind], 1.0)
    parents = np.array([1, 2])
    score = wanted(kind, 1.0, codes, cards, 0, [1, 2])
    assert scores.family_score(columns, tables, 0, parents) == pytest.approx(score)
    extended = scores.extension_scores(columns, tables, 0, parents, np.array([4]))
    assert extended[0] == pytest.approx(wanted(kind, 1.0, codes, cards, 0, [1, 2, 4]))


def test_counts_beyond_the_table():
    codes, columns = table(2, [2, 3], 50_000)
    tables = lookup.make_lookup(lookup.BDEU, 1.0)
    got = scores.family_score(columns, tables, 0, np.array([1]))
    assert got == pytest.approx(wanted("bdeu", 1.0, codes, [2, 3], 0, [1]), rel=1e-12)


@pytest.mark.parametrize("x", [1e-6, 0.01, 0.5, 1.0, 3.7, 16.0, 1e5])
def test_log_gamma(x):
    assert log_gamma(x) == pytest.approx(math.lgamma(x), rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(st.floats(1e-6, 1e4), st.integers(0, 100_000))
def test_rising_factorials(a, x):
    wanted = math.lgamma(a + x) - math.lgamma(a)
    near = pytest.approx(wanted, rel=1e-12, abs=1e-13 * max(math.lgamma(a + x), 10.0))
    product, rest = rising(a, x)
    assert math.log(product) + rest == near
    assert log_rising(a, x) == near


@pytest.mark.parametrize("a", [1e-3, 0.5, 40.0])
def test_tables_of_rising_factorials_have_the_same_bits(a):
    out = np.empty(60)
    fill_rising(a, 0, 30, out)
    fill_rising(a, 30, 60, out)
    assert out.tolist() == [log_rising(a, x) for x in range(60)]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([0.3, 1.0, 10.0]),
    st.integers(0, 10_000),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
    st.integers(1, 500),
)
def test_equivalent_graphs_have_the_same_bdeu(ess, seed, cards, rows):
    """All orders of three variables that have all edges, and both directions of a pair."""
    _, columns = table(seed, cards, rows)
    tables = lookup.make_lookup(lookup.BDEU, ess)

    def score(order):
        families = [(v, np.sort(order[:place])) for place, v in enumerate(order)]
        return sum(scores.family_score(columns, tables, v, above) for v, above in families)

    whole = [score(np.array(order, np.int64)) for order in itertools.permutations(range(3))]
    assert whole == pytest.approx([whole[0]] * 6, rel=1e-9, abs=1e-8)
    pair = [score(np.array(order, np.int64)) for order in ((0, 1), (1, 0))]
    assert pair[0] == pytest.approx(pair[1], rel=1e-9, abs=1e-8)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["bdeu", "k2", "mixed"]),
    st.floats(0.01, 100.0),
    st.integers(0, 10_000),
    st.integers(1, 3),
    st.lists(st.integers(1, 4), min_size=0, max_size=3),
    st.integers(1, 6),
)
def test_probabilities_of_all_columns_add_up_to_one(kind, ess, seed, r, above, rows):
    """A score is a log probability, for any parents and hyperparameters."""
    rng = np.random.default_rng(seed)
    parents = [rng.integers(card, size=rows) for card in above]
    tables, total = lookup.make_lookup(KINDS[kind], ess), 0.0
    for column in itertools.product(range(r), repeat=rows):
        codes = np.array([column, *parents], np.uint8)
        columns = Columns(
            *bit_columns(byte_planes(codes), np.array([r, *above])), byte_planes(codes)
        )
        family = np.arange(1, len(codes))
        total += math.exp(scores.family_score(columns, tables, 0, family))
    assert total == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("parents", [[], [1], [1, 2], [2, 3]])
def test_more_than_256_states(kind, parents):
    cards = [300, 4, 280, 3]
    codes, columns = table(2, cards, 700, np.uint16)
    assert codes[0].max() > 256 < codes[2].max()
    tables = lookup.make_lookup(KINDS[kind], 1.0)
    for child in (0, 3):
        above = np.array([p for p in parents if p != child], np.int64)
        got = scores.family_score(columns, tables, child, above)
        assert got == pytest.approx(wanted(kind, 1.0, codes, cards, child, above), rel=1e-9)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("cards", [[3, 2, 2, 3, 2], [4, 200, 3, 150, 90]])
def test_codes_of_two_bytes_give_the_same_bits_by_the_same_kernels(kind, cards):
    _, one = table(3, cards, 2_000)
    _, two = table(3, cards, 2_000, np.uint16)
    assert (one.codes.shape, two.codes.shape) == ((1, 5, 2_000), (2, 5, 2_000))
    tables, parents = lookup.make_lookup(KINDS[kind], 1.0), np.array([1, 2])
    found, versions = [], set()
    for columns in (one, two):
        extended = scores.extension_scores(columns, tables, 0, parents, np.array([3, 4]))
        found.append([scores.family_score(columns, tables, 0, parents), *extended])
        versions.add((len(scores.family_score.signatures), len(scores.extension_scores.signatures)))
    assert found[0] == found[1]
    assert len(versions) == 1


def test_configurations_label_by_first_appearance():
    codes, columns = table(1, [3, 3, 3], 100)
    ids, n_ids = scores.configurations(columns.codes, columns.offsets, np.array([0, 2]))
    keys = list(zip(codes[0].tolist(), codes[2].tolist(), strict=True))
    first = list(dict.fromkeys(keys))
    assert ids.tolist() == [first.index(key) for key in keys]
    assert n_ids == len(first)
