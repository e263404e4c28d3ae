"""Compare constructions of the second-order partition: ``python experiments/second_order.py``.

Writes ``second_order.md`` and ``second_order.csv`` beside this file. No learned structure is
used: constructions are compared by coverage, size, and distances on the true skeleton.
"""

import argparse
import csv
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from lsbn.files import atomic_file
from lsbn.network import load_network
from lsbn.partition import elbow, link_communities, ropart, second_order_partition
from lsbn.partition.second_order import SecondOrderNetwork, membership
from lsbn.studies.partition import measure, shuffled_sample, skeleton_distances
from lsbn.studies.published import NETWORKS, PARTITIONS, ROWS, SECOND_ORDER

HERE = Path(__file__).parent
SEEDS = (0, 1, 2)
Communities = list[np.ndarray]


@dataclass(frozen=True, eq=False)
class Case:
    """One sampled table: its seven partitions and all statistics of co-occurring pairs."""

    network: str
    seed: int
    n: int
    true_edges: np.ndarray
    distances: np.ndarray
    partitions: dict[str, Communities]
    pairs: np.ndarray
    scores: dict[str, np.ndarray]


def make_case(network: str, seed: int) -> Case:
    """Sample a network and partition it under every weight function."""
    dataset, true_edges = shuffled_sample(load_network(network), ROWS, seed)
    partitions = ropart(dataset, false_discoveries=None).by_weight
    n = dataset.n_variables
    pairs, scores = co_occurrence(list(partitions.values()), n)
    distances = skeleton_distances(n, true_edges)
    return Case(network, seed, n, true_edges, distances, partitions, pairs, scores)


def co_occurrence(partitions: list[Communities], n: int) -> tuple[np.ndarray, dict]:
    """Return every normalisation that was tried, computed by plain sparse products."""
    agreement = sparse.csr_array((n, n))
    within = sparse.csr_array((n, n))
    for partition in partitions:
        product = co_members([partition], n)
        per_node = product.diagonal()
        shares = product.tocoo()
        probability = shares.data * (1 / per_node[shares.row] + 1 / per_node[shares.col]) / 2
        within = within + sparse.csr_array((probability, (shares.row, shares.col)), shape=(n, n))
        agreement = agreement + sparse.csr_array(product > 0, dtype=float)
    matrix = membership(partitions, n).astype(float)
    sizes = np.diff(matrix.indptr)
    newman = (matrix * (1.0 / np.maximum(sizes - 1, 1))) @ matrix.T
    counts = co_members(partitions, n)
    often = counts.diagonal()
    upper = sparse.triu(counts, 1).tocoo()
    i, j, k = upper.row, upper.col, upper.data

    def at(table: sparse.csr_array) -> np.ndarray:
        return np.asarray(table.tocsr()[i, j]).ravel()

    scores = {
        "agreement": at(agreement) / len(partitions),
        "PSM mean": (k / often[i] + k / often[j]) / 2,
        "PSM min": k / np.maximum(often[i], often[j]),
        "PSM max": k / np.minimum(often[i], often[j]),
        "PSM per partition": at(within) / len(partitions),
        "Jaccard": k / (often[i] + often[j] - k),
        "lift": at(newman) * (n - 1) / len(partitions),
    }
    return np.column_stack([i, j]), scores


def co_members(partitions: list[Communities], n: int) -> sparse.csr_array:
    """Multiply B by its transpose: the number of common communities of every pair."""
    matrix = membership(partitions, n).astype(float)
    return (matrix @ matrix.T).tocsr()


def thresholded(case: Case, score: str, threshold: float | None) -> np.ndarray:
    """Mark the pairs at or above a threshold, or above the elbow if there is none."""
    values = case.scores[score]
    if threshold is None:
        return values > elbow(*np.histogram(values, 100))
    return values >= threshold - 1e-9


def agreed(case: Case, least: float, lift: float) -> np.ndarray:
    """Mark the pairs with enough agreement that also have enough lift or are unanimous."""
    agreement = case.scores["agreement"]
    heavy = (case.scores["lift"] >= lift) | (agreement >= 1 - 1e-9)
    return (agreement >= least - 1e-9) & heavy


def partitioned(
    case: Case, keep: np.ndarray, weight: str | None = None, max_size: int | None = None
) -> Communities:
    """Partition the marked pairs once; with `max_size`, partition large communities again."""
    edges = case.pairs[keep]
    if max_size is not None:
        agreement = np.rint(7 * case.scores["agreement"][keep]).astype(int)
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        network = SecondOrderNetwork(
            case.n, 7, edges[order], agreement[order], case.scores["lift"][keep][order]
        )
        return second_order_partition(network, max_size=max_size)
    weights = None if weight is None else case.scores[weight][keep]
    return link_communities(case.n, edges, weights).communities


def without_contained(communities: Communities, n: int) -> Communities:
    """Drop communities that lie wholly inside another."""
    holders: list[set[int]] = [set() for _ in range(n)]
    kept: Communities = []
    distinct = {tuple(c.tolist()) for c in communities}
    for c in sorted(distinct, key=lambda c: (-len(c), c)):
        if not set.intersection(*(holders[v] for v in c)):
            for v in c:
                holders[v].add(len(kept))
            kept.append(np.array(c))
    return kept


def constructions() -> Iterator[tuple[str, str, Callable[[Case], Communities]]]:
    """Yield (group, name, function) of everything compared."""
    group = "normalisation, one threshold, LinkComm weighted by the same score"
    normalisations = ["agreement", "PSM mean", "PSM min", "PSM max", "PSM per partition", "Jaccard"]
    for score in normalisations:
        for t in (None, 0.25, 3 / 7, 4 / 7):
            name = f"{score} " + ("> elbow" if t is None else f">= {t:.2f}")
            yield group, name, lambda c, s=score, t=t: partitioned(c, thresholded(c, s, t), s)
    yield group, "all pairs that co-occur", lambda c: partitioned(c, agreed(c, 0, 0), "agreement")
    group = "lift alone, LinkComm unweighted"
    for lift in (1, 2, 2.5, 3, 5):
        yield group, f"lift >= {lift}", lambda c, x=lift: partitioned(c, thresholded(c, "lift", x))
    group = "agreement >= 3/7 and lift (or unanimity)"
    for lift in (2, 2.5, 3):
        name = f"lift >= {lift}"
        yield group, f"{name}, unweighted", lambda c, x=lift: partitioned(c, agreed(c, 3 / 7, x))
        for weight in ("agreement", "lift", "Jaccard"):
            yield (
                group,
                f"{name}, weighted by {weight}",
                lambda c, x=lift, w=weight: partitioned(c, agreed(c, 3 / 7, x), w),
            )
    group = "agreement and lift, unweighted, large communities partitioned again"
    for least in (3, 4):
        for lift in (2, 2.5, 3, 3.5):
            for size in (15, 25, 50):
                yield (
                    group,
                    f"agreement >= {least}/7, lift >= {lift}, size {size}",
                    lambda c, a=least / 7, x=lift, s=size: partitioned(
                        c, agreed(c, a, x), max_size=s
                    ),
                )
    yield (
        group,
        "agreement >= 3/7, lift >= 2.5, size 50, contained ones dropped",
        lambda c: without_contained(partitioned(c, agreed(c, 3 / 7, 2.5), max_size=50), c.n),
    )


CHOSEN = "agreement >= 3/7, lift >= 2.5, size 50"


def compare(cases: list[Case], construct: Callable[[Case], Communities]) -> dict[str, dict]:
    """Figures of one construction for every network, means over the seeds."""
    found: dict[str, dict] = {}
    for network in NETWORKS:
        own, rest = [], []
        for case in (c for c in cases if c.network == network):
            args = (case.distances, case.true_edges)
            parts = {**case.partitions, SECOND_ORDER: construct(case)}
            figures = {p: measure(network, case.seed, p, 0.0, parts[p], *args) for p in PARTITIONS}
            own.append(figures[SECOND_ORDER])
            rest.append(figures)
        row = {
            name: statistics.fmean(getattr(f, name) for f in own)
            for name in ("path", "diameter", "communities", "mean_size", "largest")
        }
        row["small"] = statistics.fmean(f.small / f.communities for f in own)
        means = {
            name: {p: statistics.fmean(getattr(r[p], name) for r in rest) for p in PARTITIONS}
            for name in ("path", "diameter", "covered")
        }
        weights = PARTITIONS[:-1]
        row["coverage"] = means["covered"][SECOND_ORDER] / own[0].edges
        row["median"] = statistics.median(means["covered"][w] for w in weights) / own[0].edges
        row["seeds_below"] = sum(
            r[SECOND_ORDER].covered < statistics.median(r[w].covered for w in weights) for r in rest
        )
        for name in ("path", "diameter"):
            best = means[name][SECOND_ORDER]
            row[f"{name}_rank"] = 1 + sum(means[name][w] < best - 1e-12 for w in weights)
        found[network] = row
    return found


def summary(name: str, rows: dict[str, dict]) -> str:
    """Condense a construction into a row of the table."""
    margin = min(r["coverage"] - r["median"] for r in rows.values() if r["coverage"] < 1)
    small = min(r["small"] for r in rows.values())
    ranks = [statistics.fmean(r[f"{k}_rank"] for r in rows.values()) for k in ("path", "diameter")]
    good = margin > -1e-9 and small >= 0.92
    cells = [
        f"**{name}**" if name == CHOSEN else name,
        "yes" if good else "",
        f"{100 * margin:+.1f}",
        str(sum(r["seeds_below"] for r in rows.values())),
        f"{100 * small:.1f}",
        *(f"{x:.1f}" for x in ranks),
        *(f"{100 * r['coverage']:.1f}; {r['mean_size']:.1f}" for r in rows.values()),
    ]
    return "| " + " | ".join(cells) + " |"


PREFACE = """# How the second-order partition was chosen

Written by `python experiments/second_order.py`: {rows:,} rows of each network, seeds {seeds},
columns shuffled, means over the seeds. No learned structure was used.

The columns of the tables:

- *fits*: whether the construction meets two requirements on every network. Its coverage of true
  edges is at least the median of the partitions of the seven weight functions, and at least 92 % of
  its communities have 25 variables or fewer.
- *margin*: coverage minus that median, in percent; the smallest value over the networks that are
  not covered completely.
- *below*: the number of tables, out of 15, in which the coverage is below the median.
- *small*: communities of 25 variables or fewer, in percent; the smallest value over the networks.
- *path*, *diam*: mean rank of the average shortest path and of the diameter among the eight
  partitions. Communities of one variable have no distances and are left out.
- networks: coverage in percent, and mean size of the communities.
"""

CONCLUSION = """
## The choice, and why

**A pair is kept if at least three of the seven partitions agree on it and its lift is at least 2.5,
or if all seven agree. LinkComm is unweighted. Communities of more than 50 variables are partitioned
again. Of the single links that this leaves over, only those with the agreement of all seven are
kept.**

- The probabilities in PSM(u), in every variant, are too small for hubs: the count of a pair is
  divided by the number of communities of its endpoints. In pigs and win95pts, true edges then get
  smaller values than unrelated pairs.
- Agreement alone has only seven levels and cannot distinguish a community of 3 variables from one
  of 200. Lift can.
- Weights in the second LinkComm do not help: the two thresholds already use their information.
- Partitioning large communities again increases the share of small communities. With a size of 25
  instead of 50 this share is still higher, but more true edges of link are lost among the left-over
  links.
- Dropping communities that lie inside others loses no edge, but the ranks are worse, because small
  communities disappear.

### How far to trust the choice

Besides the rows above, some hundreds of variants (local thresholds, other powers of the size, other
rules for dividing large communities) were tried on seeds 0 to 2 and not kept. So the chosen row was
selected from many, and its ranks on these seeds are too good. Six finalists (lift 2.5, 2.75 and 3,
size 25 and 50) were also compared on seeds 3 to 6. Lift 3 with size 50 had the best ranks on both
sets of seeds (2.6 and 4.0 above, 3.2 and 4.4 on seeds 3 to 6) and was chosen first. But on seeds 7
to 9 its coverage of insurance was 76.3 %, below the median of 78.2 %. Therefore lift 2.5 replaced
it, because its coverage had a larger margin. Seeds 10 to 14 were used only once, after this choice:

| seeds 10 to 14 | insurance | alarm | win95pts | pigs | link | mean |
|---|---|---|---|---|---|---|
| coverage, percent | 78.5 | 96.1 | 89.1 | 100.0 | 75.6 | |
| median of the seven | 76.9 | 93.9 | 86.2 | 100.0 | 74.2 | |
| communities of 25 variables or fewer, percent, smallest value | 100 | 100 | 100 | 96.4 | 92.2 | |
| rank by path | 4 | 5 | 3 | 1 | 6 | 3.8 |
| rank by diameter | 5 | 5 | 4 | 6 | 6 | 5.2 |

So both requirements hold on tables that were not used for the choice. The ranks are worse than on
the tables that were used (3.0 and 4.6). **The paper's ranks, 2.4 and 2.0, are not reached.**

The strength of the second-order partition is coverage: it is above the median on every network that
is not covered completely. Of the seven weight functions, only MI_sqrt is never below this median
(seeds 0 to 2). Its mean ranks are 5.4 by path and 4.6 by diameter, against 3.0 and 4.6 of the
second-order partition. Path and diameter favour partitions that cut edges, as MI does on win95pts
and link, and MI_plus on alarm. Among the partitions that contain at least as many true edges, the
ranks of the second-order partition on seeds 10 to 14 are 1 of 3, 2 of 3, 1 of 3, 1 of 8 and 3 of 3
by path, and 2, 2, 1, 6 and 3 by diameter. So it is no better than the others on link, and its
communities on pigs have longer diameters.
"""


def main() -> None:
    """Compare all constructions and write the report."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    cases = [make_case(network, seed) for network in NETWORKS for seed in SEEDS]
    lines = [PREFACE.format(rows=ROWS, seeds=", ".join(map(str, SEEDS)))]
    header = ["construction", "fits", "margin", "below", "small", "path", "diam", *NETWORKS]
    table, last = [], ""
    for group, name, construct in constructions():
        rows = compare(cases, construct)
        if group != last:
            lines += [f"\n## {group[0].upper()}{group[1:]}\n", "| " + " | ".join(header) + " |"]
            lines.append("|" + "---|" * len(header))
            last = group
        lines.append(summary(name, rows))
        print(lines[-1], flush=True)
        table += [{"group": group, "construction": name, "network": n, **rows[n]} for n in NETWORKS]
    with atomic_file(HERE / "second_order.md") as draft:
        draft.write_text("\n".join(lines) + "\n" + CONCLUSION, encoding="utf-8")
    with atomic_file(HERE / "second_order.csv") as draft, draft.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(
            {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()} for row in table
        )


if __name__ == "__main__":
    main()
