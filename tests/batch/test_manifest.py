# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done is known again, and is done again where its input, its settings or Toehold changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from toehold.batch.manifest import NAME, Manifest, Settings, stamp
from toehold.batch.orders import WorkOrder

SETTINGS = Settings("1.0", ("clean", "--strength=1.0"))


@pytest.fixture
def order(tmp_path: Path) -> WorkOrder:
    (tmp_path / "in.bvh").write_text("input")
    out = tmp_path / "out"
    out.mkdir()
    return WorkOrder(tmp_path / "in.bvh", "in.bvh", out / "in.bvh", ())


def finish(order: WorkOrder) -> None:
    assert order.out is not None
    manifest = Manifest(order.out.parent, SETTINGS)
    manifest.begin()
    before = stamp(order.source)
    order.out.write_text("result")
    manifest.finished(order, before, {"name": order.name, "slide": float("nan")})
    manifest.end()


def state(order: WorkOrder, settings: Settings = SETTINGS) -> str:
    assert order.out is not None
    return Manifest(order.out.parent, settings).state(order)


def test_what_is_finished_is_known_in_another_run_with_what_was_told_of_it(order: WorkOrder) -> None:
    assert state(order) == "to do"
    finish(order)
    assert state(order) == "finished"
    assert order.out is not None
    assert Manifest(order.out.parent, SETTINGS).result(order) == {"name": "in.bvh", "slide": None}


def test_a_changed_input_setting_or_version_is_to_do(order: WorkOrder) -> None:
    finish(order)
    assert state(order, Settings("1.1", SETTINGS.arguments)) == "to do"
    assert state(order, Settings("1.0", ("clean", "--strength=0.5"))) == "to do"
    order.source.write_text("inpux")
    assert state(order) == "to do"


def test_a_document_counts_by_what_is_in_it(order: WorkOrder, tmp_path: Path) -> None:
    limbs = tmp_path / "limbs.json"
    limbs.write_text("[1]")
    first = Settings("1.0", (), (limbs,)).hash
    limbs.write_text("[2]")
    assert Settings("1.0", (), (limbs,)).hash != first


def test_an_input_that_was_only_copied_again_is_finished(order: WorkOrder) -> None:
    finish(order)
    os.utime(order.source, ns=(1, 1))
    assert state(order) == "finished"


def test_a_result_that_is_gone_is_to_do_and_one_edited_by_hand_is_told(order: WorkOrder) -> None:
    finish(order)
    assert order.out is not None
    order.out.write_text("the animator's own")
    assert state(order) == "edited"
    assert state(order, Settings("2.0", ())) == "edited"
    order.out.unlink()
    assert state(order) == "to do"


def test_an_input_that_changed_while_it_was_worked_on_is_to_do(order: WorkOrder) -> None:
    assert order.out is not None
    manifest = Manifest(order.out.parent, SETTINGS)
    manifest.begin()
    before = stamp(order.source)
    order.source.write_text("written meanwhile")
    order.out.write_text("result")
    manifest.finished(order, before, {})
    manifest.end()
    assert state(order) == "to do"


def test_a_last_line_that_was_cut_off_costs_only_its_own_file(order: WorkOrder) -> None:
    finish(order)
    assert order.out is not None
    path = order.out.parent / NAME
    whole = path.read_text()
    other = WorkOrder(order.source, "other.bvh", order.out, ())
    for torn in (whole[:40], "[]\n", "{}\n", "\0\0\0", '{"name": "other.bvh", "result"'):
        path.write_text(whole + torn)
        assert state(order) == "finished"
        assert Manifest(order.out.parent, SETTINGS).state(other) == "to do"
    manifest = Manifest(order.out.parent, SETTINGS)
    manifest.begin()
    manifest.end()
    assert [json.loads(line)["name"] for line in path.read_text().splitlines()] == ["in.bvh"]


def test_the_buffers_of_a_gltf_are_part_of_it(tmp_path: Path) -> None:
    source = tmp_path / "walk.gltf"
    (tmp_path / "walk.bin").write_bytes(b"keys")
    source.write_text(json.dumps({"buffers": [{"uri": "walk.bin"}, {"uri": "data:;base64,AA=="}]}))
    (tmp_path / "out").mkdir()
    order = WorkOrder(source, "walk.gltf", tmp_path / "out" / "walk.gltf", ())
    finish(order)
    assert state(order) == "finished"
    (tmp_path / "walk.bin").write_bytes(b"kezs")
    assert state(order) == "to do"
