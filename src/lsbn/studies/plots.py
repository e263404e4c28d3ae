"""The study's plots, drawn from the finished cells with matplotlib.

Matplotlib is optional: ``pip install 'lsbn[plots]'``. Without it the study has no plots.
"""

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lsbn.studies import published
from lsbn.studies.cells import Outcome
from lsbn.studies.comparison import BINS, MODEL_AVERAGING, ROWS_STUDY
from lsbn.studies.results import (
    LEARNER_NAMES,
    SCOPE_NAMES,
    Results,
    printed_figures,
    stage_seconds,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS_MISSING", "all_plots", "plots_available", "pooled_calibration"]

PLOTS_MISSING = "no plots, because matplotlib is not installed; run: pip install 'lsbn[plots]'"
"""What the study says when it cannot draw."""

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "lsbn",
    "svg.fonttype": "none",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.edgecolor": "#d8dde3",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#d8dde3",
    "text.color": "#2b323a",
    "axes.labelcolor": "#2b323a",
    "xtick.color": "#2b323a",
    "ytick.color": "#2b323a",
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.wspace": 0.04,
}
"""Settings of matplotlib for the plots. The fixed salt makes the SVG files reproducible."""

COLOURS = ("#2a6fbb", "#d1495b", "#3c8d5a", "#8a5fb0", "#c98a1b", "#4f9aa8", "#7a6a58")
SCOPE_COLOURS = {"lsbn": COLOURS[0], "global": COLOURS[1], "paper": COLOURS[2]}

WIDTH = 1010
"""Width of every plot, in points."""

COLUMNS = 5
"""Panels in a row: the paper has five networks."""

PERCENT_TICKS = (0, 25, 50, 75, 100)

SCOPE_OFFSETS = {"lsbn": -0.25, "paper": 0.0, "global": 0.25}
"""Vertical distance of a scope's dots from the line of their learner."""

LINE_WIDTHS = {"global": 4.0, "paper": 1.4, "lsbn": 1.4}
"""Line width of each scope, in drawing order. Wide lines come first, so that equal curves show."""


def plots_available() -> bool:
    """Tell whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def all_plots(results: Results) -> dict[str, str]:
    """Draw every plot that the finished cells allow.

    Returns
    -------
    dict of str to str
        SVG text by the name of the plot; empty without matplotlib. The same results give the same
        text.
    """
    if not plots_available():
        return {}
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        return {name: _svg(title, figure) for name, title, figure in _figures(results)}


def _figures(results: Results) -> Iterator[tuple[str, str, "Figure"]]:
    """Draw the plots: name, title and figure of each."""
    yield "f_score", "F by network and learner", f_plot(results)
    if results.has_curves:
        title = "Precision and recall of the edge probabilities"
        yield "precision_recall", title, precision_recall_plot(results)
        yield "calibration", "Calibration of the edge probabilities", calibration_plot(results)
    if any(stage_seconds(results, n) for n in results.networks):
        yield "stages", "Share of time by stage", stage_plot(results)
    if results.rows_networks:
        yield "rows", "F and seconds against rows", rows_plot(results)


def _svg(title: str, figure: "Figure") -> str:
    """Give the text of the SVG file, without date and version."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return file.getvalue()


@dataclass(frozen=True)
class _Mark:
    """A disc, or a ring, in a colour; with a name it is an entry of the legend."""

    colour: str
    filled: bool = True
    name: str = ""

    def draw(self, axes: "Axes", x: float, y: float, radius: float) -> None:
        """Draw the mark at a point; the radius is in points."""
        axes.plot([x], [y], **self._options(radius), clip_on=False, zorder=3)

    def entry(self) -> Any:
        """Make the mark's entry in a legend."""
        from matplotlib.lines import Line2D

        return Line2D([], [], **self._options(4.5), label=self.name)

    def _options(self, radius: float) -> dict[str, Any]:
        return {
            "linestyle": "none",
            "marker": "o",
            "markersize": 2 * radius,
            "markeredgecolor": self.colour,
            "markerfacecolor": self.colour if self.filled else "none",
            "markeredgewidth": 1.6,
        }


def _figure(height: float, marks: Sequence[_Mark]) -> "Figure":
    """Make an empty figure with a legend on top; the height is in points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 72, height / 72), layout="constrained")
    entries = [mark.entry() for mark in marks]
    figure.legend(handles=entries, loc="outside upper left", ncols=len(entries))
    return figure


def _panels(
    figure: "Figure", networks: Sequence[str], x_label: str, y_label: str = ""
) -> list["Axes"]:
    """Add a panel for each network, five in a row. Only the first of a row has a y label."""
    lines = math.ceil(len(networks) / COLUMNS)
    grid = figure.subplots(lines, COLUMNS, squeeze=False).ravel().tolist()
    for k, (axes, network) in enumerate(zip(grid, networks, strict=False)):
        axes.set_title(network)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label if k % COLUMNS == 0 else "")
        axes.tick_params(labelleft=k % COLUMNS == 0)
    for unused in grid[len(networks) :]:
        unused.set_axis_off()
    return grid[: len(networks)]


def _scope_marks(results: Results, prefix: str = "") -> list[_Mark]:
    """Make the marks of the scopes, for the legend."""
    return [_Mark(SCOPE_COLOURS[s], name=prefix + SCOPE_NAMES[s]) for s in results.scopes]


def _drawing_order(results: Results) -> list[str]:
    return [scope for scope in LINE_WIDTHS if scope in results.scopes]


def f_plot(results: Results) -> "Figure":
    """Draw F of every network and learner: a disc for each data table, rings for the paper."""
    learners = results.paper_learners
    lines = math.ceil(len(results.networks) / COLUMNS)
    rings = {
        s: _Mark(SCOPE_COLOURS[s], False, f"paper, {SCOPE_NAMES[s]}")
        for s in published.PRINTED_SCOPES
    }
    marks = [*_scope_marks(results, "ours, "), *rings.values()]
    figure = _figure(60 + (30 * len(learners) + 90) * lines, marks)
    panels = _panels(figure, results.networks, "F, percent")
    for axes, network in zip(panels, results.networks, strict=True):
        axes.set_xlim(0, 100)
        axes.set_xticks(PERCENT_TICKS)
        axes.set_ylim(len(learners) - 0.5, -0.5)
        axes.set_yticks(range(len(learners)), [LEARNER_NAMES[x] for x in learners])
        for i, learner in enumerate(learners):
            for scope, ring in rings.items():
                if printed := printed_figures(network, learner, scope):
                    ring.draw(axes, printed.f_score, i + SCOPE_OFFSETS[scope], 5)
            for scope in results.scopes:
                for value in results.values(network, learner, scope, "f_score"):
                    disc = _Mark(SCOPE_COLOURS[scope])
                    disc.draw(axes, value, i + SCOPE_OFFSETS[scope], 2)
    return figure


def precision_recall_plot(results: Results) -> "Figure":
    """Draw a curve for every data table. Discs are at 0.5, the ring is the paper's LSBN."""
    lines = math.ceil(len(results.networks) / COLUMNS)
    ring = _Mark(SCOPE_COLOURS["lsbn"], False, "paper, LSBN")
    figure = _figure(50 + 205 * lines, [*_scope_marks(results), ring])
    panels = _panels(figure, results.networks, "recall, percent", "precision, percent")
    for axes, network in zip(panels, results.networks, strict=True):
        axes.set(xlim=(0, 100), ylim=(0, 100), xticks=PERCENT_TICKS, yticks=PERCENT_TICKS)
        axes.set_box_aspect(1)
        for scope in _drawing_order(results):
            colour, width = SCOPE_COLOURS[scope], LINE_WIDTHS[scope]
            for outcome in results.with_curves(network, scope):
                points = outcome.curves["precision_recall"]
                precision, recall = [p for _, p, _ in points], [r for _, _, r in points]
                axes.plot(recall, precision, color=colour, linewidth=width)
                figures = outcome.figures
                disc = _Mark(colour)
                disc.draw(axes, figures["recall"], figures["precision"], 2 + width / 2)
        if printed := printed_figures(network, MODEL_AVERAGING, "lsbn"):
            ring.draw(axes, printed.recall, printed.precision, 5)
    return figure


def pooled_calibration(outcomes: Sequence[Outcome]) -> list[tuple[float, float, int]]:
    """Pool the calibration bins of several data tables.

    Returns
    -------
    list of (float, float, int)
        Mean probability, share of true edges and number of pairs of every bin that has pairs.
    """
    pooled = []
    for b in range(BINS):
        count, expected, true = 0, 0.0, 0.0
        for bins in (o.curves["calibration"] for o in outcomes):
            if n := bins["counts"][b]:
                count += n
                expected += n * bins["predicted"][b]
                true += n * bins["observed"][b]
        if count:
            pooled.append((expected / count, true / count, count))
    return pooled


def calibration_plot(results: Results) -> "Figure":
    """Draw the share of true edges against the probability, pooled over seeds.

    The radius of a ring grows with the logarithm of the number of pairs.
    """
    lines = math.ceil(len(results.networks) / COLUMNS)
    figure = _figure(50 + 205 * lines, _scope_marks(results))
    ticks = (0, 0.25, 0.5, 0.75, 1)
    panels = _panels(figure, results.networks, "probability", "share of true edges")
    for axes, network in zip(panels, results.networks, strict=True):
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_xticks(ticks, [f"{v:g}" for v in ticks])
        axes.set_yticks(ticks, [f"{v:g}" for v in ticks])
        axes.set_box_aspect(1)
        axes.plot([0, 1], [0, 1], color="#8d96a0", linewidth=1, linestyle=(0, (4, 3)))
        for scope in _drawing_order(results):
            ring = _Mark(SCOPE_COLOURS[scope], filled=False)
            for expected, true, count in pooled_calibration(results.with_curves(network, scope)):
                radius = LINE_WIDTHS[scope] / 2 + 1.2 * math.log10(count + 1)
                ring.draw(axes, expected, true, radius)
    return figure


def stage_plot(results: Results) -> "Figure":
    """Draw a bar for each network: the share of each stage, and the total seconds at its end."""
    by_network = {n: seconds for n in results.networks if (seconds := stage_seconds(results, n))}
    colours = _cycle(list(dict.fromkeys(s for seconds in by_network.values() for s in seconds)))
    figure = _figure(60 + 34 * len(by_network), [_Mark(c, name=s) for s, c in colours.items()])
    axes = figure.subplots()
    axes.grid(False)
    axes.set_frame_on(False)
    axes.set_xlim(0, 108)
    axes.set_xticks([])
    axes.set_ylim(len(by_network) - 0.5, -0.5)
    axes.set_yticks(range(len(by_network)), list(by_network))
    for k, seconds in enumerate(by_network.values()):
        left, total = 0.0, sum(seconds.values())
        for stage, spent in seconds.items():
            share = 100 * spent / total if total else 0.0
            axes.barh(k, share, left=left, height=0.65, color=colours[stage])
            left += share
        axes.text(101, k, f"{total:.1f} s", verticalalignment="center")
    return figure


def _cycle(names: Sequence[str]) -> dict[str, str]:
    """Give every name a colour; colours repeat if there are many names."""
    return {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(names)}


def rows_plot(results: Results) -> "Figure":
    """Draw F and seconds against rows: dots for data tables, lines through their means."""
    colours = _cycle(results.rows_networks)
    figure = _figure(350, [_Mark(c, name=n) for n, c in colours.items()])
    left, right = figure.subplots(1, 2)
    for axes, title, label in ((left, "F", "F, percent"), (right, "seconds", "wall seconds")):
        axes.set(title=title, xlabel="rows", ylabel=label, xscale="log")
        axes.set_xlim(ROWS_STUDY[0], ROWS_STUDY[-1])
        axes.set_xticks(ROWS_STUDY, [f"{r:,}" for r in ROWS_STUDY])
    left.set(ylim=(0, 100), yticks=PERCENT_TICKS)
    right.set(yscale="log")
    spent = []
    for network, colour in colours.items():
        cells = [
            (r, o) for r in ROWS_STUDY for o in results.of(network, MODEL_AVERAGING, "lsbn", r)
        ]
        seconds = [(r, float(o.seconds["total"])) for r, o in cells]
        _line_of_means(left, [(r, o.figures["f_score"]) for r, o in cells], colour)
        _line_of_means(right, seconds, colour)
        spent += [value for _, value in seconds]
    decades = _decades(spent)
    right.set_ylim(decades[0], decades[-1])
    right.set_yticks(decades, [f"{v:g}" for v in decades])
    for axes in (left, right):
        axes.minorticks_off()
    return figure


def _line_of_means(axes: "Axes", points: Sequence[tuple[int, float]], colour: str) -> None:
    """Draw a dot for every point, and a line through the mean of each x."""
    by_x: dict[int, list[float]] = {}
    for x, y in points:
        by_x.setdefault(x, []).append(y)
        _Mark(colour).draw(axes, x, y, 2.5)
    means = [sum(ys) / len(ys) for ys in by_x.values()]
    axes.plot(list(by_x), means, color=colour, linewidth=1.6)


def _decades(values: Sequence[float]) -> list[float]:
    """List the powers of ten from below the least value to above the greatest.

    Examples
    --------
    >>> _decades([0.5, 20])
    [0.1, 1.0, 10.0, 100.0]
    """
    low, high = max(min(values), 1e-3), max(*values, 1e-2)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high) + 1e-9)
    return [10.0**e for e in range(first, last + 1)]
