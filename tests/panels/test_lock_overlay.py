# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview's overlay says of each toe whether it is held, where, and how far it is from being let go."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def armature(registered: ModuleType) -> Iterator[bpy.types.Object]:
    from toehold.rig.shown.preview import preview

    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.preview_lock()
    yield armature
    preview.stop()


def test_a_held_toe_has_its_point_its_ring_and_its_distance(armature: bpy.types.Object) -> None:
    from toehold.panels.lock_overlay import marks_at, text_of
    from toehold.panels.preferences import Palette
    from toehold.rig.shown.preview import preview

    played = preview.played
    assert played is not None
    colours = Palette()
    held_somewhere = 0
    for index, frame in enumerate(played.frames):
        marks = marks_at(played, float(frame), colours)
        assert marks is not None
        assert marks.lines.shape == (len(marks.line_colours), 2, 3)
        assert len(marks.points) == played.locked[index].sum()
        for limb, label in enumerate(marks.labels):
            if label.state != "Held":
                continue
            held_somewhere += 1
            off = np.linalg.norm(played.inputs[index, limb] - played.points[index, limb]) * 1000.0
            assert label.off_mm == pytest.approx(off)
            assert label.off_mm <= label.release_mm
            assert label.limb in text_of(label)
            on_ring = np.linalg.norm(marks.lines[:, 0] - played.points[index, limb], axis=-1)
            assert np.count_nonzero(np.abs(on_ring - label.release_mm / 1000.0) < 1e-5) >= 48
    assert held_somewhere > 20


def test_a_free_toe_on_the_animation_has_no_ring(armature: bpy.types.Object) -> None:
    from toehold.panels.lock_overlay import marks_at
    from toehold.panels.preferences import Palette
    from toehold.rig.shown.preview import preview

    played = preview.played
    assert played is not None
    free = int(np.flatnonzero(~played.locked[:, 0])[0])
    marks = marks_at(played, float(played.frames[free]), Palette())
    assert marks is not None
    assert len(marks.points) == played.locked[free, 1:].sum()
    assert marks.labels[0].state in {"Free", "Blending"}


def test_nothing_is_drawn_outside_of_the_action(armature: bpy.types.Object) -> None:
    from toehold.panels.lock_overlay import marks_at
    from toehold.panels.preferences import Palette
    from toehold.rig.shown.preview import preview

    assert preview.played is not None
    assert marks_at(preview.played, -100.0, Palette()) is None


def test_drawing_can_be_begun_and_ended_twice() -> None:
    from toehold.panels.lock_overlay import LockOverlay

    overlay = LockOverlay()
    for act in (overlay.start, overlay.start, overlay.stop, overlay.stop):
        act()
    assert not overlay._handles
