"""Write the page: text, figures and tables here, the picture and all that moves in page.js.

The file makes no request of any kind. A content security policy that allows only the page's own
script and style, by their hashes, makes the browser hold it to that, and keeps names of variables
from ever running as code. All text of the user is escaped; the script sets text, never markup.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx

from lsbn.files import atomic_file
from lsbn.graph import EdgeProbabilities
from lsbn.metrics import compare
from lsbn.report.picture import payload
from lsbn.report.words import Finding, findings
from lsbn.runs import Run, Summary, load_truth
from lsbn.version import __version__

__all__ = ["report_from_run", "write_report"]

REPORT = "report.html"
LONGEST = 200
"""Entries of a list that are written out."""


def write_report(
    path: str | os.PathLike[str],
    *,
    edges: EdgeProbabilities,
    communities: Sequence[Sequence[str]],
    summary: Mapping[str, Any] | Summary,
    truth: nx.DiGraph | None = None,
    title: str | None = None,
) -> None:
    """Write one HTML file that shows what was learned.

    Parameters
    ----------
    path : str or path
        The file, written whole or not at all.
    edges : EdgeProbabilities
        Shown as `EdgeProbabilities.as_written` has them, so that page and edges.csv agree.
    communities : sequence of sequences of str
        Names of the variables of each community; may be empty.
    summary : mapping or Summary
        What summary.json holds; every part of it may be missing.
    truth : networkx.DiGraph, optional
        Over the same variables: hits, misses and errors are then shown.
    title : str, optional

    Raises
    ------
    ValueError
        If the truth or a community has variables that the edges do not have.
    """
    facts = asdict(summary) if isinstance(summary, Summary) else dict(summary)
    diagnostics = dict(facts.get("diagnostics") or {})
    facts["seconds"] = facts.get("seconds") or diagnostics.pop("seconds", None) or {}
    edges = edges.as_written()
    skeleton = edges.skeleton(0.5).number_of_edges()
    evaluation = facts.get("evaluation")
    if truth is not None:
        evaluation = compare(edges.dag(0.5), truth).as_dict()
    said = findings(diagnostics)
    name = title or f"Bayesian network of {_count(edges.n_variables, 'variable')}"
    data = payload(edges, communities, truth)
    page = _filled(
        _asset("page.html"),
        {
            "title": escape(name),
            "subtitle": _subtitle(facts),
            "tiles": _tiles(edges, communities, facts, skeleton, evaluation),
            "alert": _alert(said),
            "plain": _plain_edges(data),
            "findings": _findings(said),
            "seconds": _seconds(facts["seconds"]),
            "settings": _settings(facts),
            "recorded": _value(diagnostics),
            "version": escape(__version__),
            "style": _asset("page.css"),
            "script": _asset("page.js"),
            "style_hash": _hash(_asset("page.css")),
            "script_hash": _hash(_asset("page.js")),
            "data": _embedded(data),
        },
    )
    with atomic_file(path) as draft:
        draft.write_bytes(page.encode("utf-8", "xmlcharrefreplace"))


def report_from_run(
    run_folder: str | os.PathLike[str] | Run,
    *,
    truth: nx.DiGraph | None = None,
    title: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Path:
    """Write the page of a run folder, from what lies in it.

    Parameters
    ----------
    run_folder : str, path or Run
    truth : networkx.DiGraph, optional
        By default the one that the run was made with, where it is still found.
    title : str, optional
        By default the name of the folder.
    output : str or path, optional
        By default ``report.html`` in the folder.

    Returns
    -------
    Path
        The file.
    """
    run = run_folder if isinstance(run_folder, Run) else Run(Path(run_folder))
    summary = run.summary
    edges = run.edges()
    communities = run.communities if (run.path / "communities.json").is_file() else []
    if truth is None:
        truth = _truth_of(summary, edges.names)
    target = Path(output) if output is not None else run.path / REPORT
    write_report(
        target,
        edges=edges,
        communities=communities,
        summary=summary,
        truth=truth,
        title=title or run.path.resolve().name or None,
    )
    return target


def _truth_of(summary: Mapping[str, Any], names: Sequence[str]) -> nx.DiGraph | None:
    """Load the truth that a run names; a file that has gone since is no error."""
    source = (summary.get("settings") or {}).get("truth")
    if not isinstance(source, str):
        return None
    try:
        return load_truth(source, names)
    except (OSError, ValueError):
        return None


# -- the frame -------------------------------------------------------------------------------------


def _asset(name: str) -> str:
    return (files("lsbn.report") / name).read_text(encoding="utf-8")


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill the template in one pass, so that nothing filled in is read as a template again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(value: Any) -> str:
    """Write JSON that can stand inside a script element: no ``<``, ``>`` or ``&``, only ASCII."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- what was learned ------------------------------------------------------------------------------


def _count(number: int, thing: str) -> str:
    many = thing[:-1] + "ies" if thing.endswith("y") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"


def _subtitle(facts: Mapping[str, Any]) -> str:
    """Say in a line how this was learned."""
    settings = facts.get("settings") or {}
    parts = []
    learner, scope = settings.get("learner"), settings.get("scope")
    if learner:
        how = f"learned by {learner}"
        parts.append(how + {"global": ", all variables at once"}.get(str(scope), ""))
    source = settings.get("data")
    if isinstance(source, str):
        parts.append(f"from {Path(source).name}")
    if facts.get("seed") is not None:
        parts.append(f"seed {facts['seed']}")
    return escape(" · ".join(map(str, parts)))


def _tiles(
    edges: EdgeProbabilities,
    communities: Sequence[Sequence[str]],
    facts: Mapping[str, Any],
    skeleton: int,
    evaluation: Mapping[str, Any] | None,
) -> str:
    large = sum(len(set(community)) > 1 for community in communities)
    tiles = [(f"{edges.n_variables:,}", "variables", "")]
    if isinstance(facts.get("rows"), int):
        tiles.append((f"{facts['rows']:,}", "rows", ""))
    tiles.append((f"{skeleton:,}", "edges above 0.5", ""))
    if communities:
        tiles.append((f"{large:,}", "communities", "of two variables or more"))
    total = (facts.get("seconds") or {}).get("total")
    if isinstance(total, int | float):
        tiles.append((_duration(total), "in all", ""))
    if evaluation:
        note = "{hits:,} hits, {misses:,} misses, {errors:,} errors".format(**evaluation)
        tiles.append((f"{evaluation['f_score']:.1f} %", "F against the truth", note))
    return "".join(
        f'<div class="tile" title="{escape(note)}"><strong>{escape(figure)}</strong>'
        f"<span>{escape(word)}</span></div>"
        for figure, word, note in tiles
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _alert(said: Sequence[Finding]) -> str:
    warnings = [finding for finding in said if finding.level == "warning"]
    if not warnings:
        return ""
    text = "; ".join(finding.text for finding in warnings[:3])
    return f'<a class="alert" href="#diagnostics">Read before use: {escape(text)}</a>'


def _plain_edges(data: Mapping[str, Any], most: int = 100) -> str:
    """List the most probable edges for browsers that run no script."""
    names, pairs = data["names"], data["pairs"]
    rows = list(zip(pairs["a"], pairs["b"], pairs["f"], pairs["r"], strict=True))[:most]
    items = "".join(
        f"<li><bdi>{escape(names[a])}</bdi> → <bdi>{escape(names[b])}</bdi> {f:.3f} "
        f"(the other way round {r:.3f})</li>"
        for a, b, f, r in rows
        if f > 0
    )
    return f"<p>The picture needs JavaScript. The most probable edges:</p><ol>{items}</ol>"


# -- diagnostics and settings ----------------------------------------------------------------------


def _findings(said: Sequence[Finding]) -> str:
    if not said:
        return "<p>The run recorded no diagnostics.</p>"
    items = "".join(
        f'<li class="{finding.level}"><strong>{escape(finding.text)}</strong> '
        f"<span>{escape(finding.why)}</span></li>"
        for finding in said
    )
    return f'<ul class="findings">{items}</ul>'


def _seconds(seconds: Mapping[str, Any]) -> str:
    """Return a table of the stages with a bar for the share of each."""
    stages = {k: float(v) for k, v in seconds.items() if isinstance(v, int | float)}
    total = stages.pop("total", sum(stages.values()))
    if not stages:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(str(stage))}</th><td class="number">{time:,.2f}</td>'
        '<td><svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * time / total if total > 0 else 0:.1f}" height="6"/></svg></td></tr>'
        for stage, time in stages.items()
    )
    return (
        '<h3>Seconds by stage</h3><table class="stages">'
        f'{rows}<tr><th scope="row">total</th><td class="number">{total:,.2f}</td><td></td></tr>'
        "</table>"
    )


def _settings(facts: Mapping[str, Any]) -> str:
    settings = dict(facts.get("settings") or {})
    if facts.get("seed") is not None:
        settings["seed"] = facts["seed"]
    versions = facts.get("versions") or {}
    parts = [f"<h3>Settings</h3>{_value(settings)}"] if settings else []
    if versions:
        parts.append(f"<h3>Versions</h3>{_value(versions)}")
    return "".join(parts)


def _value(value: Any, depth: int = 0) -> str:
    """Write any value of summary.json as HTML: mappings as lists of terms, the rest as text."""
    if isinstance(value, Mapping) and depth < 6:
        if not value:
            return "<p>nothing</p>"
        items = "".join(
            f"<dt>{escape(str(key))}</dt><dd>{_value(inner, depth + 1)}</dd>"
            for key, inner in value.items()
        )
        return f"<dl>{items}</dl>"
    if isinstance(value, Sequence) and not isinstance(value, str) and depth < 6:
        shown = value[:LONGEST]
        more = f" and {len(value) - LONGEST:,} more" if len(value) > LONGEST else ""
        if shown and all(isinstance(inner, Mapping) for inner in shown):
            return _table(shown, depth) + more
        return (", ".join(_value(inner, depth + 1) for inner in shown) or "none") + more
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e4 else f"{value:,.1f}"
    return escape("none" if value is None else str(value))


def _table(rows: Sequence[Mapping[str, Any]], depth: int) -> str:
    """Write a list of mappings with a column for each key."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    head = "".join(f'<th scope="col">{escape(str(key))}</th>' for key in keys)
    body = "".join(
        f"<tr><td>{number}</td>"
        + "".join(f"<td>{_value(row.get(key, ''), depth + 1)}</td>" for key in keys)
        + "</tr>"
        for number, row in enumerate(rows, 1)
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
