# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files with walkers, written here byte by byte in every way in which the specification lets keys be stored."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from toehold.solver.clip import Clip
from toehold.solver.rotations import FloatArray

FLOAT, SHORT, BYTE, UNSIGNED = 5126, 5122, 5120, 5125
_DTYPES = {FLOAT: "<f4", SHORT: "<i2", BYTE: "<i1", UNSIGNED: "<u4", 5121: "<u1"}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

# A white pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fea7"
    "3581e40000000049454e44ae426082"
)


@dataclass(frozen=True)
class Keying:
    """How an animation is stored.

    every : frames from key to key.
    start : second of the first key.
    stored : of rotations: "float", "short" (normalized), or "sparse".
    """

    interpolation: str = "LINEAR"
    every: int = 1
    start: float = 0.0
    stored: str = "float"


@dataclass
class Maker:
    """A glTF in the making."""

    document: dict[str, Any] = field(default_factory=dict)
    data: bytearray = field(default_factory=bytearray)

    def add(self, name: str, item: dict[str, Any]) -> int:
        """Add to one of the document's lists and return the index."""
        self.document.setdefault(name, []).append(item)
        return len(self.document[name]) - 1

    def view(self, content: bytes) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        start = len(self.data)
        self.data += content
        return self.add("bufferViews", {"buffer": 0, "byteOffset": start, "byteLength": len(content)})

    def accessor(self, values: FloatArray, component: int = FLOAT, **more: Any) -> int:
        """Add values (K, N) or (K,)."""
        stored = np.asarray(values).astype(_DTYPES[component])
        stored = stored[:, None] if stored.ndim == 1 else stored
        limits = {"min": stored.min(axis=0).tolist(), "max": stored.max(axis=0).tolist()}
        item = {"componentType": component, "count": len(stored), "type": _KINDS[stored.shape[1]]}
        return self.add("accessors", {"bufferView": self.view(stored.tobytes()), **item, **limits, **more})

    def sparse(self, values: FloatArray) -> int:
        """Add values of which every other one is not among the others, but among exceptions."""
        odd = np.arange(1, len(values), 2)
        base = np.array(values)
        base[odd] = base[0]
        at = self.accessor(base)
        places, new = self.view(odd.astype("<u4").tobytes()), self.view(values[odd].astype("<f4").tobytes())
        self.document["accessors"][at]["sparse"] = {
            "count": len(odd),
            "indices": {"bufferView": places, "componentType": UNSIGNED},
            "values": {"bufferView": new},
        }
        return at

    def character(
        self, clip: Clip, name: str, skinned: bool = True, x: float = 0.0, bare: Sequence[int] = ()
    ) -> list[int]:
        """Add a clip's joints in rest, under a node of their own, and a skin of all but ``bare``; return the nodes."""
        skeleton = clip.skeleton
        holder = self.add("nodes", {"name": name, "translation": [x, 0.0, 0.0], "children": []})
        nodes = [self.add("nodes", {"name": one, "extras": {"was": one}}) for one in skeleton.names]
        rest = skeleton.rest_positions
        for joint, parent in enumerate(skeleton.parents):
            offset = rest[joint] - (rest[parent] if parent >= 0 else 0.0)
            self.document["nodes"][nodes[joint]]["translation"] = _y_up(offset).tolist()
            above = self.document["nodes"][holder if parent < 0 else nodes[parent]]
            above.setdefault("children", []).append(nodes[joint])
        self.document.setdefault("scenes", [{"nodes": []}])[0]["nodes"].append(holder)
        if skinned:
            covered = [joint for joint in range(len(nodes)) if joint not in bare]
            self._skin([nodes[joint] for joint in covered], _y_up(rest[covered]), name)
        return nodes

    def _skin(self, nodes: Sequence[int], rest: FloatArray, name: str) -> None:
        """Add a mesh of a triangle for each joint, with a shape key, bound to the joints."""
        corners = (rest[:, None] + np.array([[0.0, 0, 0], [0.03, 0, 0], [0, 0.03, 0]])).reshape(-1, 3)
        inverse = np.tile(np.eye(4), (len(nodes), 1, 1))
        inverse[:, :3, 3] = -rest
        joints = np.zeros((len(corners), 4))
        joints[:, 0] = np.repeat(np.arange(len(nodes)), 3)
        weights = np.zeros((len(corners), 4))
        weights[:, 0] = 1.0
        attributes = {"POSITION": self.accessor(corners), "WEIGHTS_0": self.accessor(weights)}
        attributes["JOINTS_0"] = self.accessor(joints, 5121)
        primitive = {"attributes": attributes, "targets": [{"POSITION": self.accessor(corners * 0.0 + 0.01)}]}
        mesh = self.add("meshes", {"primitives": [primitive], "weights": [0.0], "name": name})
        matrices = self.accessor(inverse.transpose(0, 2, 1).reshape(-1, 16))
        skin = self.add("skins", {"joints": list(nodes), "inverseBindMatrices": matrices})
        node = self.add("nodes", {"mesh": mesh, "skin": skin, "name": f"{name} body"})
        self.document["scenes"][0]["nodes"].append(node)

    def animation(self, name: str | None, clip: Clip, nodes: Sequence[int], keying: Keying) -> int:
        """Add a clip's motion: rotations of all joints, and the root's place."""
        frames = np.unique([*range(0, clip.frame_count, keying.every), clip.frame_count - 1])
        times = frames / clip.fps + keying.start
        made: dict[str, Any] = {"samplers": [], "channels": []} | ({} if name is None else {"name": name})
        seconds = self.accessor(times)
        for joint, node in enumerate(nodes):
            turns = clip.local_rotations[frames, joint]
            # One quaternion of the two that are the same rotation, near to the one before.
            dots = np.sum(turns[1:] * turns[:-1], axis=-1)
            turns = turns * np.cumprod(np.concatenate([[1.0], np.where(dots < 0.0, -1.0, 1.0)]))[:, None]
            tracks = {"rotation": np.concatenate([_y_up(turns[:, 1:]), turns[:, :1]], axis=1)}
            if clip.skeleton.parents[joint] < 0:
                tracks["translation"] = _y_up(clip.positions[frames, joint])
            for path, values in tracks.items():
                output = self._output(values, times, keying, path)
                sampler = {"input": seconds, "interpolation": keying.interpolation, "output": output}
                target = {"node": node, "path": path}
                made["channels"].append({"sampler": len(made["samplers"]), "target": target})
                made["samplers"].append(sampler)
        return self.add("animations", made)

    def _output(self, values: FloatArray, times: FloatArray, keying: Keying, path: str) -> int:
        if keying.interpolation == "CUBICSPLINE":
            slopes = np.gradient(values, times, axis=0)
            values = np.stack([slopes, values, slopes], axis=1).reshape(-1, values.shape[1])
        if keying.stored == "sparse":
            return self.sparse(values)
        if keying.stored == "short" and path == "rotation":
            return self.accessor(np.round(values * 32767.0), SHORT, normalized=True)
        return self.accessor(values)

    def move_shape(self, animation: int, node: int) -> None:
        """Let an animation move the shape key of a node's mesh too."""
        made = self.document["animations"][animation]
        sampler = {"input": made["samplers"][0]["input"]}
        count = self.document["accessors"][sampler["input"]]["count"]
        sampler["output"] = self.accessor(np.linspace(0.0, 1.0, count))
        made["channels"].append({"sampler": len(made["samplers"]), "target": {"node": node, "path": "weights"}})
        made["samplers"].append(sampler)

    def write(self, path: Path, buffer: str | None = None) -> Path:
        """Write the file; ``buffer`` is where its data go, beside it, and None puts them into it (.glb and alike)."""
        document = {"asset": {"version": "2.0"}, "scene": 0, **self.document}
        data = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        document["buffers"] = [{"byteLength": len(data)} | ({} if buffer is None else {"uri": buffer})]
        text = json.dumps(document, ensure_ascii=False, indent=1).encode()
        if buffer is not None:
            (path.parent / buffer).parent.mkdir(parents=True, exist_ok=True)
            (path.parent / buffer).write_bytes(data)
            path.write_bytes(text)
            return path
        text += b" " * (-len(text) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
        return path


def _y_up(points: FloatArray) -> FloatArray:
    """From Blender's world, where Z is up, to glTF's."""
    return points[..., [0, 2, 1]] * np.array([1.0, 1.0, -1.0])
