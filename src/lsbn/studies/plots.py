"""The study's plots, from the finished cells."""

import math
from collections.abc import Iterator, Sequence

from lsbn.studies import published
from lsbn.studies.cells import Outcome
from lsbn.studies.comparison import BINS, MODEL_AVERAGING, ROWS_STUDY
from lsbn.studies.svg import COLOURS, Panel, Picture, Point, bar, legend, line, text
from lsbn.studies.tables import LEARNER_NAMES, SCOPE_NAMES, Results, printed_figures, stage_seconds

__all__ = ["all_plots"]

TICKS = [(v, f"{v:g}") for v in (0, 25, 50, 75, 100)]
LSBN_COLOUR, GLOBAL_COLOUR, PAPER_MODE_COLOUR = COLOURS[0], COLOURS[1], COLOURS[2]
SCOPE_COLOURS = {"lsbn": LSBN_COLOUR, "global": GLOBAL_COLOUR, "paper": PAPER_MODE_COLOUR}
LANES = {"lsbn": -0.25, "paper": 0.0, "global": 0.25}
"""Where the scopes stand within the line of a learner."""

BREADTH = {"global": 4.0, "paper": 1.4, "lsbn": 1.4}
"""Widths of lines: what is drawn first is broad, so that equal curves both show."""


def all_plots(results: Results) -> dict[str, str]:
    """Draw every plot for which there are cells; SVG text by name."""
    plots = {"f_score": f_plot(results)}
    if any(o.curves for o in results.outcomes.values()):
        plots["precision_recall"] = precision_recall_plot(results)
        plots["calibration"] = calibration_plot(results)
    if any(stage_seconds(results, n) for n in results.networks):
        plots["stages"] = stage_plot(results)
    if results.rows_networks:
        plots["rows"] = rows_plot(results)
    return plots


def _grid(count: int, width: float, height: float, top: float) -> Iterator[tuple[float, float]]:
    """Give the places of panels, five in a row."""
    for k in range(count):
        yield 90 + (k % 5) * width, top + (k // 5) * height


def f_plot(results: Results) -> str:
    """Dots for F of every network and learner, rings for the paper's."""
    learners = [x for x in published.LEARNERS if x in results.learners]
    lines = math.ceil(len(results.networks) / 5)
    step = 30 * len(learners) + 90
    picture = Picture("F by network and learner", 1010, 60 + step * lines)
    names = [(f"ours, {SCOPE_NAMES[s]}", SCOPE_COLOURS[s], True) for s in results.scopes]
    names += [(f"paper, {SCOPE_NAMES[s]}", SCOPE_COLOURS[s], False) for s in published.SCOPES]
    picture.parts += legend(90, 18, names)
    height = 30.0 * len(learners)
    places = _grid(len(results.networks), 182, step, 60)
    for k, (network, (left, top)) in enumerate(zip(results.networks, places, strict=True)):
        panel = Panel(left, top, 160, height, (0, 100), (len(learners) - 0.5, -0.5))
        ticks = [(i, LEARNER_NAMES[x] if k % 5 == 0 else "") for i, x in enumerate(learners)]
        picture.parts += panel.frame(network, TICKS, ticks, "F, percent")
        for i, learner in enumerate(learners):
            for scope in published.SCOPES:
                if printed := printed_figures(network, learner, scope):
                    colour = SCOPE_COLOURS[scope]
                    picture.parts.append(
                        panel.dot(printed.f_score, i + LANES[scope], colour, filled=False, radius=5)
                    )
            for scope in results.scopes:
                for value in results.values(network, learner, scope, "f_score"):
                    picture.parts.append(
                        panel.dot(value, i + LANES[scope], SCOPE_COLOURS[scope], radius=2)
                    )
    return picture.svg()


def precision_recall_plot(results: Results) -> str:
    """Draw a curve for every table; the disc is at 0.5, the ring is the paper's LSBN."""
    lines = math.ceil(len(results.networks) / 5)
    picture = Picture("Precision and recall of the edge probabilities", 1010, 60 + 230 * lines)
    names = [(SCOPE_NAMES[s], SCOPE_COLOURS[s], True) for s in results.scopes]
    picture.parts += legend(90, 18, [*names, ("paper, LSBN", LSBN_COLOUR, False)])
    places = _grid(len(results.networks), 182, 230, 60)
    for k, (network, (left, top)) in enumerate(zip(results.networks, places, strict=True)):
        panel = Panel(left, top, 150, 150, (0, 100), (0, 100))
        y_ticks = TICKS if k % 5 == 0 else [(v, "") for v, _ in TICKS]
        label = "precision, percent" if k % 5 == 0 else ""
        picture.parts += panel.frame(network, TICKS, y_ticks, "recall, percent", label)
        for scope in _drawn(results):
            colour = SCOPE_COLOURS[scope]
            for outcome in _with_curves(results, network, scope):
                points = [(r, p) for _, p, r in outcome.curves["precision_recall"]]
                picture.parts.append(panel.path(points, colour, BREADTH[scope]))
                figures = outcome.figures
                picture.parts.append(
                    panel.dot(
                        figures["recall"],
                        figures["precision"],
                        colour,
                        radius=2 + BREADTH[scope] / 2,
                    )
                )
        if printed := printed_figures(network, MODEL_AVERAGING, "lsbn"):
            ring = panel.dot(printed.recall, printed.precision, LSBN_COLOUR, filled=False, radius=5)
            picture.parts.append(ring)
    return picture.svg()


def _drawn(results: Results) -> list[str]:
    """Scopes in the order in which they are drawn, broad ones first."""
    return [scope for scope in BREADTH if scope in results.scopes]


def _with_curves(results: Results, network: str, scope: str) -> list[Outcome]:
    return [o for o in results.of(network, MODEL_AVERAGING, scope) if o.curves]


def pooled_calibration(outcomes: Sequence[Outcome]) -> list[tuple[float, float, int]]:
    """Pool the bins of several tables: mean probability, share of true edges, pairs."""
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


def calibration_plot(results: Results) -> str:
    """Draw predicted beside observed frequency, pooled over seeds; discs grow with the pairs."""
    lines = math.ceil(len(results.networks) / 5)
    picture = Picture("Calibration of the edge probabilities", 1010, 60 + 230 * lines)
    names = [(SCOPE_NAMES[s], SCOPE_COLOURS[s], True) for s in results.scopes]
    picture.parts += legend(90, 18, names)
    ticks = [(v, f"{v:g}") for v in (0, 0.25, 0.5, 0.75, 1)]
    places = _grid(len(results.networks), 182, 230, 60)
    for k, (network, (left, top)) in enumerate(zip(results.networks, places, strict=True)):
        panel = Panel(left, top, 150, 150, (0, 1), (0, 1))
        y_ticks = ticks if k % 5 == 0 else [(v, "") for v, _ in ticks]
        label = "share of true edges" if k % 5 == 0 else ""
        picture.parts += panel.frame(network, ticks, y_ticks, "probability", label)
        picture.parts.append(panel.path([(0, 0), (1, 1)], "#8d96a0", 1, "4 3"))
        for scope in _drawn(results):
            for expected, true, count in pooled_calibration(_with_curves(results, network, scope)):
                radius = BREADTH[scope] / 2 + 1.2 * math.log10(count + 1)
                picture.parts.append(
                    panel.dot(expected, true, SCOPE_COLOURS[scope], filled=False, radius=radius)
                )
    return picture.svg()


def stage_plot(results: Results) -> str:
    """Draw for each network a bar of the shares of the stages, with the seconds at its end."""
    by_network = {n: found for n in results.networks if (found := stage_seconds(results, n))}
    stages = list(dict.fromkeys(s for found in by_network.values() for s in found))
    colours = dict(zip(stages, COLOURS * (1 + len(stages) // len(COLOURS)), strict=False))
    picture = Picture("Share of time by stage", 1010, 60 + 34 * len(by_network))
    picture.parts += legend(110, 18, [(s, colours[s], True) for s in stages])
    for k, (network, found) in enumerate(by_network.items()):
        top, left, total = 44.0 + 34 * k, 110.0, sum(found.values())
        picture.parts.append(text(left - 8, top + 15, network, anchor="end"))
        for stage, seconds in found.items():
            width = 740 * seconds / total if total else 0.0
            picture.parts.append(bar(left, top, width, 22, colours[stage]))
            left += width
        picture.parts.append(text(110 + 748, top + 15, f"{total:.1f} s", anchor="start"))
    return picture.svg()


def rows_plot(results: Results) -> str:
    """F and seconds against rows, a line through the means of each network."""
    networks = results.rows_networks
    colours = dict(zip(networks, COLOURS * (1 + len(networks) // len(COLOURS)), strict=False))
    picture = Picture("F and seconds against rows", 1010, 350)
    picture.parts += legend(90, 18, [(n, colours[n], True) for n in networks])
    rows = [(r, f"{r:,}") for r in ROWS_STUDY]
    limits = (ROWS_STUDY[0], ROWS_STUDY[-1])
    left = Panel(90, 60, 390, 230, limits, (0, 100), log_x=True)
    spent = [
        o.seconds["total"]
        for n in networks
        for r in ROWS_STUDY
        for o in results.of(n, MODEL_AVERAGING, "lsbn", r)
    ]
    low, high = _decades(spent)
    right = Panel(580, 60, 390, 230, limits, (low, high), log_x=True, log_y=True)
    decades = [(10.0**e, f"{10.0**e:g}") for e in range(round(math.log10(low)), 7) if 10**e <= high]
    picture.parts += left.frame("F", rows, TICKS, "rows", "F, percent")
    picture.parts += right.frame("seconds", rows, decades, "rows", "wall seconds")
    for network in networks:
        for panel, figure in ((left, "f_score"), (right, "seconds")):
            points = _rows_points(results, network, figure)
            means = _means(points)
            picture.parts.append(panel.path(means, colours[network]))
            picture.parts += [panel.dot(x, y, colours[network], radius=2.5) for x, y in points]
    picture.parts.append(line((530, 50), (530, 310), "#eef0f3"))
    return picture.svg()


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Powers of ten around the values."""
    low, high = max(min(values), 1e-3), max(*values, 1e-2)
    return 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high) + 1e-9)


def _rows_points(results: Results, network: str, figure: str) -> list[Point]:
    points = []
    for r in ROWS_STUDY:
        for o in results.of(network, MODEL_AVERAGING, "lsbn", r):
            value = o.seconds["total"] if figure == "seconds" else o.figures[figure]
            points.append((float(r), float(value)))
    return points


def _means(points: Sequence[Point]) -> list[Point]:
    found: dict[float, list[float]] = {}
    for x, y in points:
        found.setdefault(x, []).append(y)
    return [(x, sum(ys) / len(ys)) for x, ys in found.items()]
