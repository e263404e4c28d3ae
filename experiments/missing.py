"""Learn networks from tables with missing values, and fill the missing values.

Writes ``missing.md`` beside this file. Values are missing completely at random, or a quarter of the
columns is complete and the values of each other column are missing with a probability that depends
on one of the complete columns. MIIC is left out if pyAgrum is not installed.

    python experiments/missing.py [--networks alarm,insurance] [--kinds "at random"] [--percent 30]
        [--rows 5000] [--seeds 1] [--figures infer,impute] [--store FILE] [--finished]
        [--output FILE]

Finished figures are kept in the store, a JSON file, and are not computed again. With ``--finished``
the page has the figures of the store only.
"""

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

from lsbn import LSBN, Dataset, load_network, metrics
from lsbn.files import atomic_file
from lsbn.network import BayesianNetwork
from lsbn.studies.tabular import Table
from parts.available_rows import climb
from parts.command_line import numbers, words
from parts.true_cells import chains_begin_with, graph_by_true_cells

COMPLETE = {0.1: 0.8, 0.3: 0.5}
"""The share of the rows of a complete table that is compared with a share of missing values."""
KINDS = ("at random", "by columns")
STRUCTURE = ("infer", "fewer rows", "true start", "true cells", "by rows", "drop", "state", "MIIC")
FILLING = ("impute", "mode", "KNN", "iterative")
PREDICTION = ("unseen", "unseen fewer", "unseen start")
FIGURES = (*STRUCTURE, *FILLING, *PREDICTION)
UNSEEN_ROWS = 5000
WHAT_IS_SHOWN = """\
*infer* is `LSBN(missing="infer")`, *drop* and *state* the other options. *fewer rows* is a complete
table with 80 % (for 10 % missing) or 50 % (for 30 %) of the rows. *true start* is *infer* whose
chains begin with the true cells. *true cells* learns ten completions that are drawn from the true
network, with its true tables. *by rows* is hill climbing by BIC, where each edge is judged by the
rows that have all values it needs. *MIIC* is that of pyAgrum, which (in version 3.3.1) refuses
missing values, so they are a state. These columns are F of the skeleton in percent. *impute* is the
share of missing cells in percent whose true state `impute` gives; *mode* fills in the most frequent
state of the column, *KNN* and *iterative* are
scikit-learn's imputers on the codes of the states, rounded. *unseen* is the mean log-likelihood of
up to 5,000 unseen complete rows in nats (those whose states both tables have), averaged over the
networks of *infer*, *fewer rows* or *true start*. All figures are means over the seeds; a
dash means that nothing could be learned, or that the figure was not measured."""


COMPARED = (
    ("infer", "fewer rows"),
    ("unseen", "unseen fewer"),
    ("infer", "true start"),
    ("unseen", "unseen start"),
)
PAIRS = """\
Differences of columns of the table above, mean and standard error over the tables."""


NOISE_IS_SHOWN = """\
Twenty independent columns with two to four states, 1,000 rows, 30 % of the values missing at
random. *Highest* is the largest probability of an edge in either direction, and *above 0.5* the
number of pairs that are joined, of 190."""


def main() -> None:
    """Learn every table, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=words, default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--kinds", type=words, default=[*KINDS])
    parser.add_argument("--percent", type=percents, default=[10, 30], help="share of missing cells")
    parser.add_argument("--seeds", type=numbers, default=[1])
    parser.add_argument("--figures", type=words, default=[*FIGURES])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--finished", action="store_true", help="only cells of the store")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    store = Store(arguments.store, arguments.finished)
    rows, pairs = [], []
    shares = [percent / 100 for percent in arguments.percent]
    for name, kind, share in product(arguments.networks, arguments.kinds, shares):
        cells = []
        for seed in arguments.seeds:
            case, found = Case(name, kind, share, arguments.rows, seed), {}
            for figure in arguments.figures:
                found |= store.get(f"{case.key} {figure}", partial(measured, case, figure))
            if found:
                cells.append(found)
        if cells:
            rows.append(
                [name, f"{share:.0%} {kind}", str(len(cells)), *means(cells, arguments.figures)]
            )
            pairs += [(name, f"{share:.0%} {kind}", cell) for cell in cells]
    noise = [store.get(f"noise {seed}", partial(noise_joined, seed)) for seed in arguments.seeds]
    joined = [
        [str(seed), f"{cell['highest']:.2f}", f"{cell['above 0.5']:.0f}"]
        for seed, cell in zip(arguments.seeds, noise, strict=True)
        if cell
    ]
    command = (
        f"`python experiments/missing.py --networks {','.join(arguments.networks)} "
        f'--kinds "{",".join(arguments.kinds)}" --percent {",".join(map(str, arguments.percent))} '
        f"--rows {arguments.rows} --seeds {','.join(map(str, arguments.seeds))}"
    )
    if arguments.figures != [*FIGURES]:
        command += f' --figures "{",".join(arguments.figures)}"'
    command += "`"
    header = ["network", "missing", "tables", *arguments.figures]
    note = f"{command}\n\n{WHAT_IS_SHOWN}"
    page = Table("missing", "Missing values", header, rows, note).markdown(1)
    header = ["tables", "number", *(" - ".join(columns) for columns in COMPARED)]
    page += "\n" + Table("pairs", "Differences", header, differences(pairs), PAIRS).markdown(2)
    header = ["seed", "highest", "above 0.5"]
    page += "\n" + Table("noise", "Noise", header, joined, NOISE_IS_SHOWN).markdown(2)
    with atomic_file(arguments.output) as draft:
        draft.write_text(page, encoding="utf-8")


def percents(text: str) -> list[int]:
    """Split text at commas into shares of missing cells, in percent."""
    asked, known = numbers(text), [round(100 * share) for share in COMPLETE]
    if strange := [percent for percent in asked if percent not in known]:
        raise argparse.ArgumentTypeError(
            f"{', '.join(map(str, strange))} is not among {', '.join(map(str, known))}"
        )
    return asked


class Store:
    """Finished cells in a JSON file.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    finished : bool
        Compute nothing: a cell that is not there is empty.
    """

    def __init__(self, path: Path | None, finished: bool = False) -> None:
        self.path, self.finished = path, finished
        self.cells = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def get(self, key: str, compute: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Return a cell; compute and store it if it is not there."""
        if key not in self.cells and not self.finished:
            self.cells[key] = compute()
            print(key, self.cells[key], f"{process_time():.0f} s", flush=True)
            if self.path is not None:
                with atomic_file(self.path) as draft:
                    draft.write_text(json.dumps(self.cells, indent=1), encoding="utf-8")
        return self.cells.get(key, {})


def means(cells: list[dict[str, float]], figures: list[str]) -> list[str]:
    """Return the mean of each figure over the seeds; a dash if a seed does not have it."""
    return [
        f"{fmean(cell[figure] for cell in cells):.{3 if figure in PREDICTION else 1}f}"
        if all(figure in cell for cell in cells)
        else "-"
        for figure in figures
    ]


def differences(found: list[tuple[str, str, dict[str, float]]]) -> list[list[str]]:
    """Return the mean differences of two columns, over all tables and over groups of them."""
    groups: dict[str, list[dict[str, float]]] = {}
    for place in range(3):
        for name, missing, cell in found:
            groups.setdefault((name, missing, "all")[place], []).append(cell)
    rows = []
    for group, cells in groups.items():
        row = [group, str(len(cells))]
        for a, b in COMPARED:
            own = [cell[a] - cell[b] for cell in cells if a in cell and b in cell]
            digits = 3 if a in PREDICTION else 1
            error = f" ± {stdev(own) / len(own) ** 0.5:.{digits}f}" if len(own) > 1 else ""
            row.append(f"{fmean(own):+.{digits}f}{error}" if own else "-")
        rows.append(row)
    return rows


class Case:
    """One table with missing values; it is sampled, and learned, when it is first needed.

    Parameters
    ----------
    name, kind : str
        The network, and how values are missing.
    share : float
    rows, seed : int
    """

    def __init__(self, name: str, kind: str, share: float, rows: int, seed: int) -> None:
        self.name, self.kind, self.share, self.rows, self.seed = name, kind, share, rows, seed
        self.key = f"{name} {kind} {share} {rows} {seed}"

    @cached_property
    def net(self) -> BayesianNetwork:
        """The network."""
        return load_network(self.name)

    @cached_property
    def tables(self) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
        """The whole table, the mask of the missing cells, and the table without them."""
        rng = np.random.default_rng(self.seed)
        table = self.net.sample(self.rows, random_state=self.seed)
        table = table[list(rng.permutation(table.columns))]
        mask = missing_cells(table, self.kind, self.share, rng)
        return table, mask, table.astype(object).mask(mask)

    @cached_property
    def model(self) -> LSBN:
        """The model of the table with missing values."""
        return LSBN(missing="infer", random_state=self.seed, n_jobs=1).fit(self.tables[2])

    @cached_property
    def smaller(self) -> LSBN:
        """The model of the complete table with fewer rows."""
        fewer = self.tables[0].head(int(COMPLETE[self.share] * self.rows))
        return LSBN(random_state=self.seed, n_jobs=1).fit(fewer)

    @cached_property
    def informed(self) -> LSBN:
        """The model whose chains begin with the true cells."""
        with chains_begin_with(self.tables[0]):
            return LSBN(missing="infer", random_state=self.seed, n_jobs=1).fit(self.tables[2])

    @cached_property
    def new_rows(self) -> pd.DataFrame:
        """Rows that were not learned, whose states both tables have."""
        seed = np.random.SeedSequence([1, self.seed])
        rows = self.net.sample(UNSEEN_ROWS, random_state=seed).astype(str)
        fewer = self.tables[0].head(int(COMPLETE[self.share] * self.rows))
        for table in (fewer, self.tables[2]):
            for name in table:
                rows = rows[rows[name].isin(table[name].dropna().astype(str))]
        return rows


def measured(case: Case, figure: str) -> dict[str, float]:
    """Return one figure of one table; nothing if it cannot be had."""
    table, mask, gaps = case.tables
    if figure == "infer":
        return {figure: f_score(case.model.dag_, case.net)}
    if figure == "impute":
        filled = case.model.impute(gaps).table.astype(object)
        return {figure: 100 * float((filled == table.astype(object)).to_numpy()[mask].mean())}
    if figure in FILLING:
        return {figure: accuracy(table, mask, figure)}
    if figure in PREDICTION:
        models = {"unseen": "model", "unseen fewer": "smaller", "unseen start": "informed"}
        model: LSBN = getattr(case, models[figure])
        return {figure: float(model.log_likelihood(case.new_rows, average=True).mean())}
    graph = _graph(case, figure)
    return {} if graph is None else {figure: f_score(graph, case.net)}


def _graph(case: Case, figure: str) -> nx.DiGraph | None:
    """Learn the graph of another method; None if it cannot be had."""
    gaps = case.tables[2]
    if figure in ("fewer rows", "true start"):
        return (case.smaller if figure == "fewer rows" else case.informed).dag_
    if figure == "true cells":
        return graph_by_true_cells(case.net, Dataset.from_table(gaps, missing="infer"), case.seed)
    if figure == "by rows":
        return climb(Dataset.from_table(gaps, missing="infer"))
    if figure == "MIIC":
        return miic(gaps)
    try:
        return LSBN(missing=figure, random_state=case.seed, n_jobs=1).fit(gaps).dag_
    except ValueError:  # fewer than two rows are left
        return None


def noise_joined(seed: int, rows: int = 1000, columns: int = 20) -> dict[str, float]:
    """Learn independent columns; return the highest probability, and the pairs above 0.5."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({f"x{v}": rng.integers(2 + v % 3, size=rows) for v in range(columns)})
    gaps = table.astype(object).mask(missing_cells(table, "at random", 0.3, rng))
    found = LSBN(missing="infer", random_state=seed).fit(gaps).edge_probabilities_.toarray()
    pairs = np.triu(found + found.T)
    return {"highest": float(pairs.max()), "above 0.5": float((pairs > 0.5).sum())}


def f_score(graph: nx.Graph, net: BayesianNetwork) -> float:
    """Return F of the skeleton, in percent."""
    return metrics.compare(graph, net.dag).f_score


def missing_cells(
    table: pd.DataFrame, kind: str, share: float, rng: np.random.Generator
) -> np.ndarray:
    """Choose missing cells: a mask, row by column.

    If they depend on columns, the odds of a column are up to seven times larger in the last state
    of its complete column than in the first.
    """
    rows, n = table.shape
    if kind == "at random":
        return rng.random((rows, n)) < share
    mask, order = np.zeros((rows, n), bool), rng.permutation(n)
    complete, others = order[: n // 4], order[n // 4 :]
    for v in others:
        codes = table.iloc[:, rng.choice(complete)].astype("category").cat.codes.to_numpy()
        weights = 0.25 + 1.5 * codes / max(codes.max(), 1)
        chances = share * n / len(others) * weights / weights.mean()
        mask[:, v] = rng.random(rows) < np.minimum(chances, 0.95)
    return mask


def miic(gaps: pd.DataFrame) -> nx.DiGraph | None:
    """Learn a graph by MIIC of pyAgrum, with missing values as a state; None without pyAgrum."""
    try:
        import pyagrum as gum
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        gaps.fillna("missing").to_csv(path, index=False)
        learner = gum.BNLearner(str(path))
        learner.useMIIC()
        found = learner.learnBN()
    graph = nx.DiGraph()
    graph.add_nodes_from(gaps.columns)
    graph.add_edges_from(
        (found.variable(u).name(), found.variable(v).name()) for u, v in found.arcs()
    )
    return graph


def accuracy(table: pd.DataFrame, mask: np.ndarray, method: str) -> float:
    """Return the share of missing cells that another method fills rightly, in percent."""
    codes = table.apply(lambda column: column.astype("category").cat.codes).to_numpy(float)
    gaps = np.where(mask, np.nan, codes)
    if method == "mode":
        filled = np.tile(pd.DataFrame(gaps).mode().iloc[0].to_numpy(), (len(gaps), 1))
    else:
        imputer = KNNImputer(n_neighbors=5) if method == "KNN" else IterativeImputer(random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the iterations may end before they converge
            filled = imputer.fit_transform(gaps)
    return 100 * float((np.rint(filled) == codes)[mask].mean())


if __name__ == "__main__":
    main()
