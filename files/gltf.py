# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF 2.0 as it stands in a file (.gltf, .glb, .vrm, .vrma): read whole, written back with only what changed replaced.

The JSON keeps its text, and binary data its bytes, wherever nothing new is said. Sections named below are those of the
Khronos glTF 2.0 specification.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..solver.rotations import FloatArray
from .json_text import Edit, edited

_MAGIC, _JSON, _BIN = b"glTF", b"JSON", b"BIN\0"

# Component types (section 3.6.2.2) as numpy has them, and what a normalized one is divided by (3.6.2.3).
_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_LARGEST = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_COMPRESSED = ("EXT_meshopt_compression", "KHR_meshopt_compression")
FLOAT = 5126


@dataclass(frozen=True)
class Gltf:
    """A file's JSON, as text and as what it says, and the chunks after it; no chunks where the file is text.

    path : of the file, which the addresses in it start from.
    """

    path: Path
    text: str
    document: dict[str, Any]
    is_binary: bool
    chunks: tuple[tuple[bytes, bytes], ...] = ()

    def items(self, name: str) -> list[dict[str, Any]]:
        """Return one of the document's lists, empty where it has none."""
        found = self.document.get(name)
        return found if isinstance(found, list) else []

    @property
    def own_buffer(self) -> bytes | None:
        """The binary chunk, where the first buffer is in it."""
        buffers = self.items("buffers")
        if not self.chunks or self.chunks[0][0] != _BIN or not buffers or "uri" in buffers[0]:
            return None
        return self.chunks[0][1]

    def buffer(self, index: int) -> bytes:
        """Return a buffer's bytes; ValueError or OSError where it is not to be had."""
        uri = self.items("buffers")[index].get("uri")
        if uri is None:
            own = self.own_buffer if index == 0 else None
            if own is None:
                raise ValueError(f"buffer {index} has no data")
            return own
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return (self.path.parent / unquote(uri)).read_bytes()

    def values(self, accessor: int) -> FloatArray:
        """Return an accessor's values (count, components); ValueError where it is compressed."""
        one = self.items("accessors")[accessor]
        width, count = _COMPONENTS[one["type"]], int(one["count"])
        stored = np.zeros((count, width), dtype=_TYPES[one["componentType"]])
        if "bufferView" in one:
            stored = self._stored(one["bufferView"], one.get("byteOffset", 0), one["componentType"], count, width)
        if "sparse" in one:
            sparse = one["sparse"]
            at, new = sparse["indices"], sparse["values"]
            places = self._stored(at["bufferView"], at.get("byteOffset", 0), at["componentType"], sparse["count"], 1)
            stored = stored.copy()
            stored[places[:, 0]] = self._stored(
                new["bufferView"], new.get("byteOffset", 0), one["componentType"], sparse["count"], width
            )
        values: FloatArray = stored.astype(np.float64)
        if one.get("normalized"):
            values = np.maximum(values / _LARGEST[one["componentType"]], -1.0)
        return values

    def _stored(self, view: int, offset: int, kind: int, count: int, width: int) -> Any:
        one = self.items("bufferViews")[view]
        if any(name in one.get("extensions", {}) for name in _COMPRESSED):
            raise ValueError("the animations are compressed")
        dtype = np.dtype(_TYPES[kind])
        stride = one.get("byteStride") or dtype.itemsize * width
        start = one.get("byteOffset", 0) + offset
        data = self.buffer(one["buffer"])
        if count and start + stride * (count - 1) + dtype.itemsize * width > len(data):
            raise ValueError(f"buffer {one['buffer']} is too short")
        return np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize)).copy()

    def to_bytes(self) -> bytes:
        """Return the file (section 4.4 for the binary form)."""
        encoded = self.text.encode()
        if not self.is_binary:
            return encoded
        chunks = ((_JSON, _padded(encoded, b" ")), *self.chunks)
        body = b"".join(struct.pack("<I4s", len(data), kind) + data for kind, data in chunks)
        return struct.pack("<4sII", _MAGIC, 2, 12 + len(body)) + body


def read(path: Path) -> Gltf:
    """Read a file; OSError where it cannot be, ValueError, KeyError or TypeError where it is broken."""
    content = path.read_bytes()
    if not content.startswith(_MAGIC):
        text = content.decode("utf-8")
        return Gltf(path, text, _document(text), False)
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= len(content):
        length, kind = struct.unpack_from("<I4s", content, at)
        if at + 8 + length > len(content):
            raise ValueError("the file was cut off")
        chunks.append((kind, content[at + 8 : at + 8 + length]))
        at += 8 + length
    if not chunks or chunks[0][0] != _JSON:
        raise ValueError("there is no JSON in it")
    text = chunks[0][1].decode("utf-8")
    return Gltf(path, text, _document(text), True, tuple(chunks[1:]))


@dataclass
class Additions:
    """New accessors for a file, numbered on from those that it has, and their data, one after the other.

    accessors : without ``bufferView``; their ``byteOffset`` is from the start of ``data``.
    """

    first: int
    accessors: list[dict[str, Any]] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)

    @classmethod
    def to(cls, gltf: Gltf) -> Additions:
        return cls(len(gltf.items("accessors")))

    def add(self, values: FloatArray, kind: str, is_time: bool = False) -> int:
        """Add values (count, components) as floats, and return the accessor's number."""
        stored = np.ascontiguousarray(values, dtype="<f4")
        accessor: dict[str, Any] = {"byteOffset": len(self.data), "componentType": FLOAT}
        accessor |= {"count": len(stored), "type": kind}
        if is_time:
            accessor |= {"min": [float(stored.min())], "max": [float(stored.max())]}
        self.accessors.append(accessor)
        self.data += stored.tobytes()
        return self.first + len(self.accessors) - 1


def with_additions(gltf: Gltf, edits: list[Edit], added: Additions | None = None) -> Gltf:
    """Return the file with edits of its JSON, and new accessors, whose data is put after all that was there."""
    buffers, views = gltf.items("buffers"), gltf.items("bufferViews")
    edits, chunks = list(edits), gltf.chunks
    if added is not None and added.accessors:
        data = bytes(added.data)
        own = gltf.own_buffer
        if own is not None:
            length = int(buffers[0]["byteLength"])
            start = -(-length // 4) * 4
            grown = own[:length].ljust(start, b"\0") + data
            edits.append(Edit(("buffers", 0, "byteLength"), start + len(data)))
            chunks = ((_BIN, _padded(grown, b"\0")), *gltf.chunks[1:])
            buffer = 0
        else:
            start, buffer = 0, len(buffers)
            uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
            edits.append(Edit(("buffers", None), {"byteLength": len(data), "uri": uri}))
        edits.append(Edit(("bufferViews", None), {"buffer": buffer, "byteOffset": start, "byteLength": len(data)}))
        edits += [Edit(("accessors", None), {"bufferView": len(views), **accessor}) for accessor in added.accessors]
    text = edited(gltf.text, edits)
    return Gltf(gltf.path, text, _document(text), gltf.is_binary, chunks)


def _document(text: str) -> dict[str, Any]:
    document = json.loads(text.lstrip("\ufeff"))
    if not isinstance(document, dict):
        raise ValueError("its JSON is no object")
    return document


def _padded(data: bytes, filler: bytes) -> bytes:
    return data.ljust(-(-len(data) // 4) * 4, filler)
