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


def test_a_link_stays_a_link_and_what_it_points_to_is_replaced_with_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "store" / "target.bvh"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "out.bvh"
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["target.bvh"]


def test_a_link_that_points_nowhere_yet_makes_its_target(tmp_path: Path) -> None:
    link = tmp_path / "out.bvh"
    link.symlink_to("later.bvh")
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "later.bvh").read_bytes() == b"new"
    (tmp_path / "lost.bvh").symlink_to(tmp_path / "none" / "x.bvh")
    assert "make it first" in (why_not_writable(tmp_path / "lost.bvh") or "")
