"""Diagnostics in plain words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Finding", "findings"]

R_HAT_GOOD, R_HAT_BAD = 1.05, 1.1
FEW_DRAWS = 100
LARGE_ERROR = 0.05


@dataclass(frozen=True)
class Finding:
    """One sentence about how far a result can be trusted.

    Attributes
    ----------
    level : str
        ``good``, ``note`` or ``warning``.
    text : str
        What it is about, in a few words.
    why : str
        What it means, and what to do about it.
    """

    level: str
    text: str
    why: str


def findings(diagnostics: Mapping[str, Any]) -> list[Finding]:
    """Say what the diagnostics mean, warnings first.

    Figures are looked for at any depth, since a run over communities has those of each: the worst
    one counts.

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
        *_precision(diagnostics),
        *_notes(diagnostics),
    ]
    order = ("warning", "note", "good")
    return sorted(found, key=lambda finding: order.index(finding.level))


def _values(value: Any, key: str) -> Iterator[Any]:
    """Yield what stands under a key, at any depth of mappings and lists."""
    if isinstance(value, Mapping):
        if key in value:
            yield value[key]
        for name, inner in value.items():
            if name != key:
                yield from _values(inner, key)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _values(inner, key)


def _numbers(value: Any, key: str) -> list[float]:
    """Return the numbers under a key, at any depth; one entry may be a list of them."""
    flat: list[Any] = []
    for found in _values(value, key):
        if isinstance(found, Sequence) and not isinstance(found, str):
            flat.extend(found)
        elif isinstance(found, Mapping):
            flat.extend(found.values())
        else:
            flat.append(found)
    return [float(x) for x in flat if isinstance(x, int | float) and not isinstance(x, bool)]


def _method(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    """Say how the averages were made: in the last pass over everything, and in the communities."""
    whole = diagnostics.get("method")
    inner = {key: value for key, value in diagnostics.items() if key != "method"}
    parts = Counter(method for method in _values(inner, "method") if isinstance(method, str))
    exact, sampled = parts["exact"], parts["sampled"]
    if whole == "exact":
        why = "Every order of the variables was summed over, so there is no sampling error."
        yield Finding("good", "Exact averages", why)
    elif whole == "sampled":
        why = "Probabilities are averages over orders of the variables, drawn by several chains."
        yield Finding("good", "Averages over sampled orders", why)
    if exact or sampled:
        yield Finding(
            "good",
            f"Communities: {exact:,} exact, {sampled:,} sampled",
            "Small ones are averaged over all orders without sampling error, larger ones by "
            "sampling orders.",
        )


def _chains(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    chains, kept = (int(sum(_numbers(diagnostics, k))) for k in ("chains", "chains_kept"))
    if kept and kept < chains:
        yield Finding(
            "warning",
            f"{chains - kept:,} of {chains:,} chains left out",
            "They ended among orders that fit the data far worse than the best chain's, so they "
            "were not averaged. The posterior has separate modes; a run with another seed tells "
            "whether the best one was found.",
        )


def _r_hat(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    values = _numbers(diagnostics, "r_hat")
    if not values:
        return
    worst = max(values)
    above = int(sum(_numbers(diagnostics, "r_hat_above_1.1")))
    text = f"R-hat at most {worst:.3f}"
    if worst <= R_HAT_GOOD:
        yield Finding("good", text, "The chains agree about every edge (1 is perfect agreement).")
    elif worst <= R_HAT_BAD:
        why = "The chains agree nearly everywhere; up to 1.1 is usually taken as agreement."
        yield Finding("note", text, why)
    else:
        edges = f"{above:,} edge(s)" if above else "at least one edge"
        why = (
            f"The chains disagree about {edges}, so single probabilities may be off. "
            "Sample longer, or look at the answers of several seeds."
        )
        yield Finding("warning", f"R-hat up to {worst:.3g}", why)


def _precision(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    sizes, errors = (
        _numbers(diagnostics, key) for key in ("effective_sample_size", "standard_error")
    )
    error = f" Its standard error is {max(errors):.3g}." if errors else ""
    if sizes:
        least = min(sizes)
        level = "note" if least < FEW_DRAWS else "good"
        yield Finding(
            level,
            f"Effective sample size at least {least:,.0f}",
            f"The least certain edge rests on about {least:,.0f} independent draws.{error}",
        )
    if errors and max(errors) > LARGE_ERROR:
        yield Finding(
            "warning" if max(errors) > 2 * LARGE_ERROR else "note",
            f"Standard error up to {max(errors):.2g}",
            "Probabilities near the threshold could fall on its other side in another run. Sample "
            "longer where such an edge matters.",
        )


def _notes(diagnostics: Mapping[str, Any]) -> Iterator[Finding]:
    for key, level, text in (
        ("warnings", "warning", "Warning"),
        ("notes", "note", "About the table"),
    ):
        for found in _values(diagnostics, key):
            for why in [found] if isinstance(found, str) else (found or ()):
                yield Finding(level, text, str(why))
