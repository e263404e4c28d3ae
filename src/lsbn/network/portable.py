"""Names that every reader of BIF accepts, and the way back to the original names.

pgmpy and pyAgrum do not read names in quotes, such as ``"wet grass"`` or ``"[32.1, 40.8]"``. A
portable file has names of letters, digits and underscores only. Where a name was changed, a
property of the variable has the original ones. `lsbn.network.read_bif` restores them, other readers
skip the property:

    property lsbn_names = "wet%20grass dry %5B1%2C%202%5D";

It has the name of the variable and those of its states, with all other characters as percent codes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote

from lsbn.network.bif import BIFContents

__all__ = ["PROPERTY", "original_names", "portable", "restored"]

PROPERTY = "lsbn_names"
_RESERVED = frozenset(
    ["network", "variable", "probability", "property", "type", "discrete", "table", "default"]
)


def portable(contents: BIFContents) -> tuple[BIFContents, dict[int, str]]:
    """Make all names safe.

    Parameters
    ----------
    contents : BIFContents

    Returns
    -------
    contents : BIFContents
        With safe names.
    properties : dict of int to str
        The property of each variable with a changed name, as `format_bif` takes it.

    Examples
    --------
    >>> import numpy as np
    >>> parts = (("wet grass",), (("dry", "[1, 2]"),), (np.array([], int),), (np.eye(2)[:1],))
    >>> safe, properties = portable(BIFContents("n", *parts))
    >>> safe.names, safe.states
    (('wet_grass',), (('dry', '1_to_2'),))
    >>> properties
    {0: 'lsbn_names = "wet%20grass dry %5B1%2C%202%5D"'}
    """
    names = _safe_words(contents.names, "x")
    states = tuple(_safe_words(labels, "s") for labels in contents.states)
    properties = {
        v: f'{PROPERTY} = "{" ".join(map(_quoted, (contents.names[v], *contents.states[v])))}"'
        for v in range(len(names))
        if (names[v], states[v]) != (contents.names[v], contents.states[v])
    }
    title = _safe_words([contents.name], "network")[0]
    return replace(contents, name=title, names=names, states=states), properties


def original_names(text: str) -> tuple[str, ...]:
    """Return the names in the text of a property."""
    return tuple(unquote(word) for word in text.split(" "))


def restored(contents: BIFContents, properties: Mapping[int, str]) -> BIFContents:
    """Give variables and states their original names; a property that does not fit is ignored.

    Examples
    --------
    >>> import numpy as np
    >>> parts = (("x",), (("a", "b"),), (np.array([], int),), (np.eye(2)[:1],))
    >>> restored(BIFContents("n", *parts), {0: "new%20x a b%21"}).states
    (('a', 'b!'),)
    """
    names, states = list(contents.names), list(contents.states)
    for v, text in properties.items():
        name, *labels = original_names(text)
        if len(set(labels)) == len(states[v]) == len(labels) and name:
            names[v], states[v] = name, tuple(labels)
    if len(set(names)) < len(names):
        return contents
    return replace(contents, names=tuple(names), states=tuple(states))


def _quoted(word: str) -> str:
    """Write a word with percent codes, also of the characters that have none in an address."""
    return quote(word, safe="").replace("~", "%7E")


def _safe_words(words: Sequence[str], prefix: str) -> tuple[str, ...]:
    """Make words of letters, digits and underscores, all different.

    >>> _safe_words(["[32.1, 40.8]", "a b", "a-b", "", "table"], "s")
    ('32_1_to_40_8', 'a_b', 'a_b_2', 's', 'table_2')
    """
    taken: set[str] = set(_RESERVED)
    kept = {word for word in words if re.fullmatch(r"[A-Za-z0-9_]+", word)} - _RESERVED
    safe = []
    for word in words:
        if word in kept:
            safe.append(word)
            continue
        interval = re.fullmatch(r"[\[(](.+), (.+)\]", word)
        text = f"{interval[1]} to {interval[2]}" if interval else word
        text = (
            re.sub(r"(?<!\w)-(?=\d)", "minus_", text).replace("<", "below_").replace(">", "above_")
        )
        base = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or prefix
        number, found = 2, base
        while found in taken or found in kept:
            found, number = f"{base}_{number}", number + 1
        taken.add(found)
        safe.append(found)
    return tuple(safe)
