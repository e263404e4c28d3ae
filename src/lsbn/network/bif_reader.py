"""Read BIF text into plain arrays; `lsbn.network.bif` describes the format."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from lsbn.network.bif import EXACT_TOLERANCE, ROW_SUM_TOLERANCE, BIFContents, BIFError, unquote
from lsbn.network.portable import PROPERTY, restored

__all__ = ["parse_bif_text"]

_MOST_CELLS = 100_000_000
"""A larger table is refused: it would not fit into memory."""

_TOKEN = re.compile(r'[^\s{}()\[\];,|"]+|[{}()\[\];|]|"(?:[^"\\]|\\.)*"|"', re.DOTALL)
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|/\*', re.DOTALL)
_PUNCTUATION = frozenset("{}()[];|")


def parse_bif_text(text: str, source: str = "BIF text") -> BIFContents:
    """Read a BIF text.

    Parameters
    ----------
    text : str
        The whole file.
    source : str
        The name of the text in error messages, usually its path.

    Returns
    -------
    BIFContents
        Variables in the order of their ``variable`` blocks.

    Raises
    ------
    BIFError
        If the text is malformed or its probabilities are not distributions.
    """
    return _Reader(text, source).read()


@dataclass
class _Family:
    """One probability block: its variables, the values as text, and their places in the text."""

    child: int
    parents: list[int]
    shape: list[int]
    codes: list[dict[str, int]]
    rows: list[int]
    tokens: list[str]
    places: list[int]
    default: np.ndarray | None = None
    table: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return math.prod(self.shape)


class _Reader:
    """Reads the tokens in one pass; only an error computes a line number."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.text = self._without_comments(text)
        self.tokens = _TOKEN.findall(self.text)
        self.tokens.append("")
        self.at = 0
        self.name = "unknown"
        self.names: list[str] = []
        self.states: list[tuple[str, ...]] = []
        self.codes: list[dict[str, int]] = []
        self.index: dict[str, int] = {}
        self.originals: dict[int, str] = {}

    def read(self) -> BIFContents:
        """Read the blocks: variables first, then the probabilities that refer to them."""
        blocks = self._read_declarations()
        families: dict[int, _Family] = {}
        tables: dict[int, np.ndarray] = {}
        for start in blocks:
            self.at = start
            family = self._read_probability()
            if family.child in families:
                name = self.names[family.child]
                self.fail(f"a second probability block for variable {name!r}", start)
            families[family.child] = family
            tables[family.child] = self._table_of(family, start)
        for child, name in enumerate(self.names):
            if child not in families:
                self.fail(f"variable {name!r} has no probability block")
        order = range(len(self.names))
        contents = BIFContents(
            name=self.name,
            names=tuple(self.names),
            states=tuple(self.states),
            parents=tuple(np.array(families[v].parents, dtype=np.int64) for v in order),
            tables=tuple(tables[v] for v in order),
        )
        return restored(contents, self.originals)

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise a BIFError at the token with index `at`, by default at the end of the text."""
        position = len(self.text)
        if at is not None:
            for k, match in enumerate(_TOKEN.finditer(self.text)):
                if k == at:
                    position = match.start()
                    break
        self._fail_at(message, self.text, position)

    def _fail_at(self, message: str, text: str, position: int) -> NoReturn:
        line = text.count("\n", 0, position) + 1
        raise BIFError(f"{self.source}, line {line}: {message}")

    def _without_comments(self, text: str) -> str:
        """Replace comments by blanks; keep the line breaks, so that line numbers stay right."""
        if "//" not in text and "/*" not in text:
            return text

        def blank(match: re.Match[str]) -> str:
            found = match.group()
            if found == "/*":
                self._fail_at("a comment /* is never closed", text, match.start())
            return found if found[0] == '"' else " " + "\n" * found.count("\n")

        return _COMMENT.sub(blank, text)

    def _take(self, wanted: str) -> None:
        """Step over one token, which must be `wanted`."""
        found = self.tokens[self.at]
        if found != wanted:
            self.fail(f"expected {wanted!r}, found {found or 'the end of the file'!r}", self.at)
        self.at += 1

    def _word(self, what: str) -> str:
        """Step over a name and return it without quotes."""
        found = self.tokens[self.at]
        if found in _PUNCTUATION or found in ("", '"'):
            self.fail(f"expected {what}, found {found or 'the end of the file'!r}", self.at)
        self.at += 1
        return unquote(found)

    def _find(self, wanted: str, what: str) -> int:
        """Return the index of the next token that is `wanted`."""
        try:
            return self.tokens.index(wanted, self.at)
        except ValueError:
            self.fail(f"{what} is never closed with {wanted!r}", self.at)

    def _skip_property(self) -> None:
        self.at = self._find(";", "a property") + 1

    def _read_declarations(self) -> list[int]:
        """Read network and variable blocks; return where the probability blocks start."""
        blocks: list[int] = []
        while keyword := self.tokens[self.at]:
            if keyword == "probability":
                blocks.append(self.at)
                self.at = self._find("}", "a probability block") + 1
            elif keyword == "variable":
                self._read_variable()
            elif keyword == "network":
                self._read_network()
            else:
                self.fail(f"expected network, variable or probability, found {keyword!r}", self.at)
        if not self.names:
            self.fail("there is no variable block: is this a BIF file?")
        return blocks

    def _read_network(self) -> None:
        self.at += 1
        if self.tokens[self.at] != "{":
            self.name = self._word("the network's name")
        self._take("{")
        while self.tokens[self.at] == "property":
            self._skip_property()
        self._take("}")

    def _read_variable(self) -> None:
        start = self.at
        self.at += 1
        name = self._word("a variable's name")
        if name in self.index:
            self.fail(f"variable {name!r} is declared twice", start)
        states: tuple[str, ...] = ()
        self._take("{")
        while self.tokens[self.at] != "}":
            if self.tokens[self.at] == "property":
                if self.tokens[self.at + 1 : self.at + 3] == [PROPERTY, "="]:
                    self.originals[len(self.names)] = unquote(self.tokens[self.at + 3])
                self._skip_property()
            else:
                states = self._read_type(name)
        self._take("}")
        if not states:
            self.fail(f"variable {name!r} has no 'type discrete' statement", start)
        self.index[name] = len(self.names)
        self.names.append(name)
        self.states.append(states)
        self.codes.append({state: code for code, state in enumerate(states)})

    def _read_type(self, name: str) -> tuple[str, ...]:
        """Read ``type discrete [ 2 ] { yes, no };``."""
        start = self.at
        for wanted in ("type", "discrete", "["):
            self._take(wanted)
        count = self._word("the number of states")
        for wanted in ("]", "{"):
            self._take(wanted)
        end = self._find("}", f"the list of states of {name!r}")
        states = []
        while self.at < end:
            states.append(self._word(f"a state of {name!r}"))
        self._take("}")
        self._take(";")
        if str(len(states)) != count:
            self.fail(f"variable {name!r} declares {count} states and lists {len(states)}", start)
        if len(set(states)) < len(states):
            twice = next(s for k, s in enumerate(states) if s in states[:k])
            self.fail(f"variable {name!r} has the state {twice!r} twice", start)
        return tuple(states)

    def _read_probability(self) -> _Family:
        family = self._read_header()
        self._take("{")
        while (keyword := self.tokens[self.at]) != "}":
            if keyword == "(":
                self._read_row(family)
            elif keyword == "property":
                self._skip_property()
            elif keyword == "default":
                family.default = self._read_values(family, 1)[0]
            elif keyword == "table":
                r = len(self.states[family.child])
                values = self._read_values(family, family.n_rows)
                family.table = values.reshape(r, family.n_rows).T
            else:
                self.fail(f"expected a row, table, default or property, found {keyword!r}", self.at)
        self._take("}")
        return family

    def _read_header(self) -> _Family:
        """Read ``probability ( child | parent, parent )``."""
        start = self.at
        self.at += 1
        self._take("(")
        end = self._find(")", "the header of a probability block")
        variables: list[int] = []
        while self.at < end:
            if self.tokens[self.at] == "|" and len(variables) == 1:
                self.at += 1
                continue
            place = self.at
            name = self._word("a variable's name (one child, then its parents)")
            if name not in self.index:
                self.fail(f"variable {name!r} was never declared", place)
            variables.append(self.index[name])
        self.at = end + 1
        if not variables:
            self.fail("a probability block names no variable", start)
        child, *parents = variables
        if len(set(variables)) < len(variables):
            self.fail(f"{self.names[child]!r} has a parent twice, or itself as a parent", start)
        shape = [len(self.states[p]) for p in parents]
        if math.prod(shape) * len(self.states[child]) > _MOST_CELLS:
            self.fail(f"the table of {self.names[child]!r} has over {_MOST_CELLS:,} cells", start)
        return _Family(child, parents, shape, [self.codes[p] for p in parents], [], [], [])

    def _read_row(self, family: _Family) -> None:
        """Read ``(b1, c1) 0.1, 0.9;``; `_numbers` later converts the values of all rows at once."""
        k, r = len(family.parents), len(self.states[family.child])
        start = self.at
        row = self.tokens[start : start + k + r + 3]
        if len(row) < k + r + 3 or row[k + 1] != ")" or row[-1] != ";":
            self._fail_row(family, start)
        index = 0
        for j in range(k):
            state = family.codes[j].get(unquote(row[j + 1]))
            if state is None:
                parent = self.names[family.parents[j]]
                self.fail(f"{unquote(row[j + 1])!r} is not a state of {parent!r}", start + j + 1)
            index = index * family.shape[j] + state
        family.rows.append(index)
        family.tokens += row[k + 2 : -1]
        family.places.append(start)
        self.at = start + k + r + 3

    def _fail_row(self, family: _Family, start: int) -> NoReturn:
        """Raise an error that says what is wrong with a row."""
        child, k = self.names[family.child], len(family.parents)
        self.at = start
        close = self._find(")", f"a parent configuration of {child!r}")
        if close - start - 1 != k:
            self.fail(f"a row of {child!r} names {close - start - 1} states for {k} parents", start)
        end = self._find(";", f"a row of {child!r}")
        r, found = len(self.states[family.child]), end - close - 1
        if not _PUNCTUATION.isdisjoint(self.tokens[close + 1 : end]):
            self.fail(f"a row of {child!r} does not end with ';'", start)
        self.fail(f"a row of {child!r} has {found} probabilities for {r} states", start)

    def _read_values(self, family: _Family, n_rows: int) -> np.ndarray:
        """Read ``table 0.1, 0.9;`` or ``default ...``: `n_rows` rows of values, as in the file."""
        start, r = self.at, len(self.states[family.child])
        end = self._find(";", f"a {self.tokens[start]}")
        tokens = self.tokens[start + 1 : end]
        if len(tokens) != n_rows * r:
            self.fail(
                f"{self.tokens[start]} of {self.names[family.child]!r} has {len(tokens)} "
                f"probabilities, expected {n_rows * r}",
                start,
            )
        self.at = end + 1
        return self._numbers(tokens, [start + 1]).reshape(n_rows, r)

    def _numbers(self, tokens: Sequence[str], places: Sequence[int]) -> np.ndarray:
        """Turn tokens into probabilities; `places` are indices of tokens near them, for errors."""
        try:
            numbers = np.array(list(map(float, tokens)))
            if "_" in "".join(tokens):  # Python's 1_000
                raise ValueError
        except ValueError:
            numbers = np.array([_number(token) for token in tokens])
        valid = (numbers >= 0) & (numbers <= 1 + ROW_SUM_TOLERANCE)
        if not valid.all():
            k = int(np.argmin(valid))
            self.fail(f"{tokens[k]!r} is not a probability", places[k * len(places) // len(tokens)])
        return numbers

    def _table_of(self, family: _Family, start: int) -> np.ndarray:
        """Build the table of a block and check that every row is a distribution."""
        name, r = self.names[family.child], len(self.states[family.child])
        if family.table is not None:
            if family.rows or family.default is not None:
                self.fail(f"the block of {name!r} has a table and rows: keep one", start)
            return self._normalised(family, family.table, [start] * family.n_rows)
        table = np.full((family.n_rows, r), np.nan)
        if family.default is not None:
            table[:] = family.default
        if family.rows:
            if len(set(family.rows)) < len(family.rows):
                k = next(k for k, row in enumerate(family.rows) if row in family.rows[:k])
                twice = self._configuration(family, family.rows[k])
                self.fail(f"{name!r} has two rows for {twice}", family.places[k])
            values = self._numbers(family.tokens, family.places)
            table[family.rows] = values.reshape(len(family.rows), r)
        missing = np.isnan(table[:, 0])
        if missing.any():
            first = self._configuration(family, int(np.argmax(missing)))
            self.fail(f"{name!r} has no row for {first} and no default", start)
        places = [start] * family.n_rows
        for row, place in zip(family.rows, family.places, strict=True):
            places[row] = place
        return self._normalised(family, table, places)

    def _normalised(self, family: _Family, table: np.ndarray, places: list[int]) -> np.ndarray:
        """Divide rows by their sum if they differ from 1 by rounding only."""
        sums = table.sum(axis=1)
        off = np.abs(sums - 1)
        if (off > ROW_SUM_TOLERANCE).any():
            row = int(np.argmax(off > ROW_SUM_TOLERANCE))
            where = self._configuration(family, row)
            hint = ""
            if family.table is not None and family.parents:
                hint = "; in a table with parents the child must vary slowest (JavaBayes' order)"
            self.fail(
                f"the probabilities of {self.names[family.child]!r} given {where} "
                f"sum to {sums[row]:.6g}, not 1{hint}",
                places[row],
            )
        rough = off > EXACT_TOLERANCE
        table[rough] /= sums[rough, None]
        return np.ascontiguousarray(table)

    def _configuration(self, family: _Family, row: int) -> str:
        """Return the text of a parent configuration."""
        if not family.parents:
            return "no parents"
        codes = np.unravel_index(row, family.shape)
        pairs = zip(family.parents, codes, strict=True)
        return ", ".join(f"{self.names[p]} = {self.states[p][int(s)]}" for p, s in pairs)


def _number(token: str) -> float:
    """Return the number in a token, or NaN."""
    try:
        return math.nan if "_" in token else float(token)
    except ValueError:
        return math.nan
