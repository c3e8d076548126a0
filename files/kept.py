# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file holds beside motion, counted in the file itself, so that what an exporter has left out can be told."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

from . import gltf as gltf_text

# Kinds of things, as they are told: one of them, and several.
COUNTED = {
    "camera": "cameras",
    "light": "lights",
    "image": "images",
    "skin": "skins",
    "shape key": "shape keys",
    "constraint": "constraints",
    "material": "materials",
    "mesh": "meshes",
}

_EXTENSION, _EXTRAS = "extension ", "extras (custom properties)"

# Extensions that are another way of storing what can be stored without them.
_ONLY_STORAGE = re.compile(r"(KHR_draco_mesh|(EXT|KHR)_meshopt)_compression|KHR_mesh_quantization")

# How an object stands in a binary FBX: after its name, its class, and which kind of that class it is.
_OBJECT = re.compile(rb"\x00\x01(\w{4,20})S(.)\x00\x00\x00", re.DOTALL)
_FBX_KINDS = {
    (b"NodeAttribute", b"Camera"): "camera",
    (b"NodeAttribute", b"Light"): "light",
    (b"Deformer", b"Skin"): "skin",
    (b"SubDeformer", b"BlendShapeChannel"): "shape key",
    (b"Geometry", b"Mesh"): "mesh",
}
_FBX_CLASSES = {b"Constraint": "constraint", b"Material": "material"}
_IMAGE = re.compile(rb"RelativeFilenameS(.{4})", re.DOTALL)


def inventory(path: Path) -> Counter[str] | None:
    """Return how many things of each kind a glTF or binary FBX holds; None for any other file, or a broken one."""
    ending = path.suffix.lower()
    try:
        if ending == ".fbx":
            return _of_fbx(path.read_bytes())
        if ending in {".glb", ".gltf", ".vrm", ".vrma"}:
            return _of_gltf(gltf_text.read(path))
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return None
    return None


def not_kept(before: Mapping[str, int] | None, after: Mapping[str, int] | None) -> list[str]:
    """Return what there was more of before, for a person to read: "2 cameras"; empty where that is not known."""
    if before is None or after is None:
        return []
    told: list[str] = []
    for kind, count in before.items():
        lost = count - after.get(kind, 0)
        if lost > 0 and kind in COUNTED:
            told.append(f"{lost} {COUNTED[kind] if lost > 1 else kind}")
        elif lost > 0 and not after.get(kind):
            told.append(kind)
    return told


def _of_gltf(gltf: gltf_text.Gltf) -> Counter[str]:
    document = gltf.document
    found = Counter({kind: len(gltf.items(f"{kind}s")) for kind in ("camera", "image", "skin", "material")})
    found["mesh"] = len(gltf.items("meshes"))
    found["light"] = len(document.get("extensions", {}).get("KHR_lights_punctual", {}).get("lights", []))
    for mesh in gltf.items("meshes"):
        found["shape key"] += max((len(one.get("targets", [])) for one in mesh.get("primitives", [])), default=0)
    for name in document.get("extensionsUsed", []):
        if not _ONLY_STORAGE.fullmatch(name):
            found[_EXTENSION + name] = 1
    found[_EXTRAS] = sum(
        bool(one.get("extras")) for kind in ("scenes", "nodes", "meshes", "materials") for one in gltf.items(kind)
    )
    return found


def _of_fbx(content: bytes) -> Counter[str]:
    found: Counter[str] = Counter()
    for match in _OBJECT.finditer(content):
        subclass = content[match.end() : match.end() + match[2][0]]
        kind = _FBX_CLASSES.get(match[1]) or _FBX_KINDS.get((match[1], subclass))
        if kind is not None:
            found[kind] += 1
    found["image"] = len(_image_names(content))
    return found


def _image_names(content: bytes) -> set[str]:
    """Return the names of the image files that an FBX refers to, without their folders."""
    names: set[str] = set()
    for match in _IMAGE.finditer(content):
        length: Any = struct.unpack("<I", match[1])[0]
        name = content[match.end() : match.end() + length].decode(errors="replace")
        if 0 < length < 4096:
            names.add(PureWindowsPath(name).name.lower())
    return names - {""}
