# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the tree and build the extension's zip, as ``blender --command extension`` does, with pip's bpy alone.

python tools/extension.py validate
python tools/extension.py build FOLDER
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The earliest that a zip can tell, and how a file of a checkout may be read, whatever the machine that builds it says.
DATE, MODE = (1980, 1, 1, 0, 0, 0), 0o100644


def blender_scripts() -> Path:
    """Return the ``scripts`` folder of the installed bpy, without importing it."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("bpy is not installed for this Python; run make first")
    (scripts,) = Path(spec.submodule_search_locations[0]).glob("*/scripts")
    return scripts


def extension(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Blender's own extension tool, the one behind ``blender --command extension``."""
    scripts = blender_scripts()
    tool = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    command = [sys.executable, str(tool), *map(str, arguments), f"--valid-tags={tags}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def build(folder: Path, tree: Path = ROOT) -> Path:
    """Validate a tree, build its zip into ``folder`` and return it; SystemExit says what the tool found wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    for arguments in (("validate", tree), ("build", "--source-dir", tree, "--output-dir", folder)):
        done = extension(*arguments)
        if done.returncode:
            raise SystemExit(f"extension {arguments[0]} failed: {(done.stdout + done.stderr).strip()}")
    (archive,) = folder.glob("toehold-*.zip")
    _make_reproducible(archive)
    return archive


def _make_reproducible(archive: Path) -> None:
    """Write a zip again so that the same files give the same bytes: in order, without dates, owners and modes."""
    with zipfile.ZipFile(archive) as opened:
        contents = {name: opened.read(name) for name in sorted(opened.namelist())}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = MODE << 16
            entry.create_system = 3  # as on Unix, also where this is Windows
            written.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["validate"]:
            done = extension("validate", ROOT)
            print((done.stdout + done.stderr).strip())
            raise SystemExit(done.returncode)
        case ["build", folder]:
            for old in Path(folder).glob("toehold-*.zip"):
                old.unlink()
            print(f"Built {build(Path(folder))}: drag it into Blender's window to install it")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
