"""``python -m benchmarks.networks``: CPU seconds, F and log score of ``LSBN()``.

Another version of lsbn is measured by the same file: ``PYTHONPATH=OTHER/src python -m
benchmarks.networks``. Each bundled network is learned from 5,000 rows before, so that its kernels
are compiled.
"""

import argparse
import time
import warnings

import numpy as np

from lsbn import LSBN, load_network, metrics


def main() -> None:
    """Print a line for each network and seed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("--networks", default="alarm,insurance,win95pts,pigs")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--rows", type=int, default=20_000)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in chosen.networks.split(","):
        network, total = load_network(name), 0.0
        seeds = [int(seed) for seed in chosen.seeds.split(",")]
        for seed in [None, *seeds]:
            table = network.sample(chosen.rows if seed else 5_000, random_state=seed or 0)
            table = table[list(np.random.default_rng(seed).permutation(table.columns))]
            begin = time.process_time()
            model = LSBN(random_state=seed or 0, n_jobs=1).fit(table)
            if seed is None:
                continue
            seconds, f = (
                time.process_time() - begin,
                metrics.compare(model.dag_, network.dag).f_score,
            )
            score = dict(model.diagnostics_).get("log_score", float("nan"))
            total += seconds / len(seeds)
            print(f"{name}, seed {seed}: {seconds:.2f} s, F {f:.1f}, log score {score:,.1f}")
        print(f"{name}, mean: {total:.2f} s", flush=True)


if __name__ == "__main__":
    main()
