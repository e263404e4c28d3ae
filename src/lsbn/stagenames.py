"""The names of the stages, the same in the terminal, on the page and in Python."""

__all__ = ["STAGES", "stage_name"]

STAGES = {
    "sample": "sample the network",
    "read": "read the table",
    "complete": "draw the missing values",
    "partition": "partition the variables",
    "blankets": "find Markov blankets",
    "local": "learn the communities",
    "merge": "merge the communities",
    "last pass": "last pass: learn all variables",
    "learn": "learn all variables",
    "write": "write the files",
}
"""By the keys of ``diagnostics_.seconds`` and of summary.json."""


def stage_name(key: str, detail: str = "") -> str:
    """Return the name of a stage for readers; an unknown key is its own name.

    Examples
    --------
    >>> stage_name("read", "survey.csv"), stage_name("total")
    ('read the table (survey.csv)', 'total')
    """
    name = STAGES.get(key, key)
    return f"{name} ({detail})" if detail else name
