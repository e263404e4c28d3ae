"""Names that every reader of BIF accepts, and the way back to the original names.

pgmpy and pyAgrum do not read names in quotes, such as ``"wet grass"`` or ``"[32.1, 40.8]"``. A
portable file has names of letters, digits and underscores only. Where a name was changed, a
property of the variable has the original ones. `lsbn.network.read_bif` restores them, other readers
skip the property:

    property lsbn_names = "wet%20grass dry %5B1%2C%202%5D";

It has the name of the variable and those of its states, with all other characters as percent codes.

pyAgrum does not read variables with a single state. They get a second state, `NEVER`, of
probability 0, which is not in the property, so that `lsbn.network.read_bif` removes it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote

import numpy as np

from lsbn.network.bif import BIFContents

__all__ = ["PROPERTY", "original_names", "portable", "restored"]

PROPERTY = "lsbn_names"
NEVER = "never"
"""The second state of a variable that has only one."""
_RESERVED = frozenset(
    ["network", "variable", "probability", "property", "type", "discrete", "table", "default"]
)
_WORD = r"[A-Za-z0-9_]+"


def portable(
    contents: BIFContents, reserved: frozenset[str] = _RESERVED, word: str = _WORD
) -> tuple[BIFContents, dict[int, str]]:
    """Make all names safe.

    Parameters
    ----------
    contents : BIFContents
    reserved : frozenset of str
        Words of the file format, which are not names.
    word : str
        Regular expression of the names of variables.

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
    single = [v for v, states in enumerate(contents.states) if len(states) == 1]
    original, contents = contents, _with_states(contents, single, [0, 0])
    names = _safe_words(contents.names, "x", reserved, word)
    states = tuple(_safe_words(labels, "s") for labels in contents.states)
    properties = {
        v: f'{PROPERTY} = "{" ".join(map(_quoted, (original.names[v], *original.states[v])))}"'
        for v in range(len(names))
        if (names[v], states[v]) != (original.names[v], original.states[v])
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
    named = {v: original_names(text) for v, text in properties.items()}
    single = [
        v
        for v, words in named.items()
        if len(words) == 2 and len(contents.states[v]) == 2 and not contents.tables[v][:, 1].any()
    ]
    contents = _with_states(contents, single, [0])
    names, states = list(contents.names), list(contents.states)
    for v, (name, *labels) in named.items():
        if len(set(labels)) == len(states[v]) == len(labels) and name:
            names[v], states[v] = name, tuple(labels)
    if len(set(names)) < len(names):
        return contents
    return replace(contents, names=tuple(names), states=tuple(states))


def _with_states(contents: BIFContents, variables: Sequence[int], places: list[int]) -> BIFContents:
    """Give some variables the first of their states only ([0]), or also `NEVER` ([0, 0]).

    The tables of their children have the rows of these states.
    """
    states, tables = list(contents.states), list(contents.tables)
    for v, parents in enumerate(contents.parents if variables else ()):
        cells = tables[v].reshape(*(len(contents.states[p]) for p in parents), -1)
        for axis, p in enumerate(parents.tolist()):
            cells = cells.take(places, axis) if p in variables else cells
        tables[v] = cells.reshape(-1, cells.shape[-1])
    for v in variables:
        states[v] = (states[v][0], NEVER)[: len(places)]
        tables[v] = tables[v][:, places] * (np.arange(len(places)) == 0)
    return replace(contents, states=tuple(states), tables=tuple(tables))


def _quoted(word: str) -> str:
    """Write a word with percent codes, also of the characters that have none in an address."""
    return quote(word, safe="").replace("~", "%7E")


def _safe_words(
    words: Sequence[str], prefix: str, reserved: frozenset[str] = _RESERVED, form: str = _WORD
) -> tuple[str, ...]:
    """Make words of letters, digits and underscores, all different.

    >>> _safe_words(["[32.1, 40.8]", "a b", "a-b", "", "table"], "s")
    ('32_1_to_40_8', 'a_b', 'a_b_2', 's', 'table_2')
    >>> _safe_words(["1st", "x_1st"], "x", form="[a-z][0-9_a-z]*")
    ('x_1st_2', 'x_1st')
    """
    taken: set[str] = set(reserved)
    kept = {word for word in words if re.fullmatch(form, word)} - reserved
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
        base = base if re.fullmatch(form, base) else f"{prefix}_{base}"
        number, found = 2, base
        while found in taken or found in kept:
            found, number = f"{base}_{number}", number + 1
        taken.add(found)
        safe.append(found)
    return tuple(safe)
