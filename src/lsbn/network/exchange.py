"""Write a network in the formats of other programs: BIF, XMLBIF and NET.

All three have safe names (`lsbn.network.portable`). The tests read them by pgmpy and pyAgrum.

- XMLBIF 0.3 (Cozman 1998): the values of a table come row by row; the child varies fastest, the
  first parent slowest. A property has the original names, as in BIF. There is no document type:
  pyAgrum does not read files that have one.
- NET, the format of Hugin: values come in the same order. The label of a node, which programs show,
  is the original name. Characters that would end the label are underscores in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from xml.sax.saxutils import escape

from lsbn.files import atomic_file
from lsbn.network.bif import BIFContents
from lsbn.network.network import BayesianNetwork
from lsbn.network.portable import portable

__all__ = ["format_net", "format_xmlbif", "kind_of", "write_network"]

ENDINGS = {
    "bif": (".bif", ".bif.gz"),
    "xmlbif": (".xmlbif", ".bifxml", ".xml"),
    "net": (".net",),
}
"""The formats, and the names of their files."""
_NET_RESERVED = frozenset(
    {"class", "continuous", "data", "decision", "discrete", "function", "label", "name", "net"}
    | {"node", "normal", "position", "potential", "states", "utility"}
)


def format_xmlbif(contents: BIFContents, properties: Mapping[int, str]) -> str:
    """Write a network with safe names as XMLBIF text.

    Parameters
    ----------
    contents : BIFContents
    properties : mapping of int to str
        A property of some variables, as `lsbn.network.portable.portable` returns it.

    Examples
    --------
    >>> import numpy as np
    >>> rain = BIFContents("n", ("rain",), (("no", "yes"),), (np.array([], int),), (np.eye(2)[:1],))
    >>> print(format_xmlbif(rain, {}))
    <?xml version="1.0" encoding="UTF-8"?>
    <BIF VERSION="0.3">
    <NETWORK>
    <NAME>n</NAME>
    <VARIABLE TYPE="nature">
      <NAME>rain</NAME>
      <OUTCOME>no</OUTCOME>
      <OUTCOME>yes</OUTCOME>
    </VARIABLE>
    <DEFINITION>
      <FOR>rain</FOR>
      <TABLE>1.0 0.0</TABLE>
    </DEFINITION>
    </NETWORK>
    </BIF>
    <BLANKLINE>
    """

    def element(tag: str, text: str) -> str:
        return f"  <{tag}>{escape(text)}</{tag}>\n"

    out = ['<?xml version="1.0" encoding="UTF-8"?>\n', '<BIF VERSION="0.3">\n']
    out.append(f"<NETWORK>\n{element('NAME', contents.name).lstrip()}")
    for v, (name, states) in enumerate(zip(contents.names, contents.states, strict=True)):
        out += ['<VARIABLE TYPE="nature">\n', element("NAME", name)]
        out += [element("OUTCOME", state) for state in states]
        out += [element("PROPERTY", properties[v])] if v in properties else []
        out.append("</VARIABLE>\n")
    for name, parents, table in zip(contents.names, contents.parents, contents.tables, strict=True):
        out += ["<DEFINITION>\n", element("FOR", name)]
        out += [element("GIVEN", contents.names[p]) for p in parents]
        out += [element("TABLE", " ".join(map(repr, table.ravel().tolist()))), "</DEFINITION>\n"]
    return "".join([*out, "</NETWORK>\n</BIF>\n"])


def format_net(contents: BIFContents, labels: tuple[str, ...]) -> str:
    """Write a network with safe names as NET text.

    Parameters
    ----------
    contents : BIFContents
    labels : tuple of str
        What programs show as the names of the variables.

    Examples
    --------
    >>> import numpy as np
    >>> rain = BIFContents("n", ("rain",), (("no", "yes"),), (np.array([], int),), (np.eye(2)[:1],))
    >>> print(format_net(rain, ("Rain today",)))
    net
    {
      name = "n";
    }
    node rain
    {
      label = "Rain today";
      states = ( "no" "yes" );
    }
    potential ( rain )
    {
      data = ( 1.0 0.0 );
    }
    <BLANKLINE>
    """
    out = [f'net\n{{\n  name = "{contents.name}";\n}}\n']
    for name, states, label in zip(contents.names, contents.states, labels, strict=True):
        listed = " ".join(f'"{state}"' for state in states)
        shown = re.sub(r"[^\w .,:()<>=+%-]", "_", label)
        out.append(f'node {name}\n{{\n  label = "{shown}";\n  states = ( {listed} );\n}}\n')
    for name, parents, table in zip(contents.names, contents.parents, contents.tables, strict=True):
        above = " ".join(contents.names[p] for p in parents)
        head = f"{name} | {above}" if above else name
        shape = [len(contents.states[p]) for p in parents]
        rows = [" ".join(map(repr, row)) for row in table.tolist()]
        data = _nested(rows, shape)
        out.append(f"potential ( {head} )\n{{\n  data = {data};\n}}\n")
    return "".join(out)


def _nested(rows: list[str], shape: list[int]) -> str:
    """Put brackets around rows of a table, and around all rows of each state of a parent.

    >>> _nested(["a", "b", "c", "d"], [2, 2])
    '((( a )( b ))(( c )( d )))'
    """
    sizes = list(accumulate(reversed(shape), int.__mul__))
    out = []
    for k, row in enumerate(rows):
        opened = sum(k % size == 0 for size in sizes)
        closed = sum((k + 1) % size == 0 for size in sizes)
        out.append("(" * opened + f"( {row} )" + ")" * closed)
    return "".join(out)


def write_network(
    network: BayesianNetwork, path: str | os.PathLike[str], kind: str | None = None
) -> None:
    """Write a network to a file for other programs, whole or not at all.

    Parameters
    ----------
    network : BayesianNetwork
    path : str or path
        The file. pyAgrum expects XMLBIF in files that end in ``.bifxml``.
    kind : {"bif", "xmlbif", "net"}, optional
        The format; by default the ending of the file chooses it.

    Raises
    ------
    ValueError
        If the ending of the file does not fit.
    """
    kind = kind_of(path, kind)
    if kind == "bif":
        network.write_bif(path, portable=True)
        return
    contents = BIFContents(
        network.name, network.names, network.states, network.parents, network.tables
    )
    if kind == "net":
        safe, _ = portable(contents, _NET_RESERVED, "[A-Za-z_][A-Za-z0-9_]*")
        text = format_net(safe, network.names)
    else:
        text = format_xmlbif(*portable(contents))
    with atomic_file(path) as draft:
        draft.write_bytes(text.encode())


def kind_of(path: str | os.PathLike[str], kind: str | None = None) -> str:
    """Return the format of a file by its ending, which must fit the format that is given.

    >>> kind_of("a.bif.gz"), kind_of("a.xml")
    ('bif', 'xmlbif')
    """
    name = Path(path).name.lower()
    kinds = {kind: ENDINGS[kind]} if kind else ENDINGS
    for each, endings in kinds.items():
        if name.endswith(endings):
            return each
    known = ", ".join(ending for endings in kinds.values() for ending in endings)
    raise ValueError(f"{str(path)!r} must end in {known}")
