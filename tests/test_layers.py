"""Imports go one way only; see the table of layers."""

import ast
from pathlib import Path

import pytest

import lsbn

SOURCE = Path(lsbn.__file__).parent
LAYERS = (
    {"kernels", "checkpoint", "files", "garbage", "parallel", "placing"}
    | {"plainfiles", "stagenames", "version", "workers"},
    {"data", "graph", "network", "metrics", "knowledge"},
    {"pairs"},
    {"partition", "learners"},
    {"framework"},
    {"answers"},
    {"missing"},
    {"runs", "runfiles"},
    {"report"},
    {"drafts", "firstuse", "fitted", "parameters"},
    {"fitting"},
    {"estimator"},
    {"studies", "cli", "__init__"},
)
"""Each layer may import from itself and from those before it."""

RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
MODULES = sorted(SOURCE.rglob("*.py"))


def owner(path):
    """First part of a module's name below lsbn."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def _called(node):
    """Name of the function that is called."""
    return getattr(node.func, "id", getattr(node.func, "attr", None))


def imported(path):
    """Parts of lsbn that a module imports, anywhere in its text."""
    package = ("lsbn", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            base = [*start, *(node.module.split(".") if node.module else [])]
            names = [base] if len(base) > 1 else [[*base, alias.name] for alias in node.names]
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            names = [str(getattr(node.args[0], "value", "")).split(".")]
        else:
            continue
        for parts in names:
            if parts[0] == "lsbn" and len(parts) > 1:
                yield parts[1] if parts[1] in RANK else "__init__"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_one_way(path):
    name = owner(path)
    assert name in RANK, f"give {name} a place in LAYERS"
    for other in imported(path):
        assert RANK[other] <= RANK[name], f"{name} imports {other}, which stands above it"


def test_partition_does_not_know_the_learners():
    """They share a layer; learners may import partition, but partition must not import learners."""
    assert [p for p in MODULES if owner(p) == "partition" and "learners" in imported(p)] == []


def test_kernels_import_nothing_else_of_the_package():
    for path in (p for p in MODULES if owner(p) == "kernels"):
        assert set(imported(path)) <= {"kernels"}


def test_no_module_shares_its_name_with_a_public_function():
    from lsbn import partition

    modules = {path.stem for path in (SOURCE / "partition").glob("*.py")}
    assert modules.isdisjoint(partition.__all__)
