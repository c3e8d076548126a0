# SPDX-License-Identifier: GPL-3.0-or-later
"""What is released: the same bytes from any checkout, as the extension platform wants it, of one version."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("extension", "platform_rules", "release")


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, ModuleType]]:
    """The tools as modules, which import each other by name."""
    pytest.importorskip("bpy", reason="the program that builds extensions comes with bpy")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        yield {name: _loaded(name) for name in TOOLS}
    finally:
        sys.path.remove(str(ROOT / "tools"))
        for name in TOOLS:
            sys.modules.pop(name, None)


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_of_the_tree(folder: Path, date: float) -> Path:
    """Return a copy as another machine would have it: made in another order, with other dates and modes."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "tests", "docs"))
    for path in folder.rglob("*"):
        os.utime(path, (date, date))
        path.chmod(0o755 if path.is_dir() or date > 1e9 else 0o600)
    return folder


@pytest.fixture(scope="module")
def archive(tools: dict[str, ModuleType], tmp_path_factory: pytest.TempPathFactory) -> Path:
    built: Path = tools["extension"].build(tmp_path_factory.mktemp("dist"))
    return built


@pytest.fixture(scope="module")
def small(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The few files of the zip that a rule looks for, which is quick to read."""
    kept = {"blender_manifest.toml", "LICENSE", "__init__.py", "operators/share_report.py", "files/placing.py"}
    place: Path = tmp_path_factory.mktemp("small") / archive.name
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(place, "w") as opened:
        for name in kept:
            opened.writestr(name, whole.read(name))
    return place


def test_any_checkout_gives_the_same_bytes(tools: dict[str, ModuleType], archive: Path, tmp_path: Path) -> None:
    for number, date in enumerate((1e9 + 86400.0, 0.9e9)):
        tree = copy_of_the_tree(tmp_path / f"tree{number}", date)
        assert tools["extension"].build(tmp_path / f"dist{number}", tree).read_bytes() == archive.read_bytes()


def test_the_zip_is_as_the_platform_wants_it(tools: dict[str, ModuleType], archive: Path) -> None:
    assert tools["platform_rules"].faults_of(archive) == []


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("solver/fast.so", "\x7fELF", "solver/fast.so: only text belongs in it"),
        (".github/hidden.py", "", ".github/hidden.py: hidden or left over"),
        ("Files/placing.py", "", "is there twice where capitals do not count"),
        ("rig/läufe.py", "", "rig/läufe.py: not a plain path"),
        ("rig/more.py", "import urllib.request\n", "the code needs the permission network"),
        ("rig/more.py", "\nimport pip\n", "rig/more.py:2: pip installs things"),
        ("rig/more.py", "from toehold.rig import checks\n", "rig/more.py:1: imports of its own have to be relative"),
        ("rig/more.py", "import sys\nsys.path.append('.')\n", "rig/more.py:2: sys.path is Blender's"),
        ("rig/more.py", "exec('1')\n", "rig/more.py:1: exec runs what cannot be reviewed"),
        ("rig/more.py", "from urllib.parse import unquote\n", None),
    ],
)
def test_what_the_platform_refuses_is_told(
    tools: dict[str, ModuleType], small: Path, tmp_path: Path, name: str, content: str, told: str | None
) -> None:
    spoilt = Path(shutil.copy(small, tmp_path))
    with zipfile.ZipFile(spoilt, "a") as opened:
        opened.writestr(name, content)
    faults = tools["platform_rules"].faults_of(spoilt)
    if told is None:
        assert faults == []
    else:
        assert len(faults) >= 1
        assert any(told in fault for fault in faults)


@pytest.mark.parametrize(
    ("line", "other", "told"),
    [
        ('license = ["SPDX:GPL-3.0-or-later"]', 'license = ["SPDX:MIT"]', "license has to be SPDX:GPL-3.0-or-later"),
        ('name = "Toehold"', 'name = "Toehold for Blender"', "the name must not have Blender in it"),
        ("[permissions]", '[permissions]\ncamera = "To look at you"', "nothing needs the permission camera"),
        ('clipboard = "', '# "', "the code needs the permission clipboard"),
        ('tagline = "Finds when', 'tagline = "Finds, in all of this world, by day and night, when', "tagline"),
    ],
)
def test_what_the_manifest_says_is_held_against_the_code(
    tools: dict[str, ModuleType], small: Path, tmp_path: Path, line: str, other: str, told: str
) -> None:
    spoilt = tmp_path / small.name
    with zipfile.ZipFile(small) as whole, zipfile.ZipFile(spoilt, "w") as opened:
        for name in whole.namelist():
            content = whole.read(name).decode()
            if name == "blender_manifest.toml":
                assert line in content
                content = content.replace(line, other)
            opened.writestr(name, content)
    assert any(told in fault for fault in tools["platform_rules"].faults_of(spoilt))


def test_manifest_package_and_changelog_tell_one_version(tools: dict[str, ModuleType], tmp_path: Path) -> None:
    assert tools["release"].check_versions(ROOT)
    for name in ("blender_manifest.toml", "pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(text.replace("## ", "## 9.0.0\n\n- New.\n\n## ", 1), encoding="utf-8")
    with pytest.raises(tools["release"].FaultError, match=r"versions differ: .*CHANGELOG.md 9.0.0"):
        tools["release"].check_versions(tmp_path)
