"""``python -m benchmarks.peers [averaging | greedy | pc]``: our learners against other packages.

averaging
    Posterior probabilities of all edges by `learn_model_averaging`, against one graph by pyAgrum's
    greedy hill climbing, on pigs.
greedy
    `learn_greedy` against pyAgrum's greedy hill climbing (BDeu) on win95pts and pigs.
pc
    `learn_pc` against causal-learn's PC (G2, level 0.05) on win95pts.

Tables have 20,000 rows and shuffled columns. Each of our learners first runs on a small table, so
that its kernels are compiled. Times are processor seconds on one thread. With several threads,
pyAgrum's waiting threads would use processor time and multiply its seconds. The other packages are
needed for this benchmark only: ``pip install lsbn[peers]``.
"""

import argparse
import time
from collections.abc import Callable

import networkx as nx
import numpy as np
import pandas as pd

from lsbn.data import Dataset
from lsbn.learners import learn_model_averaging
from lsbn.learners.greedy import learn_greedy
from lsbn.learners.pc import learn_pc
from lsbn.metrics import compare
from lsbn.network import load_network
from lsbn.studies.peers import pyagrum_learner

ROWS = 20_000


def main() -> None:
    """Run the comparisons that the command line names, by default all of them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", choices=["averaging", "greedy", "pc"])
    parser.add_argument("--networks", nargs="+", default=None)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warm = shuffled_table("alarm", 0, 500)
    if arguments.name in (None, "pc"):
        ours_pc(warm)
        for network in arguments.networks or ["win95pts"]:
            report("PC", "causal-learn", network, arguments.seed, ours_pc, causal_learn_pc)
    if arguments.name in (None, "averaging"):
        ours_averaging(warm)
        for network in arguments.networks or ["pigs"]:
            report("averaging", "pyAgrum", network, arguments.seed, ours_averaging, pyagrum_greedy)
    if arguments.name in (None, "greedy"):
        ours_greedy(warm)
        for network in arguments.networks or ["win95pts", "pigs"]:
            report("greedy", "pyAgrum", network, arguments.seed, ours_greedy, pyagrum_greedy)


def shuffled_table(network: str, seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Sample a table and shuffle its columns, because BIF files list parents first."""
    table = load_network(network).sample(rows, random_state=seed)
    return table[list(np.random.default_rng(seed).permutation(table.columns))]


def report(what: str, peer: str, network: str, seed: int, ours: Callable, theirs: Callable) -> None:
    """Print the seconds and F of both learners, and the ratio of the seconds, for one table."""
    table = shuffled_table(network, seed)
    truth = load_network(network).dag
    rows = []
    for name, learn in (("lsbn", ours), (peer, theirs)):
        graph, seconds = learn(table)
        graph.add_nodes_from(truth)
        rows.append((name, seconds, compare(graph, truth).f_score))
    print(f"{what} on {network}, {len(truth)} variables, {len(table):,} rows, seed {seed}")
    for name, seconds, f_score in rows:
        print(f"  {name:<13} {seconds:9.3f} CPU s   F {f_score:5.1f}")
    print(f"  ratio {rows[1][1] / rows[0][1]:.1f}", flush=True)


def timed(function: Callable) -> tuple:
    """Return the result of a function and its processor seconds."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def ours_pc(table: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """Run our PC."""
    return _ours(table, lambda data: learn_pc(data))


def ours_greedy(table: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """Run our greedy search."""
    return _ours(table, lambda data: learn_greedy(data, random_state=0))


def ours_averaging(table: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """Run our model averaging."""
    dataset = Dataset.from_table(table)
    learned, seconds = timed(lambda: learn_model_averaging(dataset, random_state=0))
    return learned.edges.dag(), seconds


def _ours(table: pd.DataFrame, learn: Callable) -> tuple[nx.DiGraph, float]:
    """Run one of our learners; the seconds include making the bit columns."""
    dataset = Dataset.from_table(table)
    learned, seconds = timed(lambda: learn(dataset))
    return learned.edges.to_networkx(), seconds


def pyagrum_greedy(table: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """Run pyAgrum's greedy hill climbing with BDeu."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    learner = pyagrum_learner(table.astype(str))
    learner.useGreedyHillClimbing()
    learner.useScoreBDeu()
    dag, seconds = timed(learner.learnDAG)
    names = list(table.columns)
    arcs = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in dag.arcs()]
    graph = nx.DiGraph(arcs)
    graph.add_nodes_from(names)
    return graph, seconds


def causal_learn_pc(table: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """Run causal-learn's PC with G2 tests at level 0.05."""
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.utils.cit import gsq

    codes = Dataset.from_table(table).codes.T.astype(np.int64)
    result, seconds = timed(lambda: pc(codes, 0.05, gsq, show_progress=False))
    names = list(table.columns)
    adjacent = result.G.graph != 0
    graph = nx.DiGraph((names[i], names[j]) for i, j in np.argwhere(adjacent | adjacent.T))
    graph.add_nodes_from(names)
    return graph, seconds


if __name__ == "__main__":
    main()
