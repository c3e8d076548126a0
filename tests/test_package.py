# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip that an animator drags into Blender: what is in it, and that it works in a clean profile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("batch", "files", "operators", "panels", "presets", "rig", "settings", "solver", "translations")
BESIDE_THE_MODULES = {"blender_manifest.toml", "LICENSE", "README.md"}
OPERATORS = ("find_legs", "annotate_contacts", "clean", "restore_source", "report")

# Run by itself, in a profile with nothing in it: install, use, switch off.
IN_A_CLEAN_PROFILE = """
import importlib, json, sys
import bpy

archive, repository, scene = sys.argv[1:]
bpy.context.preferences.extensions.repos.new(name="Test", module="toehold_test", custom_directory=repository)
bpy.ops.extensions.package_install_files(filepath=archive, repo="toehold_test", enable_on_install=True)
module = "bl_ext.toehold_test.toehold"
found = {"enabled": module in bpy.context.preferences.addons}
try:
    bpy.ops.wm.open_mainfile(filepath=scene)
    known = lambda: sorted(name.removeprefix("TOEHOLD_OT_") for name in dir(bpy.types) if name.startswith("TOEHOLD_"))
    found["known"] = known()
    found["panels"] = [panel.__name__ for panel in bpy.types.Panel.__subclasses__() if module in panel.__module__]
    animation = bpy.context.object.animation_data
    source = animation.action.name
    bpy.ops.toehold.find_legs()
    bpy.ops.toehold.annotate_contacts()
    bpy.ops.toehold.clean()
    found["cleaned"] = animation.action.name != source
    bpy.ops.toehold.restore_source()
    api = importlib.import_module(module + ".api")
    found["api"] = api.__name__, api.measure(bpy.context.object).before.slide_mm_s > 50.0
    found["restored"] = animation.action.name == source
finally:
    bpy.ops.preferences.addon_disable(module=module)
found["left"] = known(), hasattr(bpy.types.Object, "toehold")
print("FOUND", json.dumps(found))
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("bpy", reason="the program that builds extensions comes with bpy")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(ROOT / "tools" / "extension.py"), "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("toehold-*.zip")
    return built


def test_the_zip_holds_the_add_on_and_nothing_else(archive: Path) -> None:
    paths = [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.p[yo]"))]
    with zipfile.ZipFile(archive) as opened:
        assert set(opened.namelist()) == {path.relative_to(ROOT).as_posix() for path in paths} | BESIDE_THE_MODULES


def test_the_zip_works_in_a_clean_profile_and_leaves_nothing_behind(archive: Path, tmp_path: Path) -> None:
    import bpy

    from support import walker
    from support.walker_armature import walking_armature

    walking_armature(walker.walk(strides=2.0, fps=30.0, slide_mm_s=150.0))
    scene = tmp_path / "walk.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CLEAN_PROFILE, str(archive), str(tmp_path / "repository"), str(scene)],
        env={**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "profile")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, done.stdout + done.stderr
    found = json.loads(lines[0].removeprefix("FOUND "))
    assert done.returncode == 0
    assert found["enabled"]
    assert set(OPERATORS) <= set(found["known"])
    assert found["panels"]
    assert found["cleaned"]
    assert found["restored"]
    assert found["api"] == ["bl_ext.toehold_test.toehold.api", True]
    assert found["left"] == [[], False]
    assert "Traceback" not in done.stderr


def test_the_package_has_a_name_of_its_own_and_is_imported_and_called_toehold() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["name"] == "toehold-blender"
    assert list(project["project"]["scripts"]) == ["toehold"]
    assert set(project["tool"]["setuptools"]["package-dir"]) == {"toehold"}
    for page in ("README.md", "docs/command.md"):
        assert "toehold-blender" in (ROOT / page).read_text(encoding="utf-8")
        assert "pip install toehold\n" not in (ROOT / page).read_text(encoding="utf-8")
