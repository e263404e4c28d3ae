"""Feed the commands mutated tables, networks and run folders.

    python tests/fuzz.py --inputs 3000

A command may refuse an input with one message and exit code 2. Anything else is a failure: another
exit code, a traceback, or an error that lsbn did not foresee.
"""

import argparse
import contextlib
import gzip
import io
import random
import shutil
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lsbn.cli import main
from lsbn.graph import EdgeProbabilities
from lsbn.network import load_network
from lsbn.runs import Summary, write_run

TEXTS = [
    *(
        "",
        "0",
        "-1",
        "1e400",
        "nan",
        "inf",
        "-0.0",
        "9" * 40,
        "007",
        "?",
        "*",
        "NA",
        "null",
        "true",
    ),
    *(
        '"',
        "'",
        ",",
        ";",
        "\t",
        "\n",
        "\r\n",
        "\0",
        "\\",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "|",
        "%",
        "@",
    ),
    *("=cmd()", "2020-02-30", "2020-01-01T00:00Z", "ü", "日本", "\ufeff", " ", "  ", "[" * 3000),
    *("@data", "@attribute x {", "variable", "probability", "table", "default", "source,target\n"),
    *("[]", "{}", "[[]]", '"x"', '{"a": 1}', "\\ud800", "1.5", "0.5 0.5", "property", "//", "/*"),
]
BYTES = [b"\xff", b"\xfe\xff", b"\x00", b"\xed\xa0\x80", b"\x1f\x8b", b"PAR1"]


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Change a file in one to four places: insert, remove, repeat, exchange or flip."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        a = rng.randrange(len(data) + 1)
        b = min(len(data), a + rng.choice([1, 1, 2, 5, 20, 200]))
        kind = rng.randrange(7)
        if kind == 0:
            data[a:a] = rng.choice(TEXTS).encode("utf-8", "replace")
        elif kind == 1:
            data[a:b] = rng.choice(TEXTS).encode("utf-8", "replace")
        elif kind == 2:
            del data[a:b]
        elif kind == 3:
            data[a:a] = data[a:b] * rng.choice([1, 2, 50])
        elif kind == 4:
            data[a:a] = rng.choice(BYTES)
        elif kind == 5 and data:
            place = rng.randrange(len(data))
            data[place] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.1:
            del data[a:]
    return bytes(data)


class Target:
    """One kind of input: original files, and the commands that read a mutated one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self, rng: random.Random) -> list[str]:
        """Write a mutated input and return the words of a command."""
        raise NotImplementedError


class Tables(Target):
    """CSV, TSV, TXT, ARFF, gzip and Parquet files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        rng = np.random.default_rng(0)
        n = 40
        table = pd.DataFrame(
            {
                "id": np.arange(n),
                "age": rng.integers(18, 90, n),
                "size": rng.normal(size=n).round(2),
                "when": pd.date_range("2020-01-30", periods=n).astype(str),
                "sex": rng.choice(["f", "m", "?"], n),
                "ok": rng.choice([True, False], n),
            }
        )
        text = table.to_csv(index=False)
        arff = "@relation r\n" + "".join(
            f"@attribute {name} {kind}\n"
            for name, kind in zip(
                table.columns,
                ("numeric", "integer", "real", "string", "{f,m,'?'}", "{True,False}"),
                strict=True,
            )
        )
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pandas(table), buffer)
        self.files = {
            "t.csv": text.encode(),
            "t.tsv": text.replace(",", "\t").encode(),
            "t.txt": text.replace(",", " ").encode(),
            "t.arff": (arff + "@data\n" + text.split("\n", 1)[1]).encode(),
            "t.csv.gz": text.encode(),
            "t.parquet": buffer.getvalue(),
        }

    def prepare(self, rng: random.Random) -> list[str]:
        name, content = rng.choice(list(self.files.items()))
        data = mutated(content, rng)
        if name.endswith(".gz"):
            data = gzip.compress(data)
            data = mutated(data, rng) if rng.random() < 0.3 else data
        (self.folder / name).write_bytes(data)
        options = rng.choice(
            [[], ["--discretize", "quantile"], ["--missing", "drop", "--discretize", "when=month"]]
        )
        return [
            "check",
            str(self.folder / name),
            *options,
            *rng.choice([[], ["--na", "?"], ["--skip", "1"]]),
        ]


class Networks(Target):
    """BIF files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        net = load_network("alarm")
        net.write_bif(folder / "net.bif")
        text = (folder / "net.bif").read_text()
        small = (
            "network small {}\nvariable a { type discrete [ 2 ] { yes, no }; }\n"
            'variable "b c" { type discrete [ 3 ] { low, mid, high }; property p = 1; }\n'
            "probability ( a ) { table 0.2, 0.8; }\n"
            'probability ( "b c" | a ) { (yes) 0.1, 0.2, 0.7; (no) 0.5, 0.25, 0.25; }\n'
        )
        self.contents = [text[:1500].encode(), small.encode(), small.encode(), text.encode()]

    def prepare(self, rng: random.Random) -> list[str]:
        (self.folder / "net.bif").write_bytes(mutated(rng.choice(self.contents), rng))
        output = str(self.folder / "rows.csv")
        return ["sample", str(self.folder / "net.bif"), "--rows", "3", "-o", output, "--force"]


class Runs(Target):
    """Run folders with one broken file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        edges = EdgeProbabilities(np.diag([0.9, 0.8, 0.02], 1), "abcd")
        diagnostics = {
            "method": "sampled",
            "chains": 4,
            "r_hat": 1.02,
            "effective_sample_size": 300.0,
            "standard_error": 0.01,
            "log_scores": [-10.5, -11.0],
            "searches": 2,
            "doubtful_variables": ["a"],
            "communities": [{"variables": 2, "sub_communities": 1, "method": "exact"}],
            "notes": ["one note"],
            "not_run": {"merge": "no need"},
        }
        summary = Summary(
            4,
            10,
            {"command": "learn", "truth": None, "threshold": 0.5},
            0,
            {"total": 1.0},
            diagnostics,
        )
        write_run(folder / "whole", summary, [["a", "b"], ["b", "c", "d"]], edges=edges)

    def prepare(self, rng: random.Random) -> list[str]:
        run = self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.folder / "whole", run)
        names = ["summary.json", "summary.json", "communities.json", "edges.csv"]
        path = run / rng.choice(names)
        path.write_bytes(mutated(path.read_bytes(), rng))
        whole = str(self.folder / "whole")
        return rng.choice(
            [
                ["report", str(run)],
                ["report", str(run)],
                ["evaluate", str(run), "--truth", str(self.folder / "whole" / "edges.csv")],
                ["evaluate", whole, "--truth", str(run / "edges.csv")],
            ]
        )


TARGETS = {"tables": Tables, "networks": Networks, "runs": Runs}


def outcome(words: list[str]) -> str:
    """Run a command; return an empty text, or what is wrong."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except BaseException:
        return traceback.format_exc()
    text = err.getvalue()
    good = code == 0 or (code == 2 and text.startswith("lsbn: error: "))
    return "" if good and "Traceback" not in text else f"exit code {code}: {text}"


def fuzz(kind: str, inputs: int, seed: int = 0) -> list[str]:
    """Try a number of inputs of one kind; return the failures."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        target = TARGETS[kind](Path(name))
        for number in range(inputs):
            words = target.prepare(random.Random(f"{kind} {seed} {number}"))
            if wrong := outcome(words):
                failures.append(f"{kind}, seed {seed}, input {number}: {words[:1]} {wrong}")
    return failures


def run_all() -> int:
    """Run all targets; print the failures and their number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=TARGETS, default=list(TARGETS))
    arguments = parser.parse_args()
    total = 0
    for kind in arguments.kinds:
        begin = time.perf_counter()
        failures = fuzz(kind, arguments.inputs, arguments.seed)
        print("\n".join(failures))
        seconds = time.perf_counter() - begin
        print(f"{kind}: {arguments.inputs:,} inputs, {len(failures):,} failures, {seconds:.0f} s")
        total += len(failures)
    return min(total, 1)


if __name__ == "__main__":
    raise SystemExit(run_all())
