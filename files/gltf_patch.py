# SPDX-License-Identifier: GPL-3.0-or-later
"""A changed Clip's motion into the animations of the glTF that it came from, of which everything else stays as it is.

Each bone that changed is moved, in the world, from where it was: so that it does not matter which axes Blender gives
to the bones that it makes of a file's nodes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..solver import rotations
from ..solver.clip import Clip
from ..solver.rotations import FloatArray
from .gltf import Additions, Gltf, with_additions
from .gltf_motion import (
    DEFAULTS,
    Keys,
    Tree,
    evaluate,
    keys_of,
    locals_of,
    matrices_of,
    own_values,
    range_of,
    target_of,
    tree_of,
    world_of,
)
from .json_text import Edit

# A smaller change than these is rounding, and a node's channel stays (radians, metres).
_NO_TURN = 1e-6
_NO_MOVE = 1e-6

# A key this near to a frame, in frames, is on it.
_SAME_FRAME = 1e-3

# From glTF's world, where Y is up, into Blender's, where Z is.
_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class ClipChange:
    """What became of the bones of one armature in one animation.

    animation : its index in the file.
    source, result : the clip as it was sampled from the imported armature, and as it should become.
    nodes : index of each joint's node in the file; None for a tip.
    frames : (F,) Blender's frames of the clip; frame 0 is second 0.
    """

    animation: int
    source: Clip
    result: Clip
    nodes: tuple[int | None, ...]
    frames: FloatArray


@dataclass(frozen=True)
class Track:
    """New keys of one property of a node: seconds (K,) and values (K, N)."""

    node: int
    path: str
    times: FloatArray
    values: FloatArray


def patched(gltf: Gltf, changes: Sequence[ClipChange], extras: Mapping[int, Mapping[str, str]] | None = None) -> Gltf:
    """Return the file with the changes in its animations; it is the file itself where there are none.

    extras : by animation, what is noted in its ``extras``, beside what is there.
    Raises ValueError where an animation's keys cannot be read.
    """
    added, edits = Additions.to(gltf), []
    by_animation: dict[int, list[Track]] = {}
    for change in changes:
        by_animation.setdefault(change.animation, []).extend(tracks_of(gltf, change))
    edits += [edit for tracks in by_animation.values() for edit in _without_matrices(gltf, tracks)]
    notes = extras or {}
    for at in sorted({*by_animation, *notes}):
        old = gltf.items("animations")[at]
        new = _with_tracks(gltf, old, by_animation.get(at, []), added)
        if notes.get(at):
            new["extras"] = {**new.get("extras", {}), **notes[at]}
        if new != old:
            edits.append(Edit(("animations", at), new))
    return with_additions(gltf, edits, added) if edits else gltf


def tracks_of(gltf: Gltf, change: ClipChange) -> list[Track]:
    """Return new keys for every node that does not turn or move in its parent as it did."""
    animation = gltf.items("animations")[change.animation]
    keys, tree = keys_of(gltf, animation), tree_of(gltf)
    clip = change.source
    turned = rotations.angle_between(clip.local_rotations, change.result.local_rotations).max(axis=0) > _NO_TURN
    steps = np.abs(change.result.local_locations - clip.local_locations)
    moved = steps.max(axis=(0, 2)) > _NO_MOVE
    changed = [joint for joint, node in enumerate(change.nodes) if node is not None and (turned[joint] or moved[joint])]
    if not changed:
        return []
    span = range_of(gltf, animation)
    times, moves = _times(span, clip.fps), _moves(change, span)
    worlds = world_of(gltf, keys, [node for node in change.nodes if node is not None], times)
    at = times * clip.fps
    deltas = {node: moves.at(joint, at) for joint, node in enumerate(change.nodes) if node is not None}
    tracks: list[Track] = []
    for joint in changed:
        node = change.nodes[joint]
        assert node is not None
        before = locals_of(gltf, keys, node, times)
        turn, place = _in_parent(tree, node, worlds, deltas, before)
        if turned[joint]:
            tracks.append(_track(node, "rotation", times, turn, keys))
        if np.abs(place - before["translation"]).max() > _NO_MOVE * max(1.0, np.abs(place).max()) and moved[joint]:
            tracks.append(_track(node, "translation", times, place, keys))
    return tracks


@dataclass(frozen=True)
class _Moves:
    """What moves each joint in the world at the clip's frames, and beyond them, where nothing has changed.

    frames : (K,) Blender's frames, with fractions where the animation begins or ends between two.
    """

    frames: FloatArray
    turns: FloatArray
    steps: FloatArray

    def at(self, joint: int, frames: FloatArray) -> FloatArray:
        """Return what moves a joint in glTF's world from where it was to where it is now (K, 4, 4)."""
        matrices = np.tile(np.eye(4), (len(frames), 1, 1))
        turns = Keys(0, self.frames, self.turns[:, joint][:, [1, 2, 3, 0]], "LINEAR")
        turn = evaluate(turns, frames)[:, [3, 0, 1, 2]]
        step = evaluate(Keys(0, self.frames, self.steps[:, joint], "LINEAR"), frames)
        matrices[:, :3, :3] = _Z_UP.T @ rotations.to_matrices(turn) @ _Z_UP
        matrices[:, :3, 3] = step @ _Z_UP
        return matrices


def _moves(change: ClipChange, span: tuple[float, float]) -> _Moves:
    old, new = change.source, change.result
    turns = rotations.multiply(new.rotations, rotations.inverse(old.rotations))
    steps = new.positions - rotations.rotate(turns, old.positions)
    frames = change.frames.copy()
    if old.frame_times is not None and len(old.frame_times) == len(frames):
        frames = frames[0] + old.frame_times
    still, stays = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros((1, *steps.shape[1:]))
    if span[0] * old.fps < frames[0] - 0.5:
        frames = np.concatenate([[frames[0] - 1.0], frames])
        turns, steps = np.concatenate([np.broadcast_to(still, turns[:1].shape), turns]), np.concatenate([stays, steps])
    if span[1] * old.fps > frames[-1] + 0.5:
        frames = np.concatenate([frames, [frames[-1] + 1.0]])
        turns, steps = np.concatenate([turns, np.broadcast_to(still, turns[:1].shape)]), np.concatenate([steps, stays])
    return _Moves(frames, turns, steps)


def _times(span: tuple[float, float], fps: float) -> FloatArray:
    """Return seconds (K,) of new keys: the whole frames of an animation, and its ends wherever they are."""
    frames = np.arange(np.ceil(span[0] * fps + _SAME_FRAME), np.floor(span[1] * fps - _SAME_FRAME) + 1.0)
    return np.concatenate([[span[0]], frames / fps, [span[1]]]) if span[1] > span[0] else np.array([span[0]])


def _in_parent(
    tree: Tree,
    node: int,
    worlds: dict[int, FloatArray],
    deltas: dict[int, FloatArray],
    before: dict[str, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return a node's new rotation (w, x, y, z) and translation in its parent, which has moved itself."""
    above = tree.line_of(node)[:-1]
    carrier = next((one for one in reversed(above) if one in deltas), None)
    delta = deltas[node] if carrier is None else np.linalg.inv(deltas[carrier]) @ deltas[node]
    if above:
        parent = worlds[above[-1]]
        delta = np.linalg.inv(parent) @ delta @ parent
    new = delta @ matrices_of(before)
    scale = np.where(np.abs(before["scale"]) < 1e-9, 1.0, before["scale"])
    left, _, right = np.linalg.svd(new[:, :3, :3] / scale[:, None, :])
    turn = left @ right
    flipped = np.linalg.det(turn) < 0.0
    left[flipped, :, -1] *= -1.0
    return rotations.from_matrices(left @ right), new[:, :3, 3]


def _track(node: int, path: str, times: FloatArray, values: FloatArray, keys: dict[tuple[int, str], Keys]) -> Track:
    if path == "rotation":
        values = values[:, [1, 2, 3, 0]]
        old = keys.get((node, path))
        if old is not None:
            start = evaluate(old, times[:1])[0]
            values = values * (1.0 if values[0] @ start >= 0.0 else -1.0)
        dots = np.sum(values[1:] * values[:-1], axis=-1)
        signs = np.cumprod(np.concatenate([[1.0], np.where(dots < 0.0, -1.0, 1.0)]))
        values = values * signs[:, None]
    return Track(node, path, times, values)


def _with_tracks(gltf: Gltf, animation: dict[str, Any], tracks: Sequence[Track], added: Additions) -> dict[str, Any]:
    """Return an animation in which the tracks' properties have their keys, and all others what they had."""
    new = copy.deepcopy(animation)
    inputs: dict[bytes, int] = {}
    for sampler in animation.get("samplers", []) if tracks else ():
        inputs.setdefault(gltf.values(sampler["input"])[:, 0].astype("<f4").tobytes(), sampler["input"])
    for track in tracks:
        stamp = track.times.astype("<f4").tobytes()
        if stamp not in inputs:
            inputs[stamp] = added.add(track.times, "SCALAR", is_time=True)
        kind = "VEC4" if track.path == "rotation" else "VEC3"
        keys = {"input": inputs[stamp], "interpolation": "LINEAR", "output": added.add(track.values, kind)}
        channel = next((one for one in new["channels"] if target_of(one) == (track.node, track.path)), None)
        if channel is None:
            new["channels"].append(
                {"sampler": len(new["samplers"]), "target": {"node": track.node, "path": track.path}}
            )
            new["samplers"].append(keys)
        elif sum(one["sampler"] == channel["sampler"] for one in new["channels"]) > 1:
            channel["sampler"] = len(new["samplers"])
            new["samplers"].append(keys)
        else:
            new["samplers"][channel["sampler"]] |= keys
    return new


def _without_matrices(gltf: Gltf, tracks: Sequence[Track]) -> list[Edit]:
    """Return edits that give nodes which are to move their parts in place of a matrix, with which none can."""
    edits = []
    for node in sorted({track.node for track in tracks}):
        own = gltf.items("nodes")[node]
        if "matrix" in own:
            parts = {path: own_values(own, path).tolist() for path in DEFAULTS}
            kept = {name: value for name, value in own.items() if name != "matrix"}
            edits.append(Edit(("nodes", node), kept | parts))
    return edits
