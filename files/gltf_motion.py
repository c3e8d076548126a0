# SPDX-License-Identifier: GPL-3.0-or-later
"""How a glTF's nodes move in one of its animations (sections 3.5.3, 3.11 and appendix C of the specification).

Everything is in glTF's own world: Y up, metres; quaternions here are (w, x, y, z), as in the solver.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..solver import rotations
from ..solver.rotations import FloatArray
from .gltf import Gltf

# How many numbers a node's property has, and what it is where the file does not say.
DEFAULTS: dict[str, tuple[float, ...]] = {
    "translation": (0.0, 0.0, 0.0),
    "rotation": (0.0, 0.0, 0.0, 1.0),
    "scale": (1.0, 1.0, 1.0),
}
# Seconds; a time that is nearer to a key's than this is meant to be it.
_SAME_TIME = 1e-5

_POINTER = re.compile(r"/nodes/(\d+)/(translation|rotation|scale)$")


@dataclass(frozen=True)
class Keys:
    """A channel's keys: seconds (K,), values (K, N), or (K, 3, N) with tangents where the interpolation is cubic."""

    channel: int
    times: FloatArray
    values: FloatArray
    interpolation: str


@dataclass(frozen=True)
class Tree:
    """The nodes of a file: each one's parent, -1 for a root."""

    parents: tuple[int, ...]

    def line_of(self, node: int) -> list[int]:
        """Return a node and all above it, the root first."""
        line = [node]
        while self.parents[line[-1]] >= 0 and len(line) <= len(self.parents):
            line.append(self.parents[line[-1]])
        return line[::-1]

    def children(self, node: int) -> list[int]:
        return [at for at, parent in enumerate(self.parents) if parent == node]

    def below(self, node: int) -> list[int]:
        """Return all that hangs from a node, itself aside."""
        return [at for at in range(len(self.parents)) if at != node and node in self.line_of(at)]


def tree_of(gltf: Gltf) -> Tree:
    """Return the tree of a file's nodes."""
    nodes = gltf.items("nodes")
    parents = [-1] * len(nodes)
    for at, node in enumerate(nodes):
        for child in node.get("children", []):
            parents[child] = at
    return Tree(tuple(parents))


def target_of(channel: dict[str, Any]) -> tuple[int, str] | None:
    """Return which property of which node a channel moves, by itself or by KHR_animation_pointer; None for others."""
    target = channel.get("target", {})
    if target.get("path") in DEFAULTS and "node" in target:
        return int(target["node"]), str(target["path"])
    pointer = target.get("extensions", {}).get("KHR_animation_pointer", {}).get("pointer", "")
    match = _POINTER.match(pointer)
    return (int(match[1]), match[2]) if match else None


def keys_of(gltf: Gltf, animation: dict[str, Any]) -> dict[tuple[int, str], Keys]:
    """Return the keys of all channels of an animation that move a node; ValueError where they cannot be read."""
    found: dict[tuple[int, str], Keys] = {}
    for at, channel in enumerate(animation.get("channels", [])):
        target = target_of(channel)
        if target is None:
            continue
        sampler = animation["samplers"][channel["sampler"]]
        kind = sampler.get("interpolation", "LINEAR")
        times, values = gltf.values(sampler["input"])[:, 0], gltf.values(sampler["output"])
        if kind == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)
        found[target] = Keys(at, times, values, kind)
    return found


def range_of(gltf: Gltf, animation: dict[str, Any]) -> tuple[float, float]:
    """Return the first and last second at which any channel of an animation has a key."""
    inputs = {sampler["input"] for sampler in animation.get("samplers", [])}
    times = [gltf.values(accessor)[:, 0] for accessor in inputs]
    return min(float(one.min()) for one in times), max(float(one.max()) for one in times)


def evaluate(keys: Keys, times: FloatArray) -> FloatArray:
    """Return a channel's values (F, N) at ``times`` (F,) seconds; before its first key and after its last, theirs."""
    at = np.clip(times, keys.times[0], keys.times[-1])
    # Files hold 32 bits: a time that is a key's may be a little less than what is stored of it.
    rounding = _SAME_TIME + np.abs(at) * np.finfo(np.float32).eps
    left = np.clip(np.searchsorted(keys.times, at + rounding, side="right") - 1, 0, max(len(keys.times) - 2, 0))
    right = np.minimum(left + 1, len(keys.times) - 1)
    span = keys.times[right] - keys.times[left]
    share = np.where(span > 0.0, (at - keys.times[left]) / np.where(span > 0.0, span, 1.0), 0.0)[:, None]
    share = np.clip(share, 0.0, 1.0)
    if keys.interpolation == "CUBICSPLINE":
        return _cubic(keys, left, right, span[:, None], share)
    before, after = keys.values[left], keys.values[right]
    if keys.interpolation == "STEP":
        return np.where((at + rounding >= keys.times[right])[:, None], after, before)
    if keys.values.shape[-1] == 4:
        return _slerp(before, after, share)
    result: FloatArray = before + share * (after - before)
    return result


def _cubic(keys: Keys, left: Any, right: Any, span: FloatArray, share: FloatArray) -> FloatArray:
    """Hermite splines (appendix C.5)."""
    square, cube = share**2, share**3
    start, end = keys.values[left, 1], keys.values[right, 1]
    out, into = span * keys.values[left, 2], span * keys.values[right, 0]
    mixed = (2 * cube - 3 * square + 1) * start + (cube - 2 * square + share) * out
    mixed = mixed + (-2 * cube + 3 * square) * end + (cube - square) * into
    if mixed.shape[-1] == 4:
        mixed = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    result: FloatArray = mixed
    return result


def _slerp(before: FloatArray, after: FloatArray, share: FloatArray) -> FloatArray:
    """Spherical interpolation, the shorter way round (appendix C.4)."""
    dot = np.sum(before * after, axis=-1, keepdims=True)
    after = np.where(dot < 0.0, -after, after)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    near = angle < 1e-4
    sine = np.where(near, 1.0, np.sin(angle))
    first = np.where(near, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    second = np.where(near, share, np.sin(share * angle) / sine)
    mixed = first * before + second * after
    result: FloatArray = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    return result


def own_values(node: dict[str, Any], path: str) -> FloatArray:
    """Return a node's own translation, rotation or scale, where it has a matrix, that one's (section 3.5.3)."""
    if "matrix" not in node:
        return np.array(node.get(path, DEFAULTS[path]), dtype=np.float64)
    matrix = np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        scale = -scale
    if path == "translation":
        return matrix[:3, 3]
    if path == "scale":
        return scale
    quaternion = rotations.from_matrices(matrix[None, :3, :3] / np.where(scale == 0.0, 1.0, scale))[0]
    return quaternion[[1, 2, 3, 0]]


def locals_of(gltf: Gltf, keys: dict[tuple[int, str], Keys], node: int, times: FloatArray) -> dict[str, FloatArray]:
    """Return a node's translation, rotation (w, x, y, z) and scale (F, N) in its parent at ``times``."""
    found: dict[str, FloatArray] = {}
    for path in DEFAULTS:
        own = keys.get((node, path))
        if own is not None:
            found[path] = evaluate(own, times)
        else:
            value = own_values(gltf.items("nodes")[node], path)
            found[path] = np.broadcast_to(value, (len(times), len(value)))
    found["rotation"] = rotations.normalized(found["rotation"][:, [3, 0, 1, 2]])
    return found


def matrices_of(parts: dict[str, FloatArray]) -> FloatArray:
    """Return translation, rotation and scale as matrices (F, 4, 4)."""
    count = len(parts["translation"])
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, :3] = rotations.to_matrices(parts["rotation"]) * parts["scale"][:, None, :]
    matrices[:, :3, 3] = parts["translation"]
    return matrices


def world_of(
    gltf: Gltf, keys: dict[tuple[int, str], Keys], nodes: Sequence[int], times: FloatArray
) -> dict[int, FloatArray]:
    """Return the matrices in the world (F, 4, 4) of nodes, and of all above them."""
    tree = tree_of(gltf)
    found: dict[int, FloatArray] = {}
    for wanted in nodes:
        for node in tree.line_of(wanted):
            if node in found:
                continue
            own = matrices_of(locals_of(gltf, keys, node, times))
            parent = tree.parents[node]
            found[node] = own if parent < 0 else found[parent] @ own
    return found
