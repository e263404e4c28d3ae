"""The Markdown page of a study: tables, plots, and text that explains them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsbn.files import atomic_file
from lsbn.studies import published, sentences
from lsbn.studies.plots import PLOTS_MISSING, all_plots
from lsbn.studies.published import PERCENTAGES
from lsbn.studies.result_tables import main_tables, seconds_tables
from lsbn.studies.results import Results

__all__ = ["page", "write_page"]


@dataclass(frozen=True)
class _Plot:
    """A plot of the page: name of its file, title, and a text that explains its marks."""

    name: str
    title: str
    legend: str = ""

    def markdown(self, home: str) -> str:
        """Format the picture and, below it, the legend."""
        return f"![{self.title}]({home}/{self.name}.svg)\n\n{self.legend}"


F_PLOT = _Plot(
    "f_score",
    "F of every network and learner, ours and the paper's",
    "A disc is our F on one data table. A ring is the paper's F.",
)
PRECISION_RECALL_PLOT = _Plot(
    "precision_recall",
    "Precision and recall of the edge probabilities",
    "There is a curve for every data table, over all thresholds. The disc is the threshold 0.5. "
    "The ring is the paper's LSBN with model averaging.",
)
CALIBRATION_PLOT = _Plot(
    "calibration",
    "Calibration of the edge probabilities",
    "A ring is a bin of probabilities, pooled over seeds. Its size grows with the number of pairs.",
)
STAGE_PLOT = _Plot("stages", "Share of time by stage, LSBN with model averaging")
ROWS_PLOT = _Plot("rows", "F and seconds against rows")
PARTITION_TABLES = (
    "thresholds",
    "kept",
    "path",
    "diameter",
    "coverage",
    "sizes",
    "second_order",
    "aracne_thresholds",
)


def write_page(results: Results, folder: Path, target: Path) -> list[Path]:
    """Write the page, and its plots in a folder of the same name.

    Without matplotlib the page has no plots, and says how to get them.

    Parameters
    ----------
    results : Results
    folder : Path
        Folder of the study; the page shows its settings.
    target : Path
        A Markdown file, such as ``docs/paper.md``. The plots then go to ``docs/paper/``.

    Returns
    -------
    list of Path
        All files written.
    """
    about = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    plots = all_plots(results)
    texts = {target: page(results, about, target.stem, list(plots))}
    texts |= {target.parent / target.stem / f"{name}.svg": svg for name, svg in plots.items()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
    return list(texts)


def page(results: Results, about: dict[str, Any], home: str, plots: Sequence[str]) -> str:
    """Compose the text of the page.

    Parameters
    ----------
    results : Results
    about : dict
        Contents of the study's ``study.json``.
    home : str
        Folder of the plots, relative to the page.
    plots : sequence of str
        Names of the plots that exist.
    """
    tables = {t.name: t for t in (*main_tables(results), *seconds_tables(results))}

    def table(*names: str) -> str:
        return "\n".join(tables[n].markdown(level=3) for n in names if n in tables)

    def plot(shown: _Plot) -> str:
        return shown.markdown(home) if shown.name in plots else ""

    return _joined(
        _head(results, about, plots),
        _section("In short", sentences.in_short(results)),
        _section(
            "F by network and learner", plot(F_PLOT), sentences.gains(results), table("f_score")
        ),
        _section(
            "The comparison, network by network",
            table(*(f"comparison_{n}" for n in results.networks)),
        ),
        _section(
            "LSBN in percent of global",
            sentences.framework(results),
            table(*(f"normalised_{figure}" for figure in PERCENTAGES)),
        ),
        _section("Partitions", sentences.partition(results), table(*PARTITION_TABLES)),
        _section(
            "Edge probabilities",
            plot(PRECISION_RECALL_PLOT),
            plot(CALIBRATION_PLOT),
            sentences.calibration(results),
            table("probabilities"),
        ),
        _section(
            "Seconds",
            plot(STAGE_PLOT),
            sentences.seconds(results),
            table("stages", "seconds", "memory"),
        ),
        _section("Rows", plot(ROWS_PLOT), sentences.rows(results), table("rows", "rows_seconds")),
        _section("Peers", sentences.peers(results), table("peers")),
        _section("Misprints", sentences.misprint_counts(), table("misprints")),
        _commands(results, about),
    )


def _joined(*paragraphs: str) -> str:
    """Join paragraphs with blank lines, without the empty ones; end with a line break."""
    return "\n\n".join(stripped for p in paragraphs if (stripped := p.strip())) + "\n"


def _section(title: str, *paragraphs: str) -> str:
    """Put paragraphs under a title; empty if all paragraphs are."""
    return _joined(f"## {title}", *paragraphs) if any(paragraphs) else ""


def _head(results: Results, about: dict[str, Any], plots: Sequence[str]) -> str:
    seeds = ", ".join(map(str, results.seeds))
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    codes = sorted({o.code for o in results.outcomes.values()})
    lines = [
        "# The paper's study, repeated",
        "`lsbn study paper --page` generates this page. Every figure comes from the files of a "
        f"run. The run has {len(results.outcomes):,} cells: {results.rows:,} rows sampled from "
        f"each network, columns shuffled, seeds {seeds}. Our figure is left of the slash, the "
        "paper's figure right of it. *LSBN* is the framework with our defaults. *LSBN as "
        "published* is the framework with every choice as in the paper. *Global* is the learner "
        "alone on all variables at once.",
        f"Versions: {versions}; code {', '.join(codes)}.",
    ]
    if not plots:
        lines.append(f"This page has {PLOTS_MISSING}")
    return _joined(*lines)


def _commands(results: Results, about: dict[str, Any]) -> str:
    """Show the commands that make the study and this page."""
    settings = about["settings"]
    words = ["lsbn study paper"]
    if list(settings["networks"]) != list(published.NETWORKS):
        words.append("--networks " + " ".join(Path(n).name for n in settings["networks"]))
    if settings["rows"] != published.ROWS:
        words.append(f"--rows {settings['rows']}")
    if list(settings["seeds"]) != [0, 1, 2]:
        words.append("--seeds " + ",".join(map(str, settings["seeds"])) + ",")
    words += ["--rows-study"] if results.rows_networks else []
    words += ["--peers"] if results.peers else []
    return _section(
        "Commands",
        "```console\n"
        f"$ {' '.join(words)} -o runs/paper\n"
        "$ lsbn study paper -o runs/paper --resume                        # after a stop\n"
        "$ lsbn study paper -o runs/paper --resume --page docs/paper.md   # this page\n"
        "```",
        "The folder of the run contains `cells/` (a JSON file for every cell), `cells.csv` (the "
        "figures of all cells) and `tables/` (every table of this page as CSV).",
    )
