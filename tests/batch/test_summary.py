# SPDX-License-Identifier: GPL-3.0-or-later
"""The table and the page: what failed first, then what still slides most, and nothing that they need besides."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import Any

from toehold.batch.summary import page, table, worst

SKETCH = {
    "limb": "Left <Leg>",
    "bones": [[0, 1]],
    "down": [[1], []],
    "poses": {"before": [[[0, 900], [10, 0]]] * 2, "after": [[[0, 900], [0, 0]]] * 2},
    "speed": {"before": [200, 1500, 90], "after": [0, 1500, 0]},
    "seconds": 1.5,
    "planted": [[0.0, 0.4]],
}


def row(name: str, before: float, after: float | None, **how: Any) -> dict[str, Any]:
    record = {
        "frames": [0, 59],
        "fps": 30.0,
        "before": {"slide_mm_s": before},
        "after": None if after is None else {"slide_mm_s": after},
        "sketch": SKETCH,
    }
    return {"name": name, "state": "done", "lines": [], "records": [record], "left": []} | how


ROWS = [
    row("a/good.bvh", 300.0, 0.0),
    row("b/slides.bvh", 200.0, 12.5, lines=["slides.bvh: only one leg was found <here>"]),
    row("a/some.bvh", 500.0, 3.0),
    {"name": "b/broken.bvh", "state": "failed", "lines": ["it was cut off"], "records": [], "left": []},
]
ORDER = ["b/broken.bvh", "b/slides.bvh", "a/some.bvh", "a/good.bvh"]


class Tags(HTMLParser):
    """Keeps which tags are open, and fails where one is closed that is not."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "input", "br", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_table_has_a_row_a_file_with_its_figures() -> None:
    read = list(csv.DictReader(io.StringIO(table(ROWS))))
    assert [line["file"] for line in read] == ORDER
    assert [line["slide_mm_s after"] for line in read] == ["", "12.5", "3.0", "0.0"]
    assert read[0]["said"] == "it was cut off"
    assert read[1]["frames"] == "60"


def test_the_page_is_whole_sorted_and_by_itself() -> None:
    text = page(ROWS, "1.0", "clean")
    names = re.findall(r'<td class="first" data-value="([^"]*)"', text)
    assert names == ORDER
    assert "3 of 4 files done, 1 failed" in text
    assert "only one leg was found &lt;here&gt;" in text
    assert "Left &lt;Leg&gt;" in text
    assert not re.search(r"https?://|\bsrc=|\bhref=|url\(|@import", text)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert text.count("<svg") == 2 * 3


def test_a_file_of_several_actions_has_a_row_for_each() -> None:
    two = row("hero.glb", 100.0, 5.0)
    two["records"] = [
        {**two["records"][0], "armature": "Hero", "action": action, "after": {"slide_mm_s": slide}}
        for action, slide in (("Walk", 5.0), ("Run", 8.0))
    ]
    read = list(csv.DictReader(io.StringIO(table([two]))))
    assert [line["file"] for line in read] == ["hero.glb, Hero, Run", "hero.glb, Hero, Walk"]
    assert "1 of 1 files done" in page([two], "1.0", "clean")


def test_a_report_is_sorted_by_what_slides_in_the_file_itself() -> None:
    rows = [row("a", 5.0, None), row("b", 50.0, None), row("c", float("nan"), None)]
    read = list(csv.DictReader(io.StringIO(table(rows))))
    assert [line["file"] for line in read] == ["b", "a", "c"]
    assert read[2]["slide_mm_s before"] == ""
    assert "before</button>" not in page(rows, "1.0", "report")


def test_what_slides_most_leaves_out_what_does_not_slide() -> None:
    assert [found["name"] for found in worst(ROWS, 3)] == ["b/slides.bvh", "a/some.bvh"]


def test_a_clip_without_height_or_way_is_drawn_too() -> None:
    flat = {**SKETCH, "poses": {"before": [[[0, 0], [0, 0]]]}, "down": [[]], "speed": {"before": []}, "planted": []}
    one = row("flat.bvh", 0.0, None)
    one["records"][0]["sketch"] = flat
    assert "<svg" in page([one], "1.0", "report")
