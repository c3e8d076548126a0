# SPDX-License-Identifier: GPL-3.0-or-later
"""A contact that is dragged moves by as many frames, the pose follows, and Esc leaves no trace."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.clean()
    return armature


def tracks_of(armature: bpy.types.Object) -> Any:
    from toehold import settings
    from toehold.rig.review import contact_tools

    limbs = settings.limb_bones(armature)
    return contact_tools.stored_tracks(armature, limbs, settings.journey_options(armature))


def spans(armature: bpy.types.Object, limb: int = 0, point: str = "toe") -> list[tuple[int, int]]:
    from toehold.rig.review import contact_tools

    return contact_tools.spans_of(tracks_of(armature), limb, point)


def pose(armature: bpy.types.Object) -> list[float]:
    """Return every key of every bone's channels."""
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    curves = [curve for curve in bag.fcurves if "contact" not in curve.data_path]
    return [key.co.y for curve in curves for key in curve.keyframe_points]


def leg(armature: bpy.types.Object) -> str:
    name: str = armature.toehold.limbs[0].name
    return name


@pytest.mark.parametrize(("part", "begins", "ends"), [("START", 3, 0), ("END", 0, -3), ("WHOLE", 2, 2)])
def test_each_part_moves_by_as_many_frames_and_the_pose_follows(
    walker: bpy.types.Object, part: str, begins: int, ends: int
) -> None:
    before, was = spans(walker), pose(walker)
    at = len(before) // 2
    first, last = before[at]
    frames = begins or ends
    done = bpy.ops.toehold.drag_contact(leg=leg(walker), part=part, frame=first, frames=frames)
    assert done == {"FINISHED"}
    before[at] = (first + begins, last + ends)
    assert spans(walker) == before
    assert pose(walker) != was


def test_the_other_legs_contacts_stay(walker: bpy.types.Object) -> None:
    before = spans(walker, limb=1)
    first, _ = spans(walker)[1]
    bpy.ops.toehold.drag_contact(leg=leg(walker), part="WHOLE", frame=first, frames=2)
    assert spans(walker, limb=1) == before


def test_the_heel_alone_is_moved_where_it_is_asked_for_and_goes_along_with_the_whole(walker: bpy.types.Object) -> None:
    toes, heels = spans(walker), spans(walker, point="heel")
    first, last = heels[1]
    bpy.ops.toehold.drag_contact(leg=leg(walker), point="HEEL", part="END", frame=first, frames=-1)
    assert spans(walker, point="heel")[1] == (first, last - 1)
    assert spans(walker) == toes
    toe = next(span for span in toes if span[0] <= last and first <= span[1])
    bpy.ops.toehold.drag_contact(leg=leg(walker), part="WHOLE", frame=toe[0], frames=1)
    assert spans(walker, point="heel")[1] == (first + 1, last)


def test_a_frame_without_a_contact_is_refused_and_nothing_changes(walker: bpy.types.Object) -> None:
    first, _ = spans(walker)[1]
    before = snapshot()
    with pytest.raises(RuntimeError, match="has no contact at frame"):
        bpy.ops.toehold.drag_contact(leg=leg(walker), frame=first - 1, frames=2)
    bpy.context.scene.frame_set(1)
    assert snapshot() == before


def dragged(walker: bpy.types.Object, frames: list[int], ended_by: str) -> set[str]:
    """Drag the end of the second contact of the first leg by the mouse, by so many frames after the other."""
    from toehold.operators import drag_contact
    from toehold.operators.contact_bar import Grip, bar_place

    noted: Any = SimpleNamespace(
        **{name: getattr(drag_contact.DragContact, name) for name in ("_move", "_done", "_new_span", "_go_to")}
    )
    own = type("Drag", (), {name: vars(drag_contact.DragContact)[name] for name in vars(noted)})
    operator: Any = own()
    for name in ("modal", "cancel", "_put_back"):
        setattr(own, name, vars(drag_contact.DragContact)[name])
    own._clear = lambda self, context: None
    told: list[tuple[str, str]] = []
    own.tell = lambda self, level, line: told.append((level, line)) or {"FINISHED"}
    tracks = tracks_of(walker)
    grip = Grip(0, 1, "END", spans(walker)[1])
    operator._tracks, operator._grip, operator._place = tracks, grip, bar_place(2, (1.0, 101.0), (1000.0, 60.0), 1.0)
    operator._now, operator._kept, operator._follows, operator._way, operator._x = 0, None, True, 0.0, 500
    operator.point, operator.part = "TOE", "END"
    context: Any = SimpleNamespace(
        view_layer=bpy.context.view_layer, scene=bpy.context.scene, area=SimpleNamespace(tag_redraw=lambda: None)
    )
    for by in frames:
        x = 500 + 10 * by
        event: Any = SimpleNamespace(type="MOUSEMOVE", value="NOTHING", shift=False, mouse_region_x=x)
        assert operator.modal(context, event) == {"RUNNING_MODAL"}
    event = SimpleNamespace(type=ended_by, value="RELEASE", shift=False, mouse_region_x=500)
    ended: set[str] = operator.modal(context, event)
    return ended


def test_what_is_dragged_there_and_back_is_as_if_it_was_dragged_once(walker: bpy.types.Object) -> None:
    before = spans(walker)
    assert dragged(walker, [-1, -2, -4, -2], "LEFTMOUSE") == {"FINISHED"}
    assert spans(walker)[1] == (before[1][0], before[1][1] - 2)
    assert spans(walker)[:1] + spans(walker)[2:] == before[:1] + before[2:]


def test_esc_leaves_everything_as_it_was(walker: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(1)
    before, was = snapshot(), pose(walker)
    assert dragged(walker, [-1, -3, 4], "ESC") == {"CANCELLED"}
    assert pose(walker) == was
    bpy.context.scene.frame_set(1)
    assert snapshot() == before


def test_a_press_without_a_drag_changes_nothing(walker: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(1)
    before = snapshot()
    assert dragged(walker, [1, 0], "LEFTMOUSE") == {"CANCELLED"}
    bpy.context.scene.frame_set(1)
    assert snapshot() == before


def test_the_pose_follows_every_step_of_a_drag(walker: bpy.types.Object) -> None:
    was = pose(walker)
    dragged(walker, [-4], "LEFTMOUSE")
    moved = pose(walker)
    assert moved != was
    bpy.ops.toehold.clean()
    assert pose(walker) == pytest.approx(moved, abs=1e-4), "it is what Clean makes of these contacts"


def test_a_double_click_lifts_a_contact_and_the_next_one_plants_it_again(walker: bpy.types.Object) -> None:
    before = spans(walker)
    middle = sum(before[1]) // 2
    assert bpy.ops.toehold.toggle_contact(leg=leg(walker), frame=middle) == {"FINISHED"}
    assert spans(walker) == before[:1] + before[2:]
    assert bpy.ops.toehold.toggle_contact(leg=leg(walker), frame=middle) == {"FINISHED"}
    assert spans(walker) == before
