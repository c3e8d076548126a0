# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a glTF in its place with the files that it names, none of which ever takes the place of another."""

from __future__ import annotations

import filecmp
import os
import shutil
from pathlib import Path
from urllib.parse import quote, unquote

from .gltf import Gltf, with_additions
from .json_text import Edit
from .placing import write_bytes


def place_gltf(gltf: Gltf, out: Path) -> None:
    """Write ``out``, with copies of what the glTF names beside itself, if that is another folder than its own.

    What is there by a copy's name with another content stays, and the copy gets another name. What the glTF names
    outside of its folder, it names there still. OSError where something cannot be written; then nothing was.
    """
    made: list[Path] = []
    try:
        edits = [] if _is_same(gltf.path.parent, out.parent) else _brought_along(gltf, out, made)
        write_bytes(out, with_additions(gltf, edits).to_bytes())
    except OSError:
        for path in made:
            path.unlink(missing_ok=True)
        raise


def _brought_along(gltf: Gltf, out: Path, made: list[Path]) -> list[Edit]:
    """Copy what the file names, add what that makes to ``made``, and return edits for what has another name now."""
    edits: list[Edit] = []
    for kind in ("buffers", "images"):
        for at, one in enumerate(gltf.items(kind)):
            uri = one.get("uri")
            if uri is None or uri.startswith("data:") or "://" in uri:
                continue
            name = unquote(uri)
            source = gltf.path.parent / name
            if os.path.isabs(name):
                continue
            if ".." in Path(name).parts:
                edits.append(Edit((kind, at, "uri"), _address(os.path.relpath(source, out.parent))))
            elif source.is_file():
                place = _free_place(source, out.parent / name, out)
                if not place.exists():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    made.append(place)
                    shutil.copyfile(source, place)
                if place != out.parent / name:
                    edits.append(Edit((kind, at, "uri"), _address(os.path.relpath(place, out.parent))))
    return edits


def _free_place(source: Path, wanted: Path, out: Path) -> Path:
    """Return where a copy can be: there is nothing yet, or the same content."""
    place, number = wanted, 1
    while place == out or (place.exists() and not (place.is_file() and filecmp.cmp(source, place, shallow=False))):
        place = wanted.with_name(f"{wanted.stem}_{number}{wanted.suffix}")
        number += 1
    return place


def _address(path: str) -> str:
    return quote(path.replace(os.sep, "/"))


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
