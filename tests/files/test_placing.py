# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is in its place whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from toehold.files.placing import placed, why_not_writable, write_bytes


def test_all_that_belongs_together_is_put_in_place(tmp_path: Path) -> None:
    def write(beside: Path) -> None:
        beside.write_text("main")
        beside.with_suffix(".bin").write_text("data")

    placed(tmp_path / "a.gltf", write)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.gltf": "main", "a.bin": "data"}


def test_a_writer_that_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "a.txt"
    write_bytes(out, b"old")

    def fail(beside: Path) -> None:
        beside.write_text("hal")
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        placed(out, fail)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "old"}


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path / "a.txt") is None
    assert "make it first" in (why_not_writable(tmp_path / "none" / "a.txt") or "")
    assert "it is a folder" in (why_not_writable(tmp_path) or "")
    assert "cannot be written to" in (why_not_writable(Path("/proc/a.txt")) or "cannot be written to")
    assert list(tmp_path.iterdir()) == []
