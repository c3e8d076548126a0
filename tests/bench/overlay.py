# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays add to a redraw, against one step of Blender's own animation, side by side in one run.

    python tests/bench/overlay.py

Ten seconds of four legs at 60 Hz, every part switched on, every frame another one, as in playback. Prints ratios, never
bare times. Without a graphics card the pixels are computed by other threads, which do not count: what counts is what
Blender's own thread is kept busy with. Needs Blender 5.2, which can draw without a window.
"""

from __future__ import annotations

import statistics
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
from support.walker import walk  # noqa: E402
from support.walker_armature import walking_armature  # noqa: E402
from toehold import settings  # noqa: E402
from toehold.panels import overlay_picture  # noqa: E402
from toehold.panels.overlay_picture import OverlayParts, Picture  # noqa: E402
from toehold.panels.preferences import palette  # noqa: E402
from toehold.rig.shown import overlay_feed  # noqa: E402

FRAMES, SIZE = 600, (1600, 900)


def main() -> None:
    if bpy.app.version < (5, 2, 0):
        print("The overlays cannot be measured before Blender 5.2: it draws nothing without a window")
        return
    import gpu

    gpu.init()
    toehold.register()
    try:
        shown = four_legs()
        screen = gpu.types.GPUOffScreen(*SIZE)
        with screen.bind():
            draw_all(shown, 0.0)
            overlays = usual(lambda frame: draw_all(shown, frame))
        screen.free()
        stepping = usual(lambda frame: bpy.context.scene.frame_set(int(frame)))
        building = fastest(lambda: overlay_picture.picture_of(shown.seen, shown.ghost))
    finally:
        toehold.unregister()
    print(f"10 s of 4 legs: a redraw of all overlays takes {overlays / stepping:.2f} of one step of a bare armature")
    print(f"10 s of 4 legs: their shapes, made once, take {building / overlays:.0f} redraws")
    if "--times" in sys.argv:
        print(f"redraw {overlays * 1000:.2f} ms, step {stepping * 1000:.2f} ms, shapes {building * 1000:.1f} ms")


def four_legs() -> Picture:
    """Return what is drawn of the walker with each of its legs twice."""
    armature = walking_armature(walk(strides=10.0, slide_mm_s=200.0))
    bpy.ops.toehold.find_legs()
    bpy.ops.toehold.clean()
    limbs = settings.limb_bones(armature)
    motion = overlay_feed.motion_of(armature, limbs, None, may_step=False)
    assert motion is not None
    seen = overlay_feed.feet_in(armature, limbs, motion.sample, settings.journey_options(armature))
    assert seen is not None
    own = seen.feet
    twice = replace(
        own,
        names=own.names * 2,
        scales=np.tile(own.scales, 2),
        ridden=own.ridden[:FRAMES],
        **{
            name: np.concatenate([getattr(own, name)] * 2, axis=1)[:FRAMES]
            for name in ("points", "toe_planted", "heel_planted", "floor")
        },
    )
    states = np.concatenate([seen.states] * 2, axis=1)[:FRAMES]
    return overlay_picture.picture_of(
        overlay_feed.Seen(seen.frames[:FRAMES], twice, states), overlay_feed.ghost_of(armature, limbs)
    )


def draw_all(shown: Picture, frame: float) -> None:
    colours = palette(bpy.context)
    overlay_picture.draw_view(shown, OverlayParts(ghost=True), colours, frame, SIZE, 1.0)
    overlay_picture.misses_at(shown, frame)
    overlay_picture.draw_timeline(shown, colours, (0.0, float(FRAMES)), SIZE, 1.0)


def usual(work: Callable[[float], object]) -> float:
    """Return how many seconds each frame takes as a rule."""
    durations = []
    for frame in range(1, FRAMES):
        start = time.thread_time()
        work(float(frame))
        durations.append(time.thread_time() - start)
    return statistics.median(durations)


def fastest(work: Callable[[], object]) -> float:
    durations = []
    for _ in range(5):
        start = time.thread_time()
        work()
        durations.append(time.thread_time() - start)
    return min(durations)


if __name__ == "__main__":
    main()
