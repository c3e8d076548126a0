# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean a sliding walk on each rig that Rigify generates for an animal, in each way that its legs can be animated.

    python tools/control_grid.py [kind ...]

Prints what is stretched and what still slides, and fails where a bone got longer. The largest rigs take a quarter of a
minute to generate, so that the tests try some of the others only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.control_rigs import generated  # noqa: E402
from support.control_walks import LEGS, WAYS, clean_and_look, slide_along  # noqa: E402

# Bones may be longer by this many mm.
LONGER_MM = 0.2


def main(kinds: list[str]) -> int:
    bad = 0
    scratch = Path(bpy.app.tempdir)
    for kind in kinds or LEGS:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        generated(kind)
        bpy.ops.wm.save_as_mainfile(filepath=str(scratch / f"{kind}.blend"))
        for way in WAYS:
            bpy.ops.wm.open_mainfile(filepath=str(scratch / f"{kind}.blend"))
            armature = bpy.data.objects["rig"]
            slide_along(armature, kind, way)
            outcome = clean_and_look(armature)
            before, after = outcome.slides
            print(
                f"{kind:16} {way:19} longer {outcome.longer:5.2f} mm, apart {outcome.apart:5.2f} mm, slide "
                f"{before:4.0f} -> {after:4.1f} mm/s, not on both sides: {sorted(outcome.keyed[0] ^ outcome.keyed[1])}"
            )
            bad += outcome.longer > LONGER_MM or outcome.apart > LONGER_MM
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
