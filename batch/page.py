# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary as one page that needs nothing else: no network, no pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .drawing import curve, strip

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2127; --soft: #66707b; --line: #d9dde2; --back: #fff; --alt: #f5f6f8;
  --before: #c2571a; --after: #1769aa; --bad: #b3261e; --down: #e4ecf5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #98a2ad; --line: #3a4149; --back: #17191c;
  --alt: #1f2226; --before: #f0955c; --after: #6db5ee; --bad: #ff8a80; --down: #2a3644; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1500px; padding: 24px; background: var(--back); color: var(--ink);
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 20px; font-weight: 600; margin: 0 0 4px; }
p { margin: 0 0 12px; color: var(--soft); }
input { font: inherit; padding: 5px 9px; border: 1px solid var(--line); border-radius: 4px; width: 260px;
  background: var(--back); color: var(--ink); }
.key { display: inline-block; margin-left: 18px; color: var(--soft); }
.key i { display: inline-block; width: 18px; height: 3px; vertical-align: middle; margin-right: 6px; }
.scroll { overflow-x: auto; margin-top: 12px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; padding: 6px 7px; vertical-align: bottom; }
th small { display: block; font-weight: 400; color: var(--soft); }
th button { all: unset; cursor: pointer; } th button:hover, th button:focus-visible { text-decoration: underline; }
th[aria-sort=ascending] button::after { content: "\\A0\\25B2"; font-size: 9px; }
th[aria-sort=descending] button::after { content: "\\A0\\25BC"; font-size: 9px; }
th.first, td.first { text-align: left; }
thead tr:last-child th, thead th[rowspan] { border-bottom: 2px solid var(--line); }
td { text-align: right; padding: 6px 7px; white-space: nowrap; }
td.first { white-space: normal; overflow-wrap: break-word; font-weight: 600; }
td.after { color: var(--after); } td.before { color: var(--before); }
tbody { border-bottom: 1px solid var(--line); } tbody:hover { background: var(--alt); }
.said { text-align: left; white-space: normal; padding-top: 0; color: var(--soft); }
.failed .first, .failed .said, .crashed .first, .crashed .said { color: var(--bad); }
.pictures td { text-align: left; padding: 0 8px 10px; }
.pictures div { display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-end; }
svg { display: block; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.b { stroke: var(--before); } .a { stroke: var(--after); } .b, .a { fill: none; stroke-linecap: round;
  stroke-linejoin: round; } .foot-b { fill: var(--before); } .foot-a { fill: var(--after); }
.floor, .grid { stroke: var(--line); } .planted { fill: var(--down); }
"""

_SCRIPT = """
const table = document.querySelector("table");
const clips = () => [...table.tBodies];
table.tHead.addEventListener("click", event => {
  const head = event.target.closest("th[data-column]");
  if (!head) return;
  const column = Number(head.dataset.column);
  const now = head.getAttribute("aria-sort");
  const down = column ? now !== "descending" : now === "ascending";
  table.querySelectorAll("th[aria-sort]").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = clip => clip.rows[0].cells[column].dataset.value;
  const order = (a, b) => column ? Number(key(a)) - Number(key(b))
    : key(a).localeCompare(key(b), undefined, {numeric: true});
  clips().sort((a, b) => down ? order(b, a) : order(a, b)).forEach(clip => table.append(clip));
});
const wanted = document.querySelector("input");
wanted.addEventListener("input", () => {
  const text = wanted.value.toLowerCase();
  clips().forEach(clip => { clip.hidden = !clip.textContent.toLowerCase().includes(text); });
});
"""


@dataclass(frozen=True)
class Column:
    """A column; ``pair`` for one that shows a figure before and after, which are two."""

    label: str
    unit: str
    pair: bool = False


@dataclass(frozen=True)
class Page:
    """What is on the page.

    cells : of each row and column, what is shown and what it is sorted by.
    sketches : of each row, what is drawn of it (files/sketches.py), None for nothing.
    files : how many there are, and how many of them failed.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[dict[str, Any]]
    cells: Sequence[Sequence[tuple[str, float | str]]]
    sketches: Sequence[dict[str, Any] | None]
    files: tuple[int, int]


def page_text(page: Page) -> str:
    """Return the HTML."""
    total, failed = page.files
    counts = f"{total - failed} of {total} files done" + (f", {failed} failed" if failed else "")
    bodies = "".join(_clip(page, index) for index in range(len(page.rows)))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(page.title)}</title><style>{_STYLE}</style></head><body>
<h1>{counts}</h1>
<p>{escape(page.title)}. What failed is first, then what still slides most; click a heading to sort.</p>
<input type="search" placeholder="Find a file or a message" aria-label="Find a file or a message">
{_legend(page)}
<div class="scroll"><table><thead>{_head(page.columns)}</thead>{bodies}</table></div>
<script>{_SCRIPT}</script></body></html>
"""


def _legend(page: Page) -> str:
    if not any(column.pair for column in page.columns):
        return ""
    keys = (("before", "before"), ("after", "after"))
    told = "".join(f'<span class="key"><i style="background:var(--{name})"></i>{label}</span>' for name, label in keys)
    return told + '<span class="key"><i style="background:var(--down);height:12px"></i>toe planted</span>'


def _head(columns: Sequence[Column]) -> str:
    top, below, at = [], [], 0
    for column in columns:
        first = ' class="first"' if at == 0 else ""
        unit = f"<small>{column.unit}</small>" if column.unit else ""
        if column.pair:
            top.append(f'<th colspan="2">{column.label}{unit}</th>')
            for moment in ("before", "after"):
                sort = ' aria-sort="descending"' if at == 3 and moment == "after" else ""
                below.append(f'<th data-column="{at}"{sort}><button>{moment}</button></th>')
                at += 1
        else:
            sort = ' aria-sort="descending"' if at == 2 else ""
            top.append(f'<th rowspan="2" data-column="{at}"{first}{sort}><button>{column.label}</button>{unit}</th>')
            at += 1
    return f"<tr>{''.join(top)}</tr><tr>{''.join(below)}</tr>"


def _clip(page: Page, index: int) -> str:
    row, sketch = page.rows[index], page.sketches[index]
    kinds = ["first", ""] + [kind for column in page.columns[2:] for kind in (_pair(column))]
    cells = "".join(
        # A long path is broken between its folders.
        f'<td class="{kind}" data-value="{escape(str(value), quote=True)}">{escape(shown).replace("/", "/<wbr>")}</td>'
        for kind, (shown, value) in zip(kinds, page.cells[index], strict=True)
    )
    span = len(page.cells[index])
    lines = [line for line in row["lines"] if line]
    said = "<br>".join(escape(_without_name(line, row["name"])) for line in lines)
    told = f'<tr><td class="said" colspan="{span}">{said}</td></tr>' if said else ""
    drawn = ""
    if sketch is not None:
        drawn = f'<tr class="pictures"><td colspan="{span}"><div>{strip(sketch)}{curve(sketch)}</div></td></tr>'
    return f'<tbody class="{row["state"]}"><tr>{cells}</tr>{told}{drawn}</tbody>\n'


def _pair(column: Column) -> tuple[str, ...]:
    return ("before", "after") if column.pair else ("",)


def _without_name(line: str, name: str) -> str:
    return line.removeprefix(f"{name.rpartition('/')[2]}: ")
