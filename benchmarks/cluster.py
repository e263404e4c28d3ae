"""``python -m benchmarks.cluster``: how much of a fit the workers of a Dask cluster take over.

The table is that of ``benchmarks.tiles``. The cluster has two worker processes of one thread each
on this machine, which use TCP. For each stage there are the CPU seconds of the caller and of each
worker. The caller runs the scheduler, too. Its thread "IO loop" asks for results a hundred times a
second, which costs more the longer a fit takes because of other work; it has a line of its own.

With one worker a stage takes at least the sum of all CPU seconds, and with two at least those of
the caller and of the busier worker: the ratio of both is the speed-up that the division of the
work allows. Unlike the seconds on the clock, it does not depend on other work of the machine.
``--check`` compares the result with that of one process.
"""

import argparse
import os
import threading
import time
import warnings

import numpy as np
import psutil
from distributed import Client, LocalCluster
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from lsbn.estimator import LSBN
from lsbn.network import load_network
from lsbn.network.generators import tile
from lsbn.stagenames import STAGES


class CpuSeconds:
    """CPU seconds of some processes between the reports of stages.

    Parameters
    ----------
    processes : sequence of psutil.Process
    """

    def __init__(self, processes: list[psutil.Process]) -> None:
        self.processes, self.seconds = processes, dict[str, np.ndarray]()
        self._stage, self._before = "read", self._now()

    def _now(self) -> np.ndarray:
        times = [process.cpu_times() for process in self.processes]
        return np.array([each.user + each.system for each in times])

    @staticmethod
    def of_loop() -> float:
        """Return the CPU seconds of the thread that talks to the workers."""
        loops = {t.native_id for t in threading.enumerate() if t.name == "IO loop"}
        threads = psutil.Process().threads()
        return sum(t.user_time + t.system_time for t in threads if t.id in loops)

    def __call__(self, text: str) -> None:
        """Take a report of `LSBN`: a new stage begins, or the same one goes on."""
        now = self._now()
        known = self.seconds.setdefault(self._stage, np.zeros(len(now)))
        known += now - self._before
        names = [key for key, name in STAGES.items() if text.startswith(name)]
        self._stage, self._before = (names or [self._stage])[0], now


def tiled(copies: int, rows: int, seed: int):
    """Return the table of copies of alarm, with shuffled columns."""
    network = tile(load_network("alarm"), copies, links=2, random_state=seed)
    table = network.sample(rows, random_state=seed)
    return table[list(np.random.default_rng(seed).permutation(table.columns))]


def print_table(clock: CpuSeconds, wall: float) -> None:
    """Print the CPU seconds by stage, the share of the workers, and the bound of the speed-up."""
    n_workers = len(clock.processes) - 1
    print(f"{'CPU seconds':>14} {'caller':>8}", *(f"worker {k + 1}" for k in range(n_workers)))
    for stage, seconds in clock.seconds.items():
        print(f"{stage:>14}", *(f"{each:8.2f}" for each in seconds))
    every = np.array(list(clock.seconds.values()))
    total = every.sum(axis=0)
    print(f"{'all':>14}", *(f"{each:8.2f}" for each in total))
    least = (every[:, 0] + every[:, 1:].max(axis=1)).sum()
    print(f"share of the workers: {total[1:].sum() / total.sum():.1%}")
    print(f"speed-up over one worker by CPU seconds: {total.sum() / least:.2f}")
    print(f"seconds on the clock: {wall:.1f}")


def main() -> None:
    """Fit on a cluster and print what each process did."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--copies", type=int, default=50, help="of alarm")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compare with one process")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    table = tiled(chosen.copies, chosen.rows, chosen.seed)
    workers = {"n_workers": chosen.workers, "threads_per_worker": 1, "processes": True}
    address = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": None}
    with LocalCluster(**workers, **address) as cluster, Client(cluster) as client:
        client.wait_for_workers(chosen.workers)
        client.run(LSBN(random_state=0, n_jobs=1).fit, table.iloc[:200, :40])  # loads kernels
        LSBN(random_state=0, n_jobs=1).fit(table.iloc[:200, :40])
        pids = sorted(client.run(os.getpid).values())
        clock = CpuSeconds([psutil.Process(), *map(psutil.Process, pids)])
        begin, loop = time.perf_counter(), clock.of_loop()
        with parallel_config("dask"):
            model = LSBN(random_state=chosen.seed, verbose=clock).fit(table)
        wall, loop = time.perf_counter() - begin, clock.of_loop() - loop
        clock("end")
    print(f"{table.shape[1]:,} variables, {len(table):,} rows, {chosen.workers} workers")
    print_table(clock, wall)
    print(f"CPU seconds of the caller's IO loop: {loop:.2f}")
    if chosen.check:
        alone = LSBN(random_state=chosen.seed, n_jobs=1).fit(table)
        same = (alone.edge_probabilities_ != model.edge_probabilities_).nnz == 0
        print("same bits as one process:", same and alone.communities_ == model.communities_)


if __name__ == "__main__":
    main()
