"""Slow and simple versions of what knowledge means, for comparison in tests."""

import math
from fnmatch import fnmatchcase


def _fits(name, pattern):
    return name == pattern or fnmatchcase(name, pattern)


def forbids(knowledge, u, v):
    """Say whether a statement forbids the edge u -> v between two names."""
    if any(_fits(u, a) and _fits(v, b) for a, b in knowledge.forbidden):
        return True
    if any(_fits(v, a) and _fits(u, b) for a, b in knowledge.required):
        return True
    if any(_fits(v, name) for name in knowledge.roots):
        return True
    if any(_fits(u, name) for name in knowledge.leaves):
        return True
    place = {
        w: t
        for t, tier in enumerate(knowledge.tiers)
        for w in (u, v)
        if any(_fits(w, name) for name in tier.names)
    }
    if len(place) < 2:
        return False
    if place[u] == place[v]:
        return not knowledge.tiers[place[u]].edges_inside
    late = place[v] > place[u] + 1 and knowledge.tiers[place[u]].next_only
    return place[u] > place[v] or late


def required(knowledge, names):
    """Required edges as pairs of names."""
    return {
        (u, v)
        for u in names
        for v in names
        if u != v and any(_fits(u, a) and _fits(v, b) for a, b in knowledge.required)
    }


def most_parents(knowledge, name):
    """Most parents of a variable; an exact name wins over patterns."""
    limits = knowledge.max_parents
    if limits is None or isinstance(limits, int):
        return math.inf if limits is None else limits
    fitting = [most for pattern, most in limits.items() if _fits(name, pattern)]
    return limits.get(name, fitting[-1] if fitting else math.inf)


def violations(knowledge, names, edges):
    """What a set of edges (pairs of names) does against the knowledge."""
    edges = set(edges)
    wrong = [f"{u} -> {v} is there" for u, v in edges if forbids(knowledge, u, v)]
    wrong += [f"{u} -> {v} is missing" for u, v in required(knowledge, names) - edges]
    for name in names:
        if sum(v == name for _, v in edges) > most_parents(knowledge, name):
            wrong.append(f"{name} has too many parents")
    return wrong


def families(knowledge, names, listed, density):
    """Parent sets of `naive.families` that agree with the knowledge, with the priors of edges.

    ``density`` is the usual prior probability of an edge.
    """
    must = required(knowledge, names)
    found = []
    for v, family in enumerate(listed):
        needed = {u for u, name in enumerate(names) if (name, names[v]) in must}
        kept = {}
        for members, score in family.items():
            possible = not any(forbids(knowledge, names[u], names[v]) for u in members)
            if needed <= members and possible and len(members) <= most_parents(knowledge, names[v]):
                for u in members:
                    p = knowledge.edge_probabilities.get((names[u], names[v]))
                    if p is not None:
                        score += math.log(p / (1 - p)) - math.log(density / (1 - density))
                kept[members] = score
        found.append(kept)
    return found
