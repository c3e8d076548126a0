# SPDX-License-Identifier: GPL-3.0-or-later
"""What moving a slider of Clean costs, against stepping through the action once, side by side in one run.

    python tests/bench/live.py

Prints ratios, and the milliseconds that the promise is about: under 100. The armature has 60 bones, the action 600
frames.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench.preview import BONES, FRAMES, _armature, _duration  # noqa: E402

import toehold  # noqa: E402


def main() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    toehold.register()
    try:
        _measure(_armature())
    finally:
        toehold.unregister()


def _measure(armature: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    cleanup = armature.toehold.cleanup
    # The first move samples the source.
    cleanup.strength = 0.95
    through = min(
        _duration(lambda: [bpy.context.scene.frame_set(frame + 1) for frame in range(FRAMES)]) for _ in range(2)
    )
    print(f"{FRAMES} frames, {BONES} bones: moving a slider, against stepping through the action once")
    for name, values in (
        ("strength", (0.9, 0.5, 0.2, 0.7, 1.0)),
        ("smoothness", (4.0, 5.0, 6.0, 5.0, 3.0)),
        ("keep_travel", (2.0, 3.0, 0.5, 2.0, 1.0)),
        ("softening", (0.01, 0.02, 0.03, 0.01, 0.005)),
    ):
        slider = min(_duration(lambda to=value, which=name: setattr(cleanup, which, to)) for value in values)
        print(f"  {name}: {slider / through:.2f} of it ({slider * 1000.0:.0f} ms)")


if __name__ == "__main__":
    main()
