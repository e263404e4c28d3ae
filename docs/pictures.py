"""Draw the README's picture: ``python docs/pictures.py`` writes docs/alarm.svg.

The true alarm network, and over it the communities that `lsbn.partition.ropart` found in 20,000
rows sampled from it.
"""

from html import escape
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.spatial import ConvexHull

from lsbn import Dataset, load_network
from lsbn.partition import ropart

WIDTH, HEIGHT, MARGIN = 1000, 620, 60
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948")


def main() -> None:
    """Sample, partition, draw."""
    net = load_network("alarm")
    found = ropart(Dataset.from_table(net.sample(20_000, random_state=0)))
    communities = [c for c in found.communities if len(c) > 1]
    place = layout(net.dag)
    points = np.array([place[name] for name in net.names])
    parts = [halo(points[c], COLOURS[k % len(COLOURS)]) for k, c in enumerate(communities)]
    parts += [arrow(points[u], points[v]) for v, above in enumerate(net.parents) for u in above]
    parts += [label(point, name) for point, name in zip(points, net.names, strict=True)]
    target = Path(__file__).with_name("alarm.svg")
    target.write_text(page(parts), encoding="utf-8")
    print(f"{target}: {len(communities)} communities of two variables or more")


def layout(dag: nx.DiGraph) -> dict[str, np.ndarray]:
    """Place the nodes by path lengths, scaled to the page."""
    graph = dag.to_undirected()
    pieces = sorted(nx.connected_components(graph), key=len, reverse=True)
    for small in pieces[1:]:  # keep loose pieces near, without showing the link
        graph.add_edge(min(small), min(pieces[0]))
    raw = nx.kamada_kawai_layout(graph)
    low, high = np.min(list(raw.values()), axis=0), np.max(list(raw.values()), axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    return {name: MARGIN + (xy - low) / (high - low) * room for name, xy in raw.items()}


def halo(points: np.ndarray, colour: str) -> str:
    """Draw a soft shape around the points: their convex hull with a broad round rim."""
    if len(points) > 2:
        points = points[ConvexHull(points).vertices]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"
    return (
        f'<path d="{path}" fill="{colour}" stroke="{colour}" stroke-width="46" '
        'stroke-linejoin="round" stroke-linecap="round" opacity="0.16"/>'
    )


def arrow(tail: np.ndarray, head: np.ndarray) -> str:
    """Draw an edge that ends just before its nodes."""
    way = (head - tail) / np.linalg.norm(head - tail)
    (x1, y1), (x2, y2) = tail + 7 * way, head - 9 * way
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#444" '
        'stroke-width="1.2" marker-end="url(#tip)"/>'
    )


def label(point: np.ndarray, name: str) -> str:
    """Draw a node with its name above."""
    x, y = point
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="#222"/>'
        f'<text x="{x:.1f}" y="{y - 10:.1f}" text-anchor="middle">{escape(name)}</text>'
    )


def page(parts: list[str]) -> str:
    """Put the parts into an SVG file."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11">\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" fill="#444"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
