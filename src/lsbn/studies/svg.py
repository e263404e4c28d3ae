"""Plots as plain SVG, drawn by hand: panels with axes, lines, dots and a legend."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["COLOURS", "Panel", "Picture", "legend"]

COLOURS = ("#2a6fbb", "#d1495b", "#3c8d5a", "#8a5fb0", "#c98a1b", "#4f9aa8", "#7a6a58")
GREY, INK = "#d8dde3", "#2b323a"
Point = tuple[float, float]


@dataclass(frozen=True)
class Panel:
    """A rectangle with axes; data coordinates go to pixels.

    Attributes
    ----------
    left, top, width, height : float
        Place of the plotting area, in pixels.
    x, y : (float, float)
        Ranges of the data.
    log_x, log_y : bool
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    log_x: bool = False
    log_y: bool = False

    def at(self, x: float, y: float) -> Point:
        """Give the pixel of a point.

        Examples
        --------
        >>> Panel(10, 20, 100, 50, (0, 1), (2, 0)).at(0.5, 0)
        (60.0, 20.0)
        """
        across = _fraction(x, self.x, self.log_x)
        up = _fraction(y, self.y, self.log_y)
        return self.left + across * self.width, self.top + (1 - up) * self.height

    def frame(
        self,
        title: str,
        x_ticks: Sequence[tuple[float, str]],
        y_ticks: Sequence[tuple[float, str]],
        x_label: str = "",
        y_label: str = "",
    ) -> list[str]:
        """Draw title, grid, ticks and labels."""
        parts = [text(self.left + self.width / 2, self.top - 10, title, bold=True)]
        for value, name in x_ticks:
            px, _ = self.at(value, self.y[0])
            parts.append(line((px, self.top), (px, self.top + self.height), GREY))
            parts.append(text(px, self.top + self.height + 15, name))
        for value, name in y_ticks:
            _, py = self.at(self.x[0], value)
            parts.append(line((self.left, py), (self.left + self.width, py), GREY))
            parts.append(text(self.left - 6, py + 4, name, anchor="end"))
        middle = self.left + self.width / 2
        parts.append(text(middle, self.top + self.height + 32, x_label))
        if y_label:
            px, py = self.left - 38, self.top + self.height / 2
            parts.append(text(px, py, y_label, turn=True))
        return parts

    def path(self, points: Sequence[Point], colour: str, width: float = 1.6, dash: str = "") -> str:
        """Draw a line through data points."""
        if not points:
            return ""
        steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in (self.at(*p) for p in points))
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        return f'<path d="M{steps}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'

    def dot(
        self, x: float, y: float, colour: str, *, filled: bool = True, radius: float = 4
    ) -> str:
        """Draw a disc, or a ring."""
        px, py = self.at(x, y)
        return dot(px, py, colour, filled=filled, radius=radius)


@dataclass
class Picture:
    """Parts of an SVG file and its size."""

    title: str
    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def svg(self) -> str:
        """Give the file's text."""
        body = "\n".join(part for part in self.parts if part)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="11">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
        )


def legend(left: float, top: float, entries: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Draw names with their colours in a row; a ring where the mark is not filled."""
    parts, x = [], left
    for name, colour, filled in entries:
        parts.append(dot(x, top, colour, filled=filled, radius=4.5))
        parts.append(text(x + 10, top + 4, name, anchor="start"))
        x += 34 + 6.1 * len(name)
    return parts


def dot(x: float, y: float, colour: str, *, filled: bool = True, radius: float = 4) -> str:
    """Draw a disc, or a ring."""
    inside = colour if filled else "#ffffff"
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{inside}" '
        f'fill-opacity="{0.9 if filled else 0}" stroke="{colour}" stroke-width="1.6"/>'
    )


def line(start: Point, end: Point, colour: str, width: float = 1) -> str:
    """Draw a straight line in pixels."""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width:g}"/>'
    )


def bar(left: float, top: float, width: float, height: float, colour: str) -> str:
    """Draw a filled rectangle in pixels."""
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colour}"/>'
    )


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "middle",
    bold: bool = False,
    turn: bool = False,
) -> str:
    """Write words at a pixel."""
    if not words:
        return ""
    weight = ' font-weight="bold"' if bold else ""
    turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}"{weight}{turned}>'
        f"{escape(words)}</text>"
    )


def _fraction(value: float, limits: tuple[float, float], log: bool) -> float:
    low, high = limits
    if log:
        low, high, value = (math.log(max(v, 1e-12)) for v in (low, high, value))
    return (value - low) / (high - low) if high != low else 0.5
