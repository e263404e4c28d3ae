"""``python -m benchmarks [pairs | scale | partition VARIABLES]``. The default is pairs.

pairs
    Mutual information of all pairs of link, 20,000 rows: bit columns against a product of float32
    one-hot matrices.
partition N
    `ropart` on N variables with three states, 1,000 rows: seconds of each stage, and peak memory.
scale
    The benchmark partition for 2,500, 5,000, 10,000 and 20,000 variables, each in its own process.

``python -m benchmarks.peers`` compares our learners with the learners of other packages.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from lsbn.data import Dataset
from lsbn.kernels.counts import tabulate_xlogx
from lsbn.network import load_network
from lsbn.network.generators import random_network
from lsbn.pairs import PairStatistics
from lsbn.partition import ropart

SIZES = (2_500, 5_000, 10_000, 20_000)


def main():
    """Run the benchmark that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", default="pairs", choices=["pairs", "scale", "partition"])
    parser.add_argument("variables", nargs="?", type=int, default=SIZES[0])
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.name == "pairs":
        pairs()
    elif arguments.name == "partition":
        partition(arguments.variables, arguments.jobs)
    else:
        for size in SIZES:
            command = [sys.executable, "-m", "benchmarks", "partition", str(size)]
            subprocess.run([*command, "--jobs", str(arguments.jobs)], check=True)


def pairs(rows=20_000, repeats=3):
    """Compare bit columns with a one-hot product for the mutual information of all pairs."""
    table = load_network("link").sample(rows, random_state=0)
    dataset = Dataset.from_table(table)
    by_bits, bits = best_of(repeats, lambda: all_pairs_by_bits(dataset))
    by_product, product = best_of(repeats, lambda: all_pairs_by_product(dataset))
    error = np.abs(bits - product).max()
    print(f"link, {dataset.n_variables} variables, {rows:,} rows, best of {repeats}")
    print(f"  bit columns, AND and popcount   {by_bits:7.3f} s")
    print(f"  float32 one-hot matrix product  {by_product:7.3f} s")
    print(f"  ratio {by_product / by_bits:.1f}, largest difference {error:.1e} nats")


def best_of(repeats, function):
    """Return the least seconds of several runs, and the result; a first run compiles."""
    result, seconds = function(), []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def all_pairs_by_bits(dataset):
    """Return the mutual information of all pairs; the time includes making the bit columns."""
    fresh = Dataset(dataset.codes, dataset.cards, dataset.names, dataset.states)
    n = dataset.n_variables
    out = np.zeros((n, n))
    for low, strips in PairStatistics(fresh).strips(["MI"]):
        strip = strips["MI"]
        out[low : low + len(strip)] = strip
    return np.triu(out, 1)


def all_pairs_by_product(dataset):
    """Return the mutual information of all pairs by one product of one-hot columns."""
    offsets = np.concatenate([[0], np.cumsum(dataset.cards)])
    hot = np.zeros((offsets[-1], dataset.n_rows), np.float32)
    for v, codes in enumerate(dataset.codes):
        hot[offsets[v] + codes.astype(np.int64), np.arange(dataset.n_rows)] = 1
    counts = np.rint(hot @ hot.T).astype(np.int64)
    xlogx = tabulate_xlogx(dataset.n_rows)
    cells = xlogx[counts]
    starts = offsets[:-1]
    joint = np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1)
    margin = np.add.reduceat(np.diag(cells), starts)
    total = joint - margin[:, None] - margin[None, :] + xlogx[dataset.n_rows]
    return np.triu(np.maximum(total / dataset.n_rows, 0.0), 1)


def partition(n_variables, n_jobs, rows=1_000):
    """Print the seconds of each stage of `ropart`, and the peak memory."""
    network = random_network(n_variables, states=3, random_state=0)
    dataset = Dataset.from_table(network.sample(rows, random_state=0))
    stages, marks = [], []

    def record(stage):
        """Store the name and the time of a stage that begins."""
        stages.append(stage.split()[0])
        marks.append(time.perf_counter())

    result = ropart(dataset, n_jobs=n_jobs, progress=record)
    marks.append(time.perf_counter())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    parts = ", ".join(
        f"{stage} {b - a:.1f}" for stage, a, b in zip(stages, marks, marks[1:], strict=False)
    )
    print(
        f"{n_variables:7,} variables, {rows:,} rows: {marks[-1] - marks[0]:.1f} s ({parts}),"
        f" peak {peak:.2f} GB, {len(result.communities):,} communities",
        flush=True,
    )


if __name__ == "__main__":
    main()
