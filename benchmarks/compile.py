"""``python -m benchmarks.compile [demo | fit]``: what the first use of lsbn compiles.

Runs ``lsbn demo``, or a fit of 500 rows and 10 columns, with an empty cache of numba, in one
process. Prints the CPU seconds of each function that was compiled and how many versions of it, for
different types of arguments, then the total. Last, it runs the same with another empty cache and
with a second process that compiles half of the kernels (`lsbn.firstuse`), and prints the seconds to
the answer.

CPU seconds are of the function alone, without those that it calls. Other work on the machine makes
them longer.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path


def main():
    """Measure one of the two."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", default="demo", choices=["demo", "fit"])
    parser.add_argument("--traced", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.traced:
        traced(arguments.what)
    elif arguments.plain:
        first_answer(arguments.what)
    else:
        in_empty_cache(arguments.what, "--traced", LSBN_COMPILE="alone")
        seconds = in_empty_cache(arguments.what, "--plain")
        print(f"first answer after {seconds:.1f} s, with both processes")


def in_empty_cache(what, option, **environment):
    """Run this script in a process of its own; return its seconds."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "benchmarks.compile", what, option]
        begin = time.perf_counter()
        subprocess.run(
            command, check=True, env=os.environ | environment | {"NUMBA_CACHE_DIR": cache}
        )
        return time.perf_counter() - begin


def first_answer(what):
    """Run the demo, or fit a small table."""
    with tempfile.TemporaryDirectory() as folder:
        if what == "demo":
            from lsbn.cli.app import main as command

            command(["demo", "--output", str(Path(folder) / "demo")])
        else:
            from lsbn import LSBN, load_network

            LSBN(random_state=0).fit(load_network("alarm").sample(500, random_state=0).iloc[:, :10])


def traced(what):
    """Run it, and print what numba compiled."""
    from numba.core import event

    recorder = recorder_of(event)
    event.register("numba:compile", recorder)
    first_answer(what)
    total = time.process_time()
    versions = recorder.versions
    for name, own in sorted(versions.items(), key=lambda item: -sum(item[1])):
        print(f"{sum(own):7.2f} s  {len(own):2} x  {name}")
    compiling = sum(map(sum, versions.values()))
    number = sum(map(len, versions.values()))
    print(f"{compiling:7.2f} s of {total:.2f}: {number} versions of {len(versions)} functions")


def recorder_of(event):
    """Make a listener that notes the seconds of each function without those that it calls."""

    class Recorder(event.Listener):
        def __init__(self):
            self.open, self.versions = [], defaultdict(list)

        def on_start(self, event):
            self.open.append([time.process_time(), 0.0])

        def on_end(self, event):
            begin, inner = self.open.pop()
            seconds = time.process_time() - begin
            if self.open:
                self.open[-1][1] += seconds
            function = event.data["dispatcher"].py_func
            self.versions[f"{function.__module__}.{function.__qualname__}"].append(seconds - inner)

    return Recorder()


if __name__ == "__main__":
    main()
