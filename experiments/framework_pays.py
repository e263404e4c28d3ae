"""What communities are good for above 1,024 variables.

Copies of alarm, joined by a few edges, are learned in these ways:

- *communities*: `LSBN()`;
- *partners*: the same last pass without communities. Candidates are the 16 heaviest partners of a
  variable by mutual information, and the parts are pieces of the shuffled columns;
- *at once*: candidates as before, in one search of all variables;
- *all variables*: one search of all variables, among all variables.

CPU seconds include the pass over all pairs.

    python experiments/framework_pays.py [--copies 50] [--rows 2000] [--seed 0] [--ways NAME,NAME]
"""

import argparse
import warnings
from collections.abc import Callable
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, Dataset, EdgeProbabilities
from lsbn.learners import Candidates
from lsbn.learners.averaging import SearchSettings, learn_model_averaging
from lsbn.metrics import compare
from lsbn.network import load_network
from lsbn.network.generators import tile
from lsbn.pairs import PairStatistics
from lsbn.studies.cells import shuffled_table
from parts.command_line import chosen, words

PARTNERS = 16
PART = 512

Result = tuple[EdgeProbabilities, float | None]
"""Edge probabilities and the log score."""


def main() -> None:
    """Learn the table in every way and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", type=words, default=[])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    seed = arguments.seed
    network = tile(load_network("alarm"), arguments.copies, links=2, random_state=seed)
    dataset = Dataset.from_table(shuffled_table(network, arguments.rows, seed))
    LSBN(random_state=0).fit(dataset.select(range(40)))  # compile before the first timing
    print("| | CPU seconds | F, percent | log score |\n|---|---|---|---|")
    for name, learn in chosen(WAYS, arguments.ways).items():
        begin = process_time()
        edges, log_score = learn(dataset, seed)
        seconds = process_time() - begin
        quality = compare(edges.dag(), network.dag)
        print(f"| {name} | {seconds:.0f} | {quality.f_score:.1f} | {log_score:,.0f} |", flush=True)


def with_communities(dataset: Dataset, seed: int) -> Result:
    """Learn by the framework."""
    model = LSBN(random_state=seed).fit(dataset)
    return model.edges_, model.diagnostics_.log_score


def partners_in_parts(dataset: Dataset, seed: int) -> Result:
    """Learn among the heaviest partners, in parts by chance."""
    n = dataset.n_variables
    pieces = -(-n // PART)
    return among(dataset, seed, partners(dataset, np.array_split(np.arange(n), pieces)))


def partners_at_once(dataset: Dataset, seed: int) -> Result:
    """Learn among the heaviest partners, in one search."""
    return among(dataset, seed, partners(dataset, []))


def all_variables(dataset: Dataset, seed: int) -> Result:
    """Learn among all variables, in one search."""
    return among(dataset, seed, None, SearchSettings(max_unrestricted=dataset.n_variables))


def partners(dataset: Dataset, parts: list[np.ndarray]) -> Candidates:
    """Return the heaviest partners of each variable, in both directions."""
    n = dataset.n_variables
    near: list[set[int]] = [set() for _ in range(n)]
    for v, heaviest in enumerate(PairStatistics(dataset).heaviest(["MI"], most=PARTNERS)):
        for u in heaviest.tolist():
            near[u].add(v)
            near[v].add(u)
    pools = [np.array(sorted(own), np.int64) for own in near]
    nothing = np.empty(0, np.int64)
    return Candidates(pools, [nothing] * n, np.empty((0, 2), np.int64), parts)


def among(
    dataset: Dataset,
    seed: int,
    candidates: Candidates | None,
    search: SearchSettings | None = None,
) -> Result:
    """Run the learner of the last pass."""
    learned = learn_model_averaging(
        dataset, candidates=candidates, search=search, random_state=np.random.default_rng(seed)
    )
    return learned.edges, learned.diagnostics.log_score


WAYS: dict[str, Callable[[Dataset, int], Result]] = {
    "communities": with_communities,
    "partners": partners_in_parts,
    "at once": partners_at_once,
    "all variables": all_variables,
}

if __name__ == "__main__":
    main()
