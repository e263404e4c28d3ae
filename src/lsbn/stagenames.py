"""The names of the stages, the same in the terminal, on the page and in Python."""

__all__ = ["STAGES", "duration", "stage_name"]

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


def duration(seconds: float) -> str:
    """Return a number of seconds in words.

    Examples
    --------
    >>> duration(42.4), duration(150), duration(7000)
    ('42.4 s', '2 min 30 s', '1 h 56 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
