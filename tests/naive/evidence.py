"""Scores of families: tables, decision trees, their average, and the prior."""

import itertools
import math


def log_sum(values):
    """Logarithm of the sum of exponentials; -inf without any value."""
    values = [x for x in values if x > -math.inf]
    top = max(values, default=-math.inf)
    return top + math.log(math.fsum(math.exp(x - top) for x in values)) if values else top


def log_mean(values):
    """Log of the mean of the exponentials."""
    values = list(values)
    return log_sum(values) - math.log(len(values))


def dirichlet(weight, counts):
    """Log evidence of a table whose cells have the same weight; `counts` has all of them."""
    total = math.lgamma(weight * len(counts)) - math.lgamma(weight * len(counts) + sum(counts))
    return total + sum(math.lgamma(weight + c) - math.lgamma(weight) for c in counts)


def family_counts(child, r, parents, cards):
    """The child's states in every configuration of the parents, one list for each."""
    rows = list(zip(*parents, strict=True)) if parents else [()] * len(child)
    table = [
        [c for c, row in zip(child, rows, strict=True) if row == configuration]
        for configuration in itertools.product(*map(range, cards))
    ]
    return [[part.count(k) for k in range(r)] for part in table]


def family_score(kind, ess, child, r, parents, cards):
    """Score of a family from its definition; `cards` are those of the parents."""
    if kind == "mixed":
        return mixed_score(child, r, parents, cards)
    q, counts = math.prod(cards), family_counts(child, r, parents, cards)
    if kind == "bdeu":
        return sum(dirichlet(ess / (q * r), part) for part in counts)
    if kind == "k2":
        return sum(dirichlet(1.0, part) for part in counts)
    likelihood = sum(c * math.log(c / sum(part)) for part in counts for c in part if c)
    return likelihood - 0.5 * math.log(len(child)) * q * (r - 1)


def own_row(counts):
    """Log evidence of a row, averaged over its weight."""
    return log_mean(dirichlet(w / len(counts), counts) for w in (1 / 16, 1 / 4, 1, 4, 16))


def shrunk_rows(weight, counts):
    """Log evidence of rows that shrink towards the margin of all larger rows."""
    r, total = len(counts[0]), 0.0
    for row in counts:
        larger = [other for other in counts if sum(other) > sum(row)]
        margin = [1 / r + sum(other[k] for other in larger) for k in range(r)]
        prior = [weight * m / sum(margin) for m in margin]
        total += math.lgamma(weight) - math.lgamma(weight + sum(row))
        total += sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(prior, row, strict=True))
    return total


def mixed_score(child, r, parents, cards):
    """Log average of the five ways in which a child may depend on its parents."""
    counts = family_counts(child, r, parents, cards)
    one_weight = [sum(dirichlet(4.0**e / r, row) for row in counts) for e in range(-4, 3)]
    if len(counts) == 1:
        one_weight.append(-len(child) * math.log(r))
    ways = [
        log_mean(one_weight),
        sum(own_row(row) for row in counts),
        log_mean(shrunk_rows(w, counts) for w in (0.5, 2, 8)),
    ]
    trees = [
        tree_score(lambda row, w=w: dirichlet(w / r, row), child, r, parents, cards)
        for w in (1 / 256, 1 / 8, 2)
    ]
    if len(cards) > 1 and trees[0] is not None:
        ways += [log_mean(trees), tree_score(own_row, child, r, parents, cards)]
    return log_mean(ways)


def trees(rows, left, leaf, cards, least):
    """(probability, parents asked, score) of every decision tree for these rows.

    A row is the child's state and those of all parents; `left` are the parents left to ask. A
    node stops with probability one half, or for certain if it has fewer rows than `least`; `leaf`
    scores the child's states there.
    """
    score = leaf([child for child, _ in rows])
    if not left or len(rows) < least:
        yield 1.0, frozenset(), score
        return
    yield 0.5, frozenset(), score
    for p in left:
        below = (left - {p}, leaf, cards, least)
        branches = [list(trees([x for x in rows if x[1][p] == k], *below)) for k in range(cards[p])]
        for chosen in itertools.product(*branches):
            chance, asked, scores = zip(*chosen, strict=True)
            probability = 0.5 / len(left) * math.prod(chance)
            yield probability, frozenset({p}).union(*asked), sum(scores)


def tree_score(evidence, child, r, parents, cards):
    """Log average of the trees that ask every parent, by listing them all; None without any.

    `evidence` gives that of a leaf from the counts of the child's states.
    """
    everyone = frozenset(range(len(cards)))
    rows = list(zip(child, zip(*parents, strict=True), strict=True)) if parents else []

    def leaf(states):
        return evidence([states.count(k) for k in range(r)])

    whole = [
        (math.log(p), score)
        for p, asked, score in trees(rows, everyone, leaf, cards, math.sqrt(len(rows)))
        if asked == everyone
    ]
    if not whole or log_sum(p for p, _ in whole) < math.log(1e-6):
        return None
    return log_sum(p + score for p, score in whole) - log_sum(p for p, _ in whole)


def log_prior(prior, density, n, k):
    """Log prior of a family with k parents among n variables."""
    if prior == "density":
        return k * math.log(density / (1 - density)) + (n - 1) / 2 * math.log(1 - density)
    if prior == "sizes":
        half = min(k, (n - 1) // 2)
        return -math.log(math.comb(n - 1, half)) - (k - half) * math.log(n - 1)
    return 0.0


def leaning(kind, columns, cards, u, v):
    """Half of the gain of v -> u minus that of u -> v, without other parents."""
    if kind != "mixed":
        return 0.0

    def gain(a, b):
        alone = mixed_score(columns[b], cards[b], [], [])
        return mixed_score(columns[b], cards[b], [columns[a]], [cards[a]]) - alone

    return (gain(v, u) - gain(u, v)) / 2


def families(kind, ess, columns, cards, max_parents=None, prior="sizes", density=None):
    """{parents: score} of every variable over all parent sets, with their prior.

    Sets with more free parameters than rows are left out.
    """
    n = len(columns)
    most = n - 1 if max_parents is None else max_parents
    found = []
    for v in range(n):
        family = {}
        for k in range(most + 1):
            for chosen in itertools.combinations([u for u in range(n) if u != v], k):
                above, sizes = [columns[u] for u in chosen], [cards[u] for u in chosen]
                if k and math.prod(sizes) * (cards[v] - 1) > len(columns[v]):
                    continue
                score = family_score(kind, ess, columns[v], cards[v], above, sizes)
                score += sum(leaning(kind, columns, cards, u, v) for u in chosen)
                family[frozenset(chosen)] = score + log_prior(prior, density, n, k)
        found.append(family)
    return found


def undominated(family, margin):
    """The listed sets without a proper subset that is better by more than the margin."""
    return {
        members
        for members, score in family.items()
        if all(score + margin >= other for below, other in family.items() if below < members)
    }


def sum_over_allowed(family, n):
    """Log sums of the sets that are equal without the members n and above."""
    sums = {}
    for members, score in family.items():
        rest = frozenset(u for u in members if u < n)
        sums[rest] = sums.get(rest, 0.0) + math.exp(score)
    return {rest: math.log(total) for rest, total in sums.items()}


def further_parents(sets, score, others, delta, tried=4):
    """Variables beside which one of the good sets has a higher score than the best set.

    Good are the best set, and the next ``tried`` ones without one of its members.
    """
    ranked = sorted(sets, key=lambda own: -sets[own])
    best = sets[ranked[0]]
    good = [ranked[0]]
    for u in ranked[0]:
        near = [own for own in ranked if sets[own] >= best - delta and len(own) >= 2]
        good += [own for own in near if u not in own][:tried]
    large = [own for own in good if len(own) >= 2]
    return {u for own in large for u in others - own if score(own | {u}) > best}
