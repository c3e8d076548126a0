# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a sliding walk, clean it as a user would, print the figures, and leave the file and a picture in a folder.

PYTHONPATH=tests python tools/demo.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import demo_picture

import toehold
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.files.hush import hushed
from toehold.rig.sampling.sample import sample
from toehold.rig.writing.results import figures_of

SLIDE_MM_S = 250.0
FIGURES = (
    ("slide_mm_s", "planted feet slide, mean", "mm/s"),
    ("slide_max_mm_s", "planted feet slide, most", "mm/s"),
    ("drift_mm", "worst drift in a contact", "mm"),
    ("penetration_mm", "deepest below the ground", "mm"),
    ("knee_pop_deg_s", "sharpest knee pop", "°/s"),
    ("pose_change_mean_deg", "pose change, mean", "°"),
    ("travel_change_percent", "travel change", "%"),
    ("unreached_mm", "out of reach", "mm"),
)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    blend, picture = folder / "toehold-demo.blend", folder / "toehold-demo.png"
    blend.unlink(missing_ok=True)
    walking = walk(slide_mm_s=SLIDE_MM_S)
    with hushed():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = walking_armature(walking)
        before = sample(armature, limb_bones())
        clean_as_a_user_would()
        bpy.ops.wm.save_as_mainfile(filepath=str(blend.resolve()), compress=True)
        figures = figures_of(armature.animation_data.action)
        after = sample(armature, limb_bones())
        demo_picture.draw(picture, before.clip, after.clip, before.limbs, walking.contacts)

    print(f"A walk of {walking.clip.frame_count} frames, its planted feet made to slide at {SLIDE_MM_S:.0f} mm/s\n")
    print(f"{'':26} {'before':>9} {'after':>9}")
    for name, label, unit in FIGURES:
        print(f"{label:26} {figures['before'][name]:9.1f} {figures['after'][name]:9.1f} {unit}")
    print(f"\n{blend} holds both walks, {picture} shows them")


def clean_as_a_user_would() -> None:
    """Press the panel's buttons, one after the other."""
    toehold.register()
    try:
        bpy.ops.toehold.find_legs()
        bpy.ops.toehold.annotate_contacts()
        bpy.ops.toehold.clean()
    finally:
        toehold.unregister()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
