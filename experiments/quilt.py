"""Which networks of a mixed quilt lose, and by what.

The quilt of ``python -m benchmarks.tiles --quilt`` is learned as a whole. Then the columns of each
copy are learned alone in two ways: by default, and with the density of the quilt as the prior
probability of an edge. A quilt has more variables, so its density is lower. F inside the quilt
and F alone with this density differ by the search, and by the links between copies.

    PYTHONPATH=. python experiments/quilt.py [--variables 2500] [--rows 2000] [--seed 0]
        [--copies NUMBER,NUMBER]

``--copies`` learns only some of the copies alone, by their numbers; all by default.
"""

import argparse
import warnings
from collections import defaultdict

import numpy as np
from benchmarks.tiles import BUNDLED, mixed_quilt
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN
from lsbn.learners import Score
from lsbn.metrics import compare
from lsbn.network import load_network
from lsbn.studies.cells import shuffled_table
from parts.command_line import words


def main() -> None:
    """Learn the quilt and its copies, and print a row for each network."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--variables", type=int, default=2_500)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--copies", type=words, default=[])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    network = mixed_quilt(arguments.variables, arguments.seed)
    table = shuffled_table(network, arguments.rows, arguments.seed)
    whole = LSBN(random_state=0).fit(table)
    diagnostics = whole.diagnostics_
    quality = compare(whole.dag_, network.dag)
    print(f"quilt: F {quality.f_score:.1f}, log score {diagnostics.log_score:,.0f}", flush=True)
    names = {load_network(name).n_variables: name for name in BUNDLED}
    ways = {"alone": None, "alone, density of the quilt": Score(density=diagnostics.density)}
    copies, figures = defaultdict(list), defaultdict(list)
    for column in table.columns:
        copies[column.rsplit("_", 1)[1]].append(column)
    for number, columns in copies.items():
        if arguments.copies and number not in arguments.copies:
            continue
        true, row = network.dag.subgraph(columns), [whole.dag_.subgraph(columns)]
        for score in ways.values():
            row.append(LSBN(score=score, random_state=0).fit(table[columns]).dag_)
        figures[names[len(columns)]].append([compare(dag, true).f_score for dag in row])
    print("| F, percent | copies | in the quilt |", " | ".join(ways), "|\n|---|---|---|---|---|")
    for name, rows in sorted(figures.items()):
        cells = " | ".join(f"{mean:.1f}" for mean in np.mean(rows, axis=0))
        print(f"| {name} | {len(rows)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
