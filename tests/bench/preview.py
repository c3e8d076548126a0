# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lock's preview costs a frame on top of Blender's own work, and a slider move, side by side in one run.

    python tests/bench/preview.py

Prints ratios, and the milliseconds that the promise is about. The armature has 60 bones, the action 600 frames.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import toehold  # noqa: E402
from support.control_rigs import rigify_walk  # noqa: E402
from support.walker import walk  # noqa: E402
from support.walker_armature import walking_armature  # noqa: E402
from toehold.rig.shown.preview import preview  # noqa: E402
from toehold.settings import legs_and_options, store_limbs  # noqa: E402

BONES, FRAMES = 60, 600

CONTACT_SLIDERS = {"toe_share": 0.25, "heel_share": 0.18, "height": 0.08}


def main() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    toehold.register()
    try:
        _measure(_armature())
        _measure_controls()
    finally:
        toehold.unregister()


def _armature() -> bpy.types.Object:
    walking = walk(strides=30.0, slide_mm_s=175.0)
    armature = walking_armature(replace(walking, clip=walking.clip.during(slice(0, FRAMES))))
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    while len(bones) < BONES:
        bone = bones.new("Finger")
        bone.head, bone.tail, bone.parent = (0.0, 0.0, 1.0), (0.0, 0.1, 1.0), bones[len(bones) - 2]
    bpy.ops.object.mode_set(mode="OBJECT")
    # As the button leaves them.
    store_limbs(armature, legs_and_options(armature)[0])
    return armature


def _measure(armature: bpy.types.Object) -> None:
    frames = np.random.default_rng(1).permutation(FRAMES)[:200] + 1

    def play() -> None:
        for frame in frames.tolist():
            bpy.context.scene.frame_set(frame)

    rounds = []
    for _ in range(5):
        own = _duration(play)
        preview.start(armature, legs_and_options)
        shown = _duration(play)
        preview.stop()
        rounds.append((own, shown))
    own, shown = np.min(rounds, axis=0) / len(frames) * 1000.0
    more = shown - own
    print(f"{BONES} bones: a frame with the preview takes {shown / own:.2f} times Blender's own, {more:.2f} ms more")

    preview.start(armature, legs_and_options)
    lock, contacts = armature.toehold.lock, armature.toehold.contacts
    slider = _slid(lock, "unlock_distance", 0.1)
    found = {name: _slid(contacts, name, value) for name, value in CONTACT_SLIDERS.items()}
    preview.stop()
    through = _duration(lambda: [bpy.context.scene.frame_set(frame + 1) for frame in range(FRAMES)])
    print(
        f"{FRAMES} frames: moving a slider of the lock takes {slider / through:.3f} of stepping through the action "
        f"once ({slider * 1000.0:.0f} ms)"
    )
    for name, duration in found.items():
        print(f"  of the contacts, {name}: {duration / slider:.2f} times that ({duration * 1000.0:.0f} ms)")


def _measure_controls() -> None:
    """The same on Rigify's human, whose controls are moved: Blender poses the rig once more for every frame."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = rigify_walk({1: 0.0})
    bpy.context.view_layer.objects.active = armature
    store_limbs(armature, legs_and_options(armature)[0])
    frames = range(1, 41)

    def play() -> None:
        for frame in frames:
            bpy.context.scene.frame_set(frame)

    def nudge(*_: object) -> None:
        bone = armature.pose.bones["foot_ik.L"]
        bone.location = bone.location

    rounds = []
    for _ in range(6):
        own = _duration(play)
        bpy.app.handlers.frame_change_post.append(nudge)
        twice = _duration(play)
        bpy.app.handlers.frame_change_post.remove(nudge)
        start = _duration(lambda: preview.start(armature, legs_and_options))
        shown = _duration(play)
        preview.stop()
        rounds.append((own, twice, shown, start))
    own, twice, shown, start = np.min(rounds, axis=0)
    print(
        f"{len(armature.pose.bones)} bones and controls: a frame with the preview takes {shown / own:.2f} times "
        f"Blender's own, with a single control moved {twice / own:.2f} times. Switching "
        f"it on takes as long as stepping through the action {start / own:.0f} times"
    )


def _slid(group: object, name: str, value: float) -> float:
    """Return how long a move of a slider takes at best, back and forth."""
    return min(_duration(lambda at=at: setattr(group, name, value * (1.0 + 0.01 * at))) for at in range(12))


def _duration(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
