r"""The Bayesian Interchange Format (BIF): its dialect, its contents, and how to write it.

`lsbn.network.bif_reader` reads it. The dialect is that of the Bayesian network repository, with
the extensions of the original proposal (Cozman 1998, as read by JavaBayes):

- Comments are ``// ...`` and ``/* ... */``. Commas count as white space. The reader skips
  ``property`` statements.
- A name or a state is a run of characters other than white space and ``{}()[];,|"``. Or it is a
  text in double quotes, in which ``\"`` and ``\\`` mean a quote and a backslash.
- A block ``probability ( child | parents )`` holds one statement for each configuration of the
  parents, ``(b1, c1) 0.1, 0.9;``, in any order. ``default 0.5, 0.5;`` gives the values of the
  configurations without a statement. The bar in the header is optional.
- Or the block holds one statement ``table`` with all values, in the order of JavaBayes: the
  variables come in the order of the header and the last one varies fastest, so **the child varies
  slowest**. The table of a variable without parents is its distribution.

Blocks may come in any order.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = [
    "EXACT_TOLERANCE",
    "ROW_SUM_TOLERANCE",
    "BIFContents",
    "BIFError",
    "format_bif",
    "unquote",
]

ROW_SUM_TOLERANCE = 0.005
"""A row whose sum differs from 1 by at most this (rounded decimals) is divided by its sum."""

EXACT_TOLERANCE = 1e-12
"""A row whose sum is closer to 1 is not changed, so that writing and reading changes no bit."""

_PLAIN = re.compile(r'[^\s{}()\[\];,|"]+')
_ESCAPE = re.compile(r'\\(["\\])')


class BIFError(ValueError):
    """A BIF text is not readable; the message starts with the source and the line."""


@dataclass(frozen=True)
class BIFContents:
    """The contents of a BIF text; the fields are those of `lsbn.network.BayesianNetwork`."""

    name: str
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[np.ndarray, ...]
    tables: tuple[np.ndarray, ...]


def format_bif(contents: BIFContents, properties: Mapping[int, str] | None = None) -> str:
    """Write a network as BIF text; `parse_bif_text` reads back the same bits.

    Parameters
    ----------
    contents : BIFContents
    properties : mapping of int to str, optional
        Statements ``property`` of some variables, without the word and the semicolon.

    Examples
    --------
    >>> rain = BIFContents("n", ("rain",), (("no", "yes"),), (np.array([], int),), (np.eye(2)[:1],))
    >>> print(format_bif(rain))
    network n {
    }
    variable rain {
      type discrete [ 2 ] { no, yes };
    }
    probability ( rain ) {
      table 1.0, 0.0;
    }
    <BLANKLINE>
    """
    quoted = [[_bif_word(state) for state in states] for states in contents.states]
    names = [_bif_word(name) for name in contents.names]
    out = [f"network {_bif_word(contents.name)} {{\n}}\n"]
    for v, (name, states) in enumerate(zip(names, quoted, strict=True)):
        listed = ", ".join(states)
        out.append(f"variable {name} {{\n  type discrete [ {len(states)} ] {{ {listed} }};\n")
        if properties and v in properties:
            out.append(f"  property {properties[v]};\n")
        out.append("}\n")
    for name, parents, table in zip(names, contents.parents, contents.tables, strict=True):
        rows = [", ".join(map(repr, row)) for row in table.tolist()]
        if len(parents) == 0:
            out.append(f"probability ( {name} ) {{\n  table {rows[0]};\n}}\n")
            continue
        out.append(f"probability ( {name} | {', '.join(names[p] for p in parents)} ) {{\n")
        shape = [len(quoted[p]) for p in parents]
        for configuration, row in zip(np.ndindex(*shape), rows, strict=True):
            given = ", ".join(quoted[p][s] for p, s in zip(parents, configuration, strict=True))
            out.append(f"  ({given}) {row};\n")
        out.append("}\n")
    return "".join(out)


def _bif_word(word: str) -> str:
    """Put a name into double quotes if it is not a word of BIF."""
    if _PLAIN.fullmatch(word) and "//" not in word and "/*" not in word:
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquote(token: str) -> str:
    """Return a token of BIF without its quotes and escapes."""
    if token[0] != '"':
        return token
    return _ESCAPE.sub(r"\1", token[1:-1])
