"""Peers: learners of other packages on the same data tables.

Each peer runs in its own process with a time limit. The process is
``python -m lsbn.studies.peers NAME TABLE RESULT``: it reads a Parquet file and writes the learned
edges. ``pip install 'lsbn[peers]'`` installs the packages; missing packages are left out.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from lsbn.metrics import compare
from lsbn.studies.cells import Cell, CellStore, Outcome, Target, code_version, shuffled_table

__all__ = ["PEERS", "PEER_SCOPE", "installed", "peer_cells", "pyagrum_learner", "run_peers"]

PEER_SCOPE = "peer"
"""Scope of the peers' cells."""

Edges = list[tuple[str, str]]


@dataclass(frozen=True)
class Peer:
    """A learner of another package.

    Attributes
    ----------
    module : str
        Module of the package.
    settings : str
        Method and score, as the table of peers shows them.
    learn : callable
        Takes a data table of text and returns directed edges. An undirected edge is returned in
        both directions.
    """

    module: str
    settings: str
    learn: Callable[[pd.DataFrame], Edges]


def pyagrum_learner(table: pd.DataFrame, *template: Any) -> Any:
    """Return pyAgrum's BNLearner of a table of text, perhaps with a network that has all states.

    BNLearner would write a data frame to files in the system's temporary folder, and leave them.
    """
    import pyagrum

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path, na_rep="?", index=False)
        return pyagrum.BNLearner(str(path), *template)


def _pyagrum(table: pd.DataFrame, search: str) -> Edges:
    """Learn with BDeu; `search` is the method of BNLearner that selects the search."""
    learner = pyagrum_learner(table)
    getattr(learner, search)()
    learner.useScoreBDeu()
    dag = learner.learnDAG()
    return [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in dag.arcs()]


_pyagrum_greedy = partial(_pyagrum, search="useGreedyHillClimbing")
_pyagrum_tabu = partial(_pyagrum, search="useLocalSearchWithTabuList")


def _codes(table: pd.DataFrame) -> np.ndarray:
    return np.column_stack([pd.factorize(table[c], sort=True)[0] for c in table]).astype(np.int64)


def _endpoints(graph: np.ndarray, names: list[str]) -> Edges:
    """Read causal-learn's matrix: [i, j] = -1 and [j, i] = 1 is i -> j; both -1 is undirected."""
    edges = []
    for i, j in np.argwhere(graph != 0):
        if graph[i, j] == -1 or graph[j, i] == 1:
            edges.append((names[i], names[j]))
    return edges


def _causal_learn_pc(table: pd.DataFrame) -> Edges:
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.utils.cit import gsq

    learned = pc(_codes(table), 0.05, gsq, show_progress=False)
    return _endpoints(learned.G.graph, list(table.columns))


def _causal_learn_ges(table: pd.DataFrame) -> Edges:
    from causallearn.search.ScoreBased.GES import ges

    learned = ges(_codes(table), score_func="local_score_BDeu")
    return _endpoints(learned["G"].graph, list(table.columns))


def _pgmpy_hill_climbing(table: pd.DataFrame) -> Edges:
    from pgmpy.estimators import HillClimbSearch

    learned = HillClimbSearch(table).estimate(scoring_method="bdeu", show_progress=False)
    return list(learned.edges())


PEERS = {
    "pyagrum-greedy": Peer("pyagrum", "greedy hill climbing, BDeu", _pyagrum_greedy),
    "pyagrum-tabu": Peer("pyagrum", "local search with tabu list, BDeu", _pyagrum_tabu),
    "causal-learn-pc": Peer("causallearn", "PC, G-squared at 0.05", _causal_learn_pc),
    "causal-learn-ges": Peer("causallearn", "GES, BDeu", _causal_learn_ges),
    "pgmpy-hc": Peer("pgmpy", "hill climbing, BDeu", _pgmpy_hill_climbing),
}
"""Peers by name."""


def installed() -> list[str]:
    """Return the names of the peers whose package is installed."""
    return [name for name, peer in PEERS.items() if find_spec(peer.module) is not None]


def peer_cells(networks: Sequence[Target], rows: int, seeds: Sequence[int]) -> list[Cell]:
    """List the cells of all installed peers, small networks first."""
    ordered = sorted(networks, key=lambda t: t.network.n_variables)
    return [
        Cell(t.label, rows, s, name, PEER_SCOPE)
        for t in ordered
        for s in seeds
        for name in installed()
    ]


def run_peers(
    cells: Sequence[Cell],
    networks: Sequence[Target],
    store: CellStore,
    *,
    limit: float,
    progress: Callable[[str], None] | None = None,
) -> int:
    """Run the peers' cells that the store does not have.

    A peer that exceeds the limit on one data table of a network is not run on the other tables of
    that network. Their status is ``over limit`` too.

    Parameters
    ----------
    cells, networks, store
        As for `lsbn.studies.comparison.run_cells`.
    limit : float
        Seconds for one data table, including the time to read it.
    progress : callable, optional

    Returns
    -------
    int
        Number of new cells.
    """
    tell = progress or (lambda text: None)
    by_label = {target.label: target for target in networks}
    slow = {
        (o.cell.network, o.cell.learner) for o in store.among(cells) if o.status == "over limit"
    }
    missing = [cell for cell in cells if not store.has(cell)]
    for cell in missing:
        key = (cell.network, cell.learner)
        if key in slow:
            outcome = _unfinished(
                cell, "over limit", limit, "not run: over the limit on an earlier table"
            )
        else:
            outcome = run_peer(cell, by_label[cell.network], limit)
        if outcome.status == "over limit":
            slow.add(key)
        store.write(outcome)
        score = f"F {outcome.figures['f_score']:.1f}" if outcome.figures else outcome.status
        tell(f"[peer] {cell}, {score}, {outcome.seconds['total']:.1f} s")
    return len(missing)


def _unfinished(cell: Cell, status: str, seconds: float, why: str) -> Outcome:
    return Outcome(
        cell,
        status,
        diagnostics={"why": why[-500:]},
        seconds={"total": round(seconds, 4)},
        code=code_version(),
    )


def run_peer(cell: Cell, target: Target, limit: float) -> Outcome:
    """Run one peer on one data table in a process that is killed at the limit."""
    network = target.network
    table = shuffled_table(network, cell.rows, cell.seed).astype(str)
    with tempfile.TemporaryDirectory() as name:
        source, result = Path(name) / "table.parquet", Path(name) / "result.json"
        table.to_parquet(source, index=False)
        paths = [str(source), str(result)]
        command = [sys.executable, "-m", "lsbn.studies.peers", cell.learner, *paths]
        begin = time.perf_counter()
        try:
            _run_limited(command, limit, Path(name) / "errors.txt")
        except subprocess.TimeoutExpired:
            return _unfinished(cell, "over limit", limit, f"stopped after {limit:g} s")
        if not result.is_file():
            errors = (Path(name) / "errors.txt").read_text(encoding="utf-8", errors="replace")
            return _unfinished(cell, "failed", time.perf_counter() - begin, errors)
        record = json.loads(result.read_text(encoding="utf-8"))
    graph = nx.DiGraph(map(tuple, record["edges"]))
    graph.add_nodes_from(network.dag)
    return Outcome(
        cell,
        figures=compare(graph, network.dag).as_dict(),
        diagnostics={"version": record["version"], "settings": PEERS[cell.learner].settings},
        seconds={"total": round(record["seconds"], 4)},
        peak_mb=record["peak_mb"],
        code=code_version(),
    )


def _run_limited(command: Sequence[str], limit: float, errors: Path) -> None:
    """Run a command; at the limit, kill it and all processes that it started."""
    with errors.open("wb") as file:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=file, start_new_session=True
        )
        try:
            process.wait(limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise


def main(words: Sequence[str]) -> None:
    """Learn with one peer. This is what the peer's process runs."""
    from importlib.metadata import PackageNotFoundError, version

    name, source, target = words
    table = pd.read_parquet(source).astype(str).astype(object)
    peer = PEERS[name]
    begin = time.perf_counter()
    edges = peer.learn(table)
    seconds = time.perf_counter() - begin
    try:
        release = version({"causallearn": "causal-learn"}.get(peer.module, peer.module))
    except PackageNotFoundError:
        release = "unknown"
    result: dict[str, Any] = {
        "edges": [[str(u), str(v)] for u, v in edges],
        "seconds": seconds,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "version": release,
    }
    Path(target).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
