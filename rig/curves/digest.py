# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of what moves an armature, by which something that was computed from it is known to hold still."""

from __future__ import annotations

import hashlib

import bpy
import numpy as np

from .channels import TRANSFORMS, Channels, Curves, all_channels_of


def digest_of(armature: bpy.types.Object, *, every_curve: bool = False) -> bytes:
    """Return a digest of where the armature stands and of all keys that move it.

    every_curve : of contacts and other custom properties too.
    """
    channels = all_channels_of(armature)
    place = armature.matrix_parent_inverse if channels.of_object else armature.matrix_world
    return np.array(place).tobytes() + digest_in(channels, every_curve=every_curve)


def digest_in(channels: Channels, *, every_curve: bool = False) -> bytes:
    """Return a digest of all keys that move bones or the object, or of every key."""
    digest = hashlib.blake2b()
    for (bone, name), curves in channels.of_bones.items():
        if every_curve or name in TRANSFORMS:
            _add_curves(digest, f"{bone}.{name}", curves)
    for name, curves in channels.of_object.items():
        _add_curves(digest, name, curves)
    return digest.digest()


def _add_curves(digest: hashlib.blake2b, name: str, curves: Curves) -> None:
    for index, curve in curves.items():
        digest.update(f"{name}[{index}]{curve.mute}{len(curve.modifiers)}".encode())
        flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        for part in ("co", "handle_left", "handle_right"):
            curve.keyframe_points.foreach_get(part, flat)
            digest.update(flat.tobytes())
