"""What each part of LSBN is worth: one table for each, with what we learned from it.

Writes ``ablations.md`` beside this file. Cells are the mean F of the skeleton over the seeds, in
percent, and the mean seconds of processor time, which other work on the machine hardly changes.
Columns of the sampled tables are shuffled unless named. With ``--tables`` only some are measured,
or none, and the figures of the others stay as they were written.

    python experiments/ablations.py [--networks alarm insurance win95pts] [--seeds 221 222 223]
        [--rows 20000] [--jobs 2] [--tables weights blankets ...] [--output FILE]
"""

import argparse
import re
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

import networkx as nx
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.estimator import LSBN
from lsbn.files import atomic_file
from lsbn.learners import LEARNERS
from lsbn.metrics import compare
from lsbn.network import load_network
from lsbn.partition import WEIGHTS
from lsbn.studies.partition import shuffled_sample
from lsbn.studies.tabular import Table
from parts.ablated_models import SAMPLING, CutBlankets, Globally, NoBlankets, Sampled

FEW_ROWS = 1_000
SIZES = {"2 to 4": range(2, 5), "5 to 7": range(5, 8), "8 to 10": range(8, 11)}
Rows = list[list[str]]
FINDINGS = {
    "weights": """\
After the comma: percentage of true edges inside a community, and number of communities. One
function gives both the partition and the candidates for blankets. No function is best on every
network. All seven together are best on insurance and worst on win95pts. The means over the three
networks lie between 87.1 (MI) and 88.4 (MI_pr); all seven together have 88.1. It is not enough that
communities contain the true edges: with the Pearson weights they contain most true edges of
win95pts, but F is low there.""",
    "blankets": """\
"Cut" keeps only the part of a blanket that is inside the community. "None" has no blankets and
learns each variable with random members of its community. LSBN.paper() needs blankets most on
insurance, whose communities contain the fewest true edges. Blankets help on alarm. On win95pts the
result is as good without them. The last pass of ARACNE depends on blankets. The last pass of MMHC
gains on two networks and loses a little on the third. Model averaging does not search for blankets
on networks of this size.""",
    "votes": """\
Weighting votes by blankets helps on alarm if Mergence gives the final result. It makes hardly any
difference on the other networks, or after a last pass of MMHC.""",
    "triplets": """\
Learning triplet conflicts again improves LSBN.paper() on every network, most on win95pts, and costs
a fraction of a second. After a last pass of MMHC, only win95pts gains.""",
    "last-pass": """\
The last pass improves every learner on every network. With it, PC is equal to the global learner,
greedy and MMHC are one or two points above or below it, and ARACNE is far above it. On networks of
this size, the last pass of model averaging is the global learner with other random numbers and
with folded copies of columns. So LSBN adds communities here, but no F.""",
    "copies": """\
Only win95pts has such columns, three of them. PC treats copies alike. With folding, its F depends
on the order of the columns: F is higher in the order of the file, where causes come first, and
lower in these shuffled tables. Model averaging and greedy search have to choose one of the copies:
without folding by chance, with folding by the order of the columns. On average over both orders,
folding raises F of model averaging by 3 points, but lowers F of greedy search by 0.8 points (92.6
without, 89.4 and 94.2 with folding). The result no longer depends on chance. Therefore copies are
folded for all learners except PC and ARACNE. These figures are older than the present rule: of
equal columns, the first one by name now has the edges, for any order of the columns.""",
    "score": """\
F did not choose the score: the mixed score was chosen by evidence, by unseen rows and by the
absence of edges in noise. It is best with 20,000 rows, and on insurance. With 1,000 rows of alarm
or win95pts, BDeu is as good or a little better.""",
    "caps": """\
The limit on the size of communities changes nothing on alarm and insurance, and almost nothing on
win95pts. The limit on sub-communities matters: F increases with it, up to the largest or nearly the
largest limit that we tried, while seconds increase slowly. The default is a compromise. A larger
limit is a good choice if there is time.""",
    "sampling": """\
*Apart* is the mean absolute difference between exact and sampled edge probabilities of the same
sub-communities; in brackets are the milliseconds of the exact sum and of sampling. At these sizes
the exact sum is many times faster than even short chains, and has no error. Sampling gives the same
F on alarm, 0.3 points less on insurance, and 0.9 points less on win95pts, where the probabilities
of the larger sub-communities differ most.""",
}
"""What the figures of the default run say."""


@dataclass(frozen=True)
class Outcome:
    """F in percent, seconds, and percentage of the true edges inside one of the communities."""

    f_score: float
    seconds: float
    covered: float
    communities: int


@dataclass(frozen=True)
class Setting:
    """What is sampled, and how many workers learn."""

    networks: tuple[str, ...]
    seeds: tuple[int, ...]
    rows: int
    jobs: int
    shuffled: bool = True

    def outcomes(self, model: LSBN, network: str, rows: int | None = None) -> list[Outcome]:
        """Learn the tables of a network, one for each seed."""
        way = (type(model), tuple(model.get_params().items()))
        where = (network, rows or self.rows, self.shuffled)
        return [_outcome(way, *where, s, self.jobs) for s in self.seeds]

    def line(self, name: str, model: LSBN, rows: int | None = None) -> list[str]:
        """Give a row of a table: F and seconds for each network."""
        cells = [name]
        for network in self.networks:
            found = self.outcomes(model, network, rows)
            spent = fmean(o.seconds for o in found)
            cells.append(f"{fmean(o.f_score for o in found):.1f} ({spent:.1f} s)")
        print(" | ".join(cells), flush=True)
        return cells

    def lines(self, models: Mapping[str, LSBN], rows: int | None = None) -> list[list[str]]:
        """Give a row for each model."""
        return [self.line(name, model, rows) for name, model in models.items()]


@cache
def sample(network: str, rows: int, shuffled: bool, seed: int) -> tuple[Dataset, nx.DiGraph]:
    """Sample a network, columns in random order or in that of its file."""
    net = load_network(network)
    if shuffled:
        return shuffled_sample(net, rows, seed)[0], net.dag
    return Dataset.from_table(net.sample(rows, random_state=seed)), net.dag


@cache
def _outcome(way: tuple, network: str, rows: int, shuffled: bool, seed: int, jobs: int) -> Outcome:
    """Learn one table; what several tables of the page show is learned once."""
    dataset, truth = sample(network, rows, shuffled, seed)
    model = way[0](**dict(way[1])).set_params(random_state=seed, n_jobs=jobs)
    begin = time.process_time()
    model.fit(dataset)
    seconds = time.process_time() - begin
    sets = [set(community) for community in model.communities_]
    inside = [any({u, v} <= members for members in sets) for u, v in truth.edges]
    return Outcome(compare(model.dag_, truth).f_score, seconds, 100 * fmean(inside), len(sets))


# The tables


def weights(setting: Setting) -> Rows:
    """Each weight function alone against the second-order partition of all."""
    models = {w: LSBN.paper(weights=(w,)) for w in WEIGHTS}
    models["all seven: LSBN.paper()"] = LSBN.paper()
    rows = setting.lines(models)
    for row, model in zip(rows, models.values(), strict=True):
        for place, network in enumerate(setting.networks, 1):
            found = setting.outcomes(model, network)
            covered, count = fmean(o.covered for o in found), fmean(o.communities for o in found)
            row[place] += f", {covered:.0f} % in {count:.0f}"
    return rows


def blankets(setting: Setting) -> Rows:
    """With and without Markov blankets."""
    kinds = {"blankets": LSBN, "cut at the community": CutBlankets, "none": NoBlankets}
    models = {f"LSBN.paper(), {name}": kind.paper() for name, kind in kinds.items()}
    for learner in ("mmhc", "aracne"):
        for name, kind in kinds.items():
            models[f"LSBN(), {learner}, {name}"] = kind(learner=learner)
    return setting.lines(models)


def votes(setting: Setting) -> Rows:
    """Votes all alike or weighed."""
    return setting.lines(_two_ways("weigh_votes", "all alike", "weighed"))


def triplets(setting: Setting) -> Rows:
    """Triplet conflicts learned again or not."""
    return setting.lines(_two_ways("resolve_conflicts", "left", "learned again"))


def _two_ways(parameter: str, off: str, on: str) -> dict[str, LSBN]:
    """Turn a parameter off and on, without the last pass and with it."""
    models: dict[str, LSBN] = {}
    for value, name in ((False, off), (True, on)):
        models[f"LSBN.paper(), {name}"] = LSBN.paper(**{parameter: value})
    for value, name in ((False, off), (True, on)):
        models[f"LSBN(), mmhc, {name}"] = LSBN(learner="mmhc", **{parameter: value})
    return models


def last_pass(setting: Setting) -> Rows:
    """LSBN without and with the last pass, beside the learner run globally."""
    models: dict[str, LSBN] = {}
    for name in LEARNERS:
        models |= {
            f"{name}, LSBN without last pass": LSBN(learner=name, last_pass=False),
            f"{name}, LSBN": LSBN(learner=name),
            f"{name}, global": Globally(learner=name),
        }
    return setting.lines(models)


def score(setting: Setting) -> Rows:
    """Each score of families, on few rows and on many."""
    kinds = {"BDeu": "bdeu", "BIC": "bic", "K2": "k2"}
    models = {"mixed (default)": LSBN()}
    models |= {name: LSBN(score=kind) for name, kind in kinds.items()}
    lines = []
    for rows in (FEW_ROWS, setting.rows):
        named = {f"{name}, {rows:,} rows": model for name, model in models.items()}
        lines += setting.lines(named, rows)
    return lines


def copies(setting: Setting) -> Rows:
    """Columns that repeat another learned as they are or folded, in both orders of the columns."""
    lines = []
    for shuffled, order in ((True, "shuffled"), (False, "file's order")):
        for learner in ("model-averaging", "pc", "greedy"):
            models = {
                f"{learner}, as they are, {order}": LSBN(learner=learner, fold_copies=False),
                f"{learner}, folded, {order}": LSBN(learner=learner, fold_copies=True),
            }
            lines += replace(setting, shuffled=shuffled).lines(models)
    return lines


def caps(setting: Setting) -> Rows:
    """Bounds on communities and on sub-communities."""
    models = {f"max_community={m}": LSBN.paper(max_community=m) for m in (10, 20, 50, 100)}
    models |= {f"max_size={m}": LSBN.paper(max_size=m) for m in (4, 6, 8, 10, 12, 14)}
    return setting.lines(models)


def sampling(setting: Setting) -> Rows:
    """Exact against sampled inside sub-communities, then both on the same ones by their size."""
    draws = SAMPLING.exhaustive().most_steps
    rows = [setting.line("exact: LSBN.paper()", LSBN.paper())]
    rows.append([f"sampled, chains of {draws:,} draws at most"])
    rows += [[f"apart, {name} variables"] for name in SIZES]
    for network in setting.networks:
        sampled = Sampled()
        alone = replace(setting, networks=(network,))
        rows[1].append(alone.line("sampled", LSBN.paper(learner=sampled))[1])
        for row, sizes in zip(rows[2:], SIZES.values(), strict=True):
            found = np.array([line[1:] for line in sampled.found if line[0] in sizes])
            drawn, exact, apart = found.mean(axis=0) if len(found) else [np.nan] * 3
            row.append(f"{apart:.4f} ({1e3 * exact:.1f}, {1e3 * drawn:.0f} ms)")
    return rows


TABLES: dict[str, tuple[str, Callable[[Setting], Rows]]] = {
    "weights": ("Weight functions alone, LSBN.paper()", weights),
    "blankets": ("Markov blankets", blankets),
    "votes": ("Votes", votes),
    "triplets": ("Triplet conflicts", triplets),
    "last-pass": ("Last pass", last_pass),
    "copies": ("Columns that repeat another, LSBN()", copies),
    "score": ("The score, LSBN()", score),
    "caps": ("Size caps, LSBN.paper()", caps),
    "sampling": ("Exact and sampled model averaging, LSBN.paper()", sampling),
}
"""Titles, and what gives the rows."""


# The page


def section(name: str, setting: Setting) -> str:
    """Measure one table and lay it out."""
    title, measure = TABLES[name]
    seeds = ", ".join(map(str, setting.seeds))
    under = f"*{setting.rows:,} rows unless named, seeds {seeds}, {setting.jobs} jobs*"
    return Table(name, title, ["", *setting.networks], measure(setting), under).markdown()


def write(page: Path, measured: Mapping[str, str]) -> None:
    """Write new sections, old ones as far as their figures go, and what we learned."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    sections = [measured[name] for name in measured] + re.findall(r"^## .*?\*$", old, re.M | re.S)
    by_title = {text.partition("\n")[0]: text.strip() for text in reversed(sections)}
    parts = [
        "# Ablations",
        "Mean F of the skeleton in percent, with the mean seconds of processor time in brackets.\n"
        "Columns are shuffled. Written by `python experiments/ablations.py`. An option measures\n"
        "one table again, for example `--tables votes`.",
    ]
    for name, (title, _) in TABLES.items():
        if found := by_title.get(f"## {title}"):
            parts += [found, FINDINGS.get(name, "")]
    with atomic_file(page) as draft:
        draft.write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[221, 222, 223])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tables", nargs="*", choices=TABLES, default=list(TABLES))
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    setting = Setting(tuple(chosen.networks), tuple(chosen.seeds), chosen.rows, chosen.jobs)
    for learner in LEARNERS:  # compiled code is loaded before any clock runs
        LSBN(learner=learner, random_state=0).fit(sample("alarm", FEW_ROWS, True, 0)[0])
    write(chosen.output, {})
    for name in chosen.tables:
        write(chosen.output, {name: section(name, setting)})


if __name__ == "__main__":
    main()
