"""``python -m benchmarks.kills``: kill a run at random moments, resume it, and count.

The run is ``lsbn learn``, or with ``--python`` a program that calls ``LSBN(checkpoint=...)``. First
it runs without a stop. Then its process is killed by SIGKILL again and again, and started again,
each time after a random number of CPU seconds; also a process that is still starting is killed.
The last process runs to its end. The results must have the same bits.

CPU seconds are those of the process and its children: other work of the machine does not count.
What all processes together take longer than the first run is lost.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from benchmarks.cluster import tiled


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and its children so far, 0 if it has ended."""
    total = 0.0
    for each in [process, *_children(process)]:
        try:
            times = each.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def run(command: list[str], most: float | None = None) -> tuple[float, bool]:
    """Run a command; kill it after some CPU seconds.

    Returns
    -------
    float
        The CPU seconds that it took.
    bool
        Whether it came to its end.
    """
    stored = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL, env=stored)
        watched, spent = psutil.Process(process.pid), 0.0
        while process.poll() is None:
            spent = max(spent, cpu_seconds(watched))
            if most is not None and spent > most:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                break
            time.sleep(0.02)
        if process.returncode not in (0, -signal.SIGKILL):
            log.seek(0)
            raise RuntimeError(log.read())
    return spent, process.returncode == 0


COMMAND = """
import sys
from lsbn.cli.app import main
data, out, draft, jobs = sys.argv[1:]
sys.exit(main(["learn", data, "-o", out, "--jobs", jobs, "--resume"]))
"""
FIT = """
import os, sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
from lsbn import LSBN
data, out, draft, jobs = sys.argv[1:]
model = LSBN(random_state=0, n_jobs=int(jobs), checkpoint=draft)
matrix = model.fit(pd.read_parquet(data)).edge_probabilities_
os.mkdir(out)
with open(out + "/edges.csv", "wb") as file:
    for array in (matrix.indptr, matrix.indices, matrix.data, model.hierarchy_):
        file.write(array.tobytes())
with open(out + "/communities.json", "w") as file:
    file.write(repr(model.communities_))
"""


def main() -> None:
    """Kill and resume, and print the CPU seconds."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", help="a Parquet file; by default copies of alarm")
    parser.add_argument("--copies", type=int, default=50, help="of alarm")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--python", action="store_true", help="call LSBN, not the command line")
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        data = chosen.data or f"{folder}/table.parquet"
        if not chosen.data:
            tiled(chosen.copies, 2_000, 0).to_parquet(data)

        def command(name: str) -> list[str]:
            """Return the command with an output of this name."""
            where = [data, f"{folder}/{name}", f"{folder}/draft", str(chosen.jobs)]
            return [sys.executable, "-c", FIT if chosen.python else COMMAND, *where]

        whole, _ = run(command("whole"))
        print(f"not stopped: {whole:.1f} CPU s", flush=True)
        spent, ended = [], False
        for k in range(chosen.kills):
            seconds, ended = run(command("killed"), rng.uniform(0, 2) * whole / (chosen.kills + 1))
            spent.append(seconds)
            print(f"kill {k + 1}: after {seconds:.1f} CPU s", flush=True)
            if ended:
                break
        if not ended:
            spent.append(run(command("killed"))[0])
            print(f"to the end: {spent[-1]:.1f} CPU s", flush=True)
        kills, lost = len(spent) - 1, sum(spent) - whole
        print(f"{kills} kills: {sum(spent):.1f} CPU s in all, so {lost:.1f} are lost")
        print(f"a kill costs {lost / max(kills, 1):.2f} CPU s; all: {lost / whole:.1%} of the run")
        one, other = (
            [Path(folder, name, file).read_bytes() for file in ("edges.csv", "communities.json")]
            for name in ("whole", "killed")
        )
        print(f"same bits: {one == other}")


if __name__ == "__main__":
    main()
