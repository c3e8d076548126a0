# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the tree and build the extension's zip, as ``blender --command extension`` does, with pip's bpy alone.

python tools/extension.py validate
python tools/extension.py build FOLDER
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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


def build(folder: Path) -> Path:
    """Validate the tree, build the zip into ``folder`` and return it; SystemExit says what the tool found wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    for arguments in (("validate", ROOT), ("build", "--source-dir", ROOT, "--output-dir", folder)):
        done = extension(*arguments)
        if done.returncode:
            raise SystemExit(f"extension {arguments[0]} failed: {(done.stdout + done.stderr).strip()}")
    (archive,) = folder.glob("toehold-*.zip")
    return archive


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
