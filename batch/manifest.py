# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch has done already: a line of JSON for each result, so that it can be stopped and gone on with.

A line is added as a result is finished. A program that is killed can leave a last line that is torn; it is passed over,
and its file is done again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from ..files.placing import write_bytes
from ..files.plain_json import json_text
from .orders import WorkOrder

NAME = "toehold-manifest.jsonl"
# The shares of a batch (``--share``) each have one of their own, until the whole takes them over.
_SHARES = "toehold-manifest-*-of-*.jsonl"

Entry = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What a result depends on besides its input, as one hash.

    version : of Toehold.
    arguments : of the command, without files.
    documents : files that they name, such as limbs and contacts, whose content counts.
    """

    version: str
    arguments: tuple[str, ...]
    documents: tuple[Path, ...] = ()

    @property
    def hash(self) -> str:
        told = [self.version, *self.arguments, *(hash_of(document) for document in self.documents)]
        return hashlib.sha256("\0".join(told).encode(errors="surrogateescape")).hexdigest()


def hash_of(path: Path) -> str:
    """Return the hash of a file's content and of the files that a glTF names; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            total = hashlib.file_digest(file, "sha256")
        for beside in _buffers_of(path):
            total.update(beside.read_bytes())
    except OSError:
        return ""
    return total.hexdigest()


def _buffers_of(path: Path) -> list[Path]:
    if path.suffix.lower() != ".gltf":
        return []
    try:
        uris = [buffer["uri"] for buffer in json.loads(path.read_bytes())["buffers"]]
        return [path.parent / uri for uri in uris if not uri.startswith("data:") and (path.parent / uri).is_file()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


class Manifest:
    """The results of a batch, in a file of the folder that they are in; in memory alone where there is no folder.

    share : which share of how many this is; None for the whole, which takes over what its shares have noted.
    """

    def __init__(self, folder: Path | None, settings: Settings, share: tuple[int, int] | None = None) -> None:
        name = NAME if share is None else f"toehold-manifest-{share[0]}-of-{share[1]}.jsonl"
        self._path = None if folder is None else folder / name
        self._settings = settings.hash
        self._taken_over = sorted(folder.glob(_SHARES)) if folder is not None and share is None else []
        # What shares have noted is newer than what the whole did before them.
        noted = self._taken_over if share is None else [self._path]
        self._entries: dict[str, Entry] = {}
        for path in [folder / NAME, *noted] if folder is not None else []:
            self._entries |= {} if path is None else _read(path)
        self._file: FileIO | None = None

    def state(self, order: WorkOrder) -> str:
        """Return "finished", "to do", or "edited" where its result was changed by other hands since."""
        entry = self._entries.get(order.name)
        if entry is None or not isinstance(entry.get("result"), dict):
            return "to do"
        out = order.out
        if out is not None:
            if not out.exists():
                return "to do"
            if stamp(out) != entry.get("out_stamp") and hash_of(out) != entry.get("out_hash"):
                return "edited"
        if entry.get("settings") != self._settings or entry.get("source") != str(order.source):
            return "to do"
        same = stamp(order.source) == entry.get("source_stamp") and order.source.suffix.lower() != ".gltf"
        noted = entry.get("source_hash")
        return "finished" if noted and (same or hash_of(order.source) == noted) else "to do"

    def result(self, order: WorkOrder) -> Entry:
        """Return what was noted of a finished order."""
        return dict(self._entries[order.name]["result"])

    def begin(self) -> None:
        """Write the file anew, without what is torn or told twice; OSError where that cannot be."""
        if self._path is not None:
            text = "".join(json_text(entry, None) + "\n" for entry in self._entries.values())
            write_bytes(self._path, text.encode(errors="surrogateescape"))
            for path in self._taken_over:
                path.unlink(missing_ok=True)
            # Nothing is kept back, to be lost or to fail when it is closed.
            self._file = self._path.open("ab", buffering=0)

    def finished(self, order: WorkOrder, before: list[int], result: Entry) -> None:
        """Note that an order is done; OSError where that cannot be written.

        before : the stamp that its source had when the batch began.
        """
        entry: Entry = {
            "name": order.name,
            "source": str(order.source),
            "source_stamp": before,
            # One that was written meanwhile may be another than what was read.
            "source_hash": hash_of(order.source) if stamp(order.source) == before else "",
            "settings": self._settings,
            "out_stamp": None if order.out is None else stamp(order.out),
            "out_hash": None if order.out is None else hash_of(order.out),
            "result": result,
        }
        self._entries[order.name] = entry
        if self._file is not None:
            line = (json_text(entry, None) + "\n").encode(errors="surrogateescape")
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def end(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def stamp(path: Path) -> list[int]:
    """Return a file's size and when it was written; empty where it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def _read(path: Path) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for line in _lines(path):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            entries[entry["name"]] = entry
    return entries


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
