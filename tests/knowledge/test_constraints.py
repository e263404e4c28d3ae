import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_cases import knowledge_of
from lsbn.knowledge import Knowledge, Tier, resolve
from naive_knowledge import forbids, most_parents, required


def table_of(constraints):
    n = constraints.n
    return constraints.allows(*(x.ravel() for x in np.indices((n, n)))).reshape(n, n)


@settings(max_examples=60, deadline=None)
@given(knowledge_of("abcdef"))
def test_constraints_mean_what_the_statements_say(knowledge):
    names = tuple("abcdef")
    known = resolve(knowledge, names)
    if known is None:
        assert not knowledge
        return
    expected = [[u != v and not forbids(knowledge, u, v) for v in names] for u in names]
    assert table_of(known).tolist() == expected
    edges = {(names[u], names[v]) for u, v in zip(*known.required_edges(), strict=True)}
    assert edges == required(knowledge, names)
    assert known.most_parents.tolist() == [min(most_parents(knowledge, v), 5) for v in names]
    pairs = sum(expected[u][v] or expected[v][u] for u, v in itertools.combinations(range(6), 2))
    assert known.free_pairs == pairs - len(edges)


@settings(max_examples=40, deadline=None)
@given(knowledge_of("abcdef"), st.permutations(range(6)), st.integers(1, 6))
def test_a_selection_keeps_what_is_said_of_its_variables(knowledge, order, size):
    known = resolve(knowledge, tuple("abcdef"))
    if known is None:
        return
    chosen = np.array(order[:size])
    part = known.select(chosen)
    allowed = table_of(known)[np.ix_(chosen, chosen)]
    assert not (table_of(part) & ~allowed).any()
    if size == 6:
        assert (table_of(part) == allowed).all()
    inside = {(u, v) for u, v in zip(*known.required_edges(), strict=True) if {u, v} <= set(chosen)}
    assert {(chosen[u], chosen[v]) for u, v in zip(*part.required_edges(), strict=True)} == inside
    for place, v in enumerate(chosen.tolist()):
        outside = set(known.required_parents(v).tolist()) - set(chosen.tolist())
        assert part.most_parents[place] == known.most_parents[v] - len(outside)
        parents, odds = part.likely_parents(place)
        whole = dict(zip(*known.likely_parents(v), strict=True))
        assert dict(zip(chosen[parents], odds, strict=True)) == {
            u: p for u, p in whole.items() if u in chosen
        }


def test_paths_through_variables_that_are_not_selected():
    known = resolve(Knowledge(required=[("a", "b"), ("b", "c"), ("c", "d")]), tuple("abcd"))
    part = known.select(np.array([3, 0]))
    assert table_of(part).tolist() == [[False, False], [True, False]]


def test_many_edges_are_held_as_rules():
    n = 2_000
    names = [f"{'ab'[v % 2]}{v}" for v in range(n)]
    known = resolve(Knowledge(forbidden=[("a*", "b*")], tiers=[["a0"], ["b1"]]), names)
    assert known.forbidden.nbytes < 100 * n
    assert not known.allows(2, 5)
    assert known.allows(5, 2)
    assert [known.reason(u, v) for u, v in ((2, 5), (1, 0), (5, 2))] == ["forbidden", "tiers", ""]
    assert len(pickle.dumps(known)) < 200 * n


def test_names_win_over_patterns():
    names = ("x", "x*", "xy")
    known = resolve(Knowledge(roots=["x*"], max_parents={"x": 1, "*": 2}), names)
    assert known.root.tolist() == [False, True, False]
    assert known.most_parents.tolist() == [1, 2, 2]


def test_no_parents_at_all_is_a_statement():
    known = resolve(Knowledge(max_parents=0), tuple("abc"))
    assert not table_of(known).any()
    assert resolve(Knowledge(max_parents={}), tuple("abc")) is None


def test_edges_to_the_next_tier_only():
    known = resolve(Knowledge(tiers=[Tier(["a"], next_only=True), ["b"], ["c"]]), tuple("abc"))
    assert table_of(known).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_unknown_names_get_a_hint():
    with pytest.raises(ValueError, match="did you mean 'income'"):
        resolve(Knowledge(roots=["incme"]), ("age", "income"))
