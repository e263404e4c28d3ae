"""``python -m benchmarks.tiles``: seconds of each stage of ``LSBN()``, and their growth.

The network consists of copies of alarm that are joined by a few edges: 370 to 7,400 variables. The
table has 2,000 rows. The partition and the blankets compute the weights of all pairs. This takes
quadratic time and has its own line, ``all pairs``. Above 1,024 variables the last pass works in
parts. The exponent of each line is the slope of log(seconds) on log(variables). With ``--cpu`` all
lines are CPU seconds of all threads, for a machine with other work. With ``--quilt`` the network
consists of copies of all five bundled networks by turns, about as many variables of each;
with ``--noise`` of independent variables.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from lsbn.estimator import LSBN
from lsbn.metrics import compare
from lsbn.network import BayesianNetwork, load_network
from lsbn.network.generators import quilt, random_network, tile
from lsbn.pairs import PairStatistics
from lsbn.stagenames import STAGES

BUNDLED = ("alarm", "insurance", "win95pts", "pigs", "link")
COPIES = (10, 25, 50, 100, 200)


class StageClock:
    """Measures the seconds from one report of a stage to the next, by any clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.seconds: dict[str, float] = {}
        self._clock, self._stage, self._begin = clock, "", 0.0

    def __call__(self, text: str) -> None:
        """Take the report of a stage."""
        names = [key for key, name in STAGES.items() if text.startswith(name)]
        if names and names[0] != self._stage:
            self.stop()
            self._stage, self._begin = names[0], self._clock()

    def stop(self) -> None:
        """End the last stage."""
        if self._stage:
            self.seconds[self._stage] = self._clock() - self._begin
        self._stage = ""


class Stopwatch:
    """Measures the seconds inside some functions; nested calls are counted once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.seconds = 0.0
        self._clock = clock
        self._depth = 0

    def timed(self, function: Callable) -> Callable:
        """Return the function with a measurement of its seconds, or of its generator's steps."""

        def call(*args: Any, **kwargs: Any) -> Any:
            """Call the function and measure its seconds."""
            with self:
                result = function(*args, **kwargs)
            return self._steps(result) if isinstance(result, Iterator) else result

        return call

    def _steps(self, steps: Iterator) -> Iterator:
        """Yield the steps of a generator and measure the seconds of each step."""
        while True:
            with self:
                step = next(steps, None)
            if step is None:
                return
            yield step

    def __enter__(self) -> None:
        if self._depth == 0:
            self._begin = self._clock()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += self._clock() - self._begin


def mixed_quilt(n_variables: int, seed: int) -> BayesianNetwork:
    """Return copies of all bundled networks, in random order, of about this number of variables.

    Of each network there are about as many variables as of the others, but at least one copy.
    """
    networks = [load_network(name) for name in BUNDLED]
    share = n_variables / len(networks)
    counts = [max(1, round(share / network.n_variables)) for network in networks]
    patches = [net for net, count in zip(networks, counts, strict=True) for _ in range(count)]
    order = np.random.default_rng(seed).permutation(len(patches))
    return quilt([patches[place] for place in order], links=2, random_state=seed)


def tiles_of_alarm(copies: int, seed: int) -> BayesianNetwork:
    """Return copies of alarm."""
    return tile(load_network("alarm"), copies, links=2, random_state=seed)


def noise(n_variables: int, seed: int) -> BayesianNetwork:
    """Return independent variables of three states, about equally probable."""
    none: dict[str, Any] = {"max_parents": 0, "mean_parents": 0.0}
    return random_network(n_variables, **none, states=3, concentration=1e4, random_state=seed)


def measure(network: BayesianNetwork, rows: int, seed: int, jobs: int, cpu: bool) -> dict[str, Any]:
    """Learn one large network; return the seconds of each stage, F and peak memory."""
    table = network.sample(rows, random_state=seed)
    table = table[list(np.random.default_rng(seed).permutation(table.columns))]
    LSBN(random_state=0, n_jobs=jobs).fit(table.iloc[:200, :40])
    clock = time.process_time if cpu else time.perf_counter
    watch, stages = Stopwatch(clock), StageClock(clock)
    for name in ("moments", "histograms", "above", "heaviest"):
        setattr(PairStatistics, name, watch.timed(getattr(PairStatistics, name)))
    model = LSBN(random_state=seed, n_jobs=jobs, verbose=stages).fit(table)
    stages.stop()
    seconds = stages.seconds
    seconds["all"] = sum(seconds.values())
    seconds["all pairs"] = watch.seconds
    seconds["all but all pairs"] = seconds["all"] - watch.seconds
    quality = compare(model.dag_, network.dag)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "variables": table.shape[1],
        "seconds": seconds,
        "f": quality.f_score,
        "gb": memory,
        "log score": model.diagnostics_.log_score,
        "edges": model.dag_.number_of_edges(),
        "largest community": max(map(len, model.communities_)),
    }


def exponents(results: list[dict[str, Any]]) -> dict[str, float]:
    """Return the slope of log(seconds) on log(variables) for each stage, where the stage ran."""
    slopes = {}
    for stage in dict.fromkeys(stage for result in results for stage in result["seconds"]):
        ran = [result for result in results if stage in result["seconds"]]
        sizes = np.log([result["variables"] for result in ran])
        seconds = np.log([max(result["seconds"][stage], 1e-3) for result in ran])
        slopes[stage] = float(np.polyfit(sizes, seconds, 1)[0]) if len(ran) > 1 else np.nan
    return slopes


def main() -> None:
    """Print a column for each number of variables, each measured in its own process."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tiles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--copies", nargs="+", type=int, default=COPIES, help="of alarm")
    parser.add_argument("--quilt", type=int, help="variables of a quilt of all bundled networks")
    parser.add_argument("--noise", type=int, help="number of independent variables")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, not wall-clock seconds")
    parser.add_argument("--threads", action="store_true", help="use threads, not processes")
    parser.add_argument("--one", action="store_true", help="measure one size, print JSON")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    options = (chosen.rows, chosen.seed, chosen.jobs)
    kinds = ((mixed_quilt, chosen.quilt), (noise, chosen.noise), (tiles_of_alarm, chosen.copies[0]))
    if chosen.one or chosen.quilt or chosen.noise:
        network = next(make(size, chosen.seed) for make, size in kinds if size)
        with parallel_config("threading") if chosen.threads else nullcontext():
            print(json.dumps(measure(network, *options, chosen.cpu)))
        return
    names = ("--rows", "--seed", "--jobs")
    words = [word for pair in zip(names, map(str, options), strict=True) for word in pair]
    words += [name for name in ("--cpu", "--threads") if vars(chosen)[name[2:]]]
    results = []
    for copies in chosen.copies:
        command = [sys.executable, "-m", "benchmarks.tiles", "--one", "--copies", str(copies)]
        done = subprocess.run([*command, *words], check=True, stdout=subprocess.PIPE)
        results.append(json.loads(done.stdout))
        result = results[-1]
        print(
            f"{result['variables']:,} variables: {result['seconds']['all']:.1f} s, "
            f"{result['gb']:.2f} GB, F {result['f']:.1f}, log score {result['log score']:,.0f}",
            flush=True,
        )
    slopes = exponents(results)
    print(f"\n{'seconds':>18}", *(f"{r['variables']:>8,}" for r in results), " exponent")
    for stage, slope in slopes.items():
        cells = (r["seconds"].get(stage, np.nan) for r in results)
        print(f"{stage:>18}", *(f"{cell:8.2f}" for cell in cells), f"{slope:9.2f}")


if __name__ == "__main__":
    main()
