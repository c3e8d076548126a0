# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays as pixels, drawn off screen: the right colours in the right places."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from numpy.typing import NDArray

from support.walker import walk
from support.walker_armature import walking_armature

pytestmark = pytest.mark.skipif(
    bpy.app.version < (5, 2, 0), reason="before Blender 5.2, nothing can be drawn without a window"
)

WIDTH, HEIGHT = 400, 300
# Metres of the ground that the picture shows, seen from above; the walker's feet are 0.2 m apart and it walks to -Y.
LEFT, RIGHT, NEAR, FAR = -2.0, 2.0, -2.5, 0.5

Pixels = NDArray[np.float32]


@pytest.fixture(scope="module")
def graphics() -> ModuleType:
    import gpu

    gpu.init()
    return gpu


def drawn(gpu: ModuleType, draw: Callable[[], None], projection: Matrix) -> Pixels:
    """Return (HEIGHT, WIDTH, 4), rows from the bottom, of what ``draw`` draws on black."""
    screen = gpu.types.GPUOffScreen(WIDTH, HEIGHT)
    try:
        with screen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            framebuffer = gpu.state.active_framebuffer_get()
            framebuffer.clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(projection)
            draw()
            pixels = framebuffer.read_color(0, 0, WIDTH, HEIGHT, 4, 0, "FLOAT")
        return np.array(pixels.to_list(), dtype=np.float32).reshape(HEIGHT, WIDTH, 4)
    finally:
        screen.free()


def from_above() -> Matrix:
    """Return the projection that looks down on the ground, X to the right and Y up."""
    scale = Matrix.Diagonal((2.0 / (RIGHT - LEFT), 2.0 / (FAR - NEAR), -0.1, 1.0))
    return scale @ Matrix.Translation((-0.5 * (LEFT + RIGHT), -0.5 * (NEAR + FAR), 0.0))


def flat() -> Matrix:
    """Return the projection of a region whose units are pixels."""
    return Matrix.Translation((-1.0, -1.0, 0.0)) @ Matrix.Diagonal((2.0 / WIDTH, 2.0 / HEIGHT, 1.0, 1.0))


def picture(verb: str) -> Any:
    from toehold import settings
    from toehold.panels import overlay_picture
    from toehold.rig.shown import overlay_feed

    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.find_legs()
    getattr(bpy.ops.toehold, verb)()
    limbs = settings.limb_bones(armature)
    assert limbs
    motion = overlay_feed.motion_of(armature, limbs, None, may_step=True)
    seen = overlay_feed.feet_in(armature, limbs, motion.sample, settings.journey_options(armature))
    return overlay_picture.picture_of(seen, overlay_feed.ghost_of(armature, limbs))


def view_of(gpu: ModuleType, shown: Any, parts: dict[str, bool], frame: float = 20.0) -> Pixels:
    from toehold.panels.overlay_picture import OverlayParts, draw_view
    from toehold.panels.preferences import Palette

    nothing = dict.fromkeys(("footprints", "trails", "targets", "ghost", "timeline"), False)
    chosen = OverlayParts(**(nothing | parts))
    return drawn(gpu, lambda: draw_view(shown, chosen, Palette(), frame, (WIDTH, HEIGHT), 1.0), from_above())


def reddish(pixels: Pixels) -> NDArray[np.bool_]:
    return (pixels[..., 0] > 0.1) & (pixels[..., 0] > 2.0 * pixels[..., 2])


def bluish(pixels: Pixels) -> NDArray[np.bool_]:
    return (pixels[..., 2] > 0.1) & (pixels[..., 2] > 2.0 * pixels[..., 0])


def test_sliding_feet_leave_red_prints_and_cleaned_ones_blue(graphics: ModuleType, registered: ModuleType) -> None:
    sliding = view_of(graphics, picture("annotate_contacts"), {"footprints": True})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    cleaned = view_of(graphics, picture("clean"), {"footprints": True})
    assert reddish(sliding).sum() > 200
    assert bluish(cleaned).sum() > 200
    assert reddish(cleaned).sum() == 0


def test_prints_are_where_the_feet_stand(graphics: ModuleType, registered: ModuleType) -> None:
    shown = picture("clean")
    pixels = view_of(graphics, shown, {"footprints": True})
    for step in shown.steps:
        x = (step.anchor[0] - LEFT) / (RIGHT - LEFT) * WIDTH
        y = (step.anchor[1] - NEAR) / (FAR - NEAR) * HEIGHT
        if 0 < y < HEIGHT:
            assert bluish(pixels)[int(y), int(x)]
    assert bluish(pixels)[:, : WIDTH // 2 - 30].sum() == 0


@pytest.mark.parametrize("part", ["footprints", "trails", "targets", "ghost"])
def test_each_part_draws_something_and_none_draws_nothing(
    graphics: ModuleType, registered: ModuleType, part: str
) -> None:
    shown = picture("clean")
    assert view_of(graphics, shown, {part: True})[..., 3].max() > 0.3
    assert view_of(graphics, shown, {})[..., 3].max() == 0.0


def test_bars_stand_at_the_bottom_where_feet_are_planted(graphics: ModuleType, registered: ModuleType) -> None:
    from toehold.panels.overlay_picture import draw_timeline
    from toehold.panels.preferences import Palette

    shown = picture("clean")
    frames = shown.seen.frames
    view = (float(frames[0]) - 0.5, float(frames[-1]) + 0.5)
    pixels = drawn(graphics, lambda: draw_timeline(shown, Palette(), view, (WIDTH, HEIGHT), 1.0), flat())
    blue = bluish(pixels)
    assert blue[HEIGHT // 4 :].sum() == 0
    # The upper row is the left leg's: blue at the frames in which its toes are planted, but where its name stands.
    columns = (np.arange(len(frames)) + 0.5) / len(frames) * WIDTH
    row = blue[3 + 12 + 9]
    right_half = columns > WIDTH / 2
    planted = shown.seen.feet.toe_planted[:, 0]
    assert np.array_equal(row[columns.astype(int)][right_half], planted[right_half])


def test_compared_paths_are_drawn_each_in_its_colour_where_the_toes_go(graphics: ModuleType) -> None:
    """Dashes leave gaps, a whole line has none."""
    from toehold.panels import compare_overlay, compare_shapes
    from toehold.panels.preferences import Palette

    frames, along = np.arange(60), np.linspace(0.2, -2.2, 60)
    toes = {
        way: np.stack([np.full(60, x), along, np.zeros(60)], axis=-1)[:, None]
        for way, x in (("source", -1.0), ("lock", 0.0), ("clean", 1.0))
    }
    colours = compare_overlay.colours_of(Palette())
    paths = compare_shapes.paths_of(toes, 30.0, 0.9)
    made = compare_overlay.batches_of(compare_shapes.drawn_at(paths, float(frames[-1]), colours, whole=True))
    pixels = drawn(graphics, lambda: compare_overlay.draw(made, (WIDTH, HEIGHT), 1.0), from_above())
    shares = {}
    for way, x in (("source", -1.0), ("lock", 0.0), ("clean", 1.0)):
        column = round((x - LEFT) / (RIGHT - LEFT) * WIDTH)
        near = pixels[40:260, column - 2 : column + 3]
        coloured = np.abs(near[..., :3] - np.array(colours[way][:3])).max(axis=-1) < 0.25
        shares[way] = float(coloured.any(axis=1).mean())
    assert shares["clean"] > 0.98
    assert 0.5 < shares["lock"] < 0.8
    assert 0.2 < shares["source"] < 0.6
