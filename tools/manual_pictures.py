# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the manual from a real Blender window: the steps are in ``manual_pictures_steps.py``.

PYTHONPATH=tests python tools/manual_pictures.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy
from gui.window import install, run_script, why_no_window

# What tests import as ``toehold`` is this tree.
import toehold  # noqa: F401
from support.walker import walk
from support.walker_armature import walking_armature

SLIDE_MM_S = 250.0


def main(folder: Path) -> None:
    reason = why_no_window()
    if reason is not None:
        raise SystemExit(f"No pictures: {reason}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        profile, work = Path(scratch) / "profile", Path(scratch) / "work"
        work.mkdir()
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        walking_armature(walk(slide_mm_s=SLIDE_MM_S))
        bpy.ops.wm.save_as_mainfile(filepath=str(work / "walker.blend"))
        install(profile)
        run_script(profile, Path(__file__).with_name("manual_pictures_steps.py"), work)
        for picture in sorted(work.glob("*.png")):
            (folder / picture.name).write_bytes(picture.read_bytes())
            print(f"{folder / picture.name}: {picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
