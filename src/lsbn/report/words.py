"""Explain the diagnostics of a run in words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Finding", "findings"]

R_HAT_GOOD, R_HAT_BAD = 1.05, 1.1
"""Up to the first value the chains agree; above the second value they disagree."""
FEW_DRAWS = 100
"""A smaller effective sample size is worth a note."""
LARGE_ERROR = 0.05
"""A larger standard error is worth a note; twice this error is worth a warning."""


@dataclass(frozen=True)
class Finding:
    """One statement about the reliability of a result.

    Attributes
    ----------
    level : str
        ``good``, ``note`` or ``warning``.
    text : str
        The statement, in a few words.
    why : str
        Its meaning, and what the user can do.
    """

    level: str
    text: str
    why: str


def findings(diagnostics: Mapping[str, Any], threshold: float = 0.5) -> list[Finding]:
    """Explain what the diagnostics of a run mean.

    Parameters
    ----------
    diagnostics : mapping
        A figure at the top level is about the whole result, so the same figure of the communities
        does not count. If the top level does not have a figure, the worst community counts. If the
        method of the whole is exact, there was no sampling, and figures about sampling do not
        count.
    threshold : float
        The threshold of the run.

    Returns
    -------
    list of Finding
        Warnings first, then notes, then good news.

    Examples
    --------
    >>> [f.text for f in findings({"method": "exact"})]
    ['Exact averages']
    >>> findings({"r_hat": 1.4})[0].level
    'warning'
    """
    found = [
        *_method(diagnostics),
        *_chains(diagnostics),
        *_r_hat(diagnostics),
        *_precision(diagnostics, threshold),
        *_notes(diagnostics),
    ]
    order = ("warning", "note", "good")
    return sorted(found, key=lambda finding: order.index(finding.level))


def _values(value: Any, key: str) -> Iterator[Any]:
    """Yield the values of a key in nested mappings and lists.

    A mapping that has the key speaks for all mappings inside it, so these are not searched.

    >>> list(_values({"r_hat": 1.0, "communities": [{"r_hat": 1.5}]}, "r_hat"))
    [1.0]
    >>> list(_values({"communities": [{"r_hat": 1.2}, {"r_hat": 1.5}]}, "r_hat"))
    [1.2, 1.5]
    """
    if isinstance(value, Mapping):
        if key in value:
            yield value[key]
            return
        for inner in value.values():
            yield from _values(inner, key)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _values(inner, key)


def _figures(diagnostics: Mapping[str, Any], key: str) -> list[float]:
    """Return the numbers of a key about sampling; none if the whole result is exact."""
    flat: list[Any] = []
    if diagnostics.get("method") == "exact":
        return []
    for found in _values(diagnostics, key):
        if isinstance(found, Sequence) and not isinstance(found, str):
            flat.extend(found)
        elif isinstance(found, Mapping):
            flat.extend(found.values())
        else:
            flat.append(found)
    return [float(x) for x in flat if isinstance(x, int | float) and not isinstance(x, bool)]


def _method(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    """Name the method of the whole result or, if there is none, the methods of the communities."""
    whole = diagnostics.get("method")
    if whole == "exact":
        why = "The average is over all orders of the variables, so there is no sampling error."
        yield Finding("good", "Exact averages", why)
    elif whole == "sampled":
        why = "Probabilities are averages over orders of the variables, sampled by several chains."
        yield Finding("good", "Averages over sampled orders", why)
    else:
        parts = {key: value for key, value in diagnostics.items() if key != "method"}
        methods = Counter(m for m in _values(parts, "method") if isinstance(m, str))
        exact, sampled = methods["exact"], methods["sampled"]
        if exact or sampled:
            yield Finding(
                "good",
                f"Communities: {exact:,} exact, {sampled:,} sampled",
                "The average is over all orders of the variables in small communities, and over "
                "sampled orders in large communities.",
            )


def _chains(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    chains, kept = (int(sum(_figures(diagnostics, k))) for k in ("chains", "chains_kept"))
    if kept and kept < chains:
        yield Finding(
            "warning",
            f"{chains - kept:,} of {chains:,} chains left out",
            "These chains ended at orders that fit the data much worse than those of the best "
            "chain, so the average does not include them. The posterior has several modes. Run "
            "again with another seed to see whether the best mode was found.",
        )


def _r_hat(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    values = _figures(diagnostics, "r_hat")
    if not values:
        return
    worst = max(values)
    above = int(sum(_figures(diagnostics, "r_hat_above_1.1")))
    text = f"R-hat at most {worst:.3f}"
    if worst <= R_HAT_GOOD:
        yield Finding("good", text, "The chains agree on every edge (1 is perfect agreement).")
    elif worst <= R_HAT_BAD:
        why = "The chains agree on nearly every edge. Values up to 1.1 usually count as agreement."
        yield Finding("note", text, why)
    else:
        edges = f"{above:,} edge(s)" if above else "at least one edge"
        why = (
            f"The chains disagree on {edges}, so some probabilities may be wrong. "
            "Sample longer, or compare the results of several seeds."
        )
        yield Finding("warning", f"R-hat up to {worst:.3g}", why)


def _precision(diagnostics: Mapping[str, Any], threshold: float) -> Iterator[Finding]:
    sizes, errors = (
        _figures(diagnostics, key) for key in ("effective_sample_size", "standard_error")
    )
    error = f" Its standard error is {max(errors):.3g}." if errors else ""
    if sizes:
        least = min(sizes)
        level = "note" if least < FEW_DRAWS else "good"
        yield Finding(
            level,
            f"Effective sample size at least {least:,.0f}",
            f"The probability of the least certain edge is worth about {least:,.0f} independent "
            f"draws.{error}",
        )
    if errors and max(errors) > LARGE_ERROR:
        yield Finding(
            "warning" if max(errors) > 2 * LARGE_ERROR else "note",
            f"Standard error up to {max(errors):.2g}",
            f"In another run, probabilities near the threshold {threshold:g} could be on its other "
            "side. Sample longer if such an edge matters.",
        )


def _notes(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    for key, level, text in (
        ("warnings", "warning", "Warning"),
        ("notes", "note", "About the table"),
    ):
        for found in _values(diagnostics, key):
            for why in [found] if isinstance(found, str) else (found or ()):
                yield Finding(level, text, str(why))
