# SPDX-License-Identifier: GPL-3.0-or-later
"""Online Manual opens a page that exists, of each button and setting; the pages lead to pages and name real keys."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlparse

import bpy
import pytest
from bl_operators.wm import WM_OT_doc_view_manual

from toehold import registration
from toehold.panels import keymap, manual

DOCS = Path(__file__).resolve().parents[2] / "docs"


def opened(rna_id: str) -> str:
    """Return the address that Blender itself would open for a button or setting."""
    return WM_OT_doc_view_manual._lookup_rna_url(rna_id, verbose=False)


def shown() -> list[str]:
    """Every button and every setting, as Blender's Online Manual names them."""
    names = []
    for cls in registration.CLASSES:
        if issubclass(cls, bpy.types.Operator):
            names.append(f"bpy.ops.{cls.bl_idname}")
        elif issubclass(cls, bpy.types.PropertyGroup):
            own = [base for base in cls.__mro__ if "toehold" in base.__module__]
            settings = {name for base in own for name in vars(base).get("__annotations__", ())}
            names += [f"bpy.types.{cls.__name__}.{name}" for name in sorted(settings)]
    return names


def test_each_button_and_setting_has_a_page_that_exists(registered: ModuleType) -> None:
    names = shown()
    assert len(names) > 80
    for name in names:
        place = Path(unquote(urlparse(opened(name)).path))
        assert place.parent == DOCS
        assert place.is_file(), name
    assert opened("bpy.ops.toehold.clean").endswith("/clean.md")
    assert opened("bpy.types.ToeholdContactSettings.toe_share").endswith("/contacts.md")
    assert opened("bpy.ops.toehold.clear_contacts").endswith("/contacts.md")


def test_every_name_of_the_map_is_a_button_or_a_group(registered: ModuleType) -> None:
    known = {cls.__name__ for cls in registration.CLASSES} | {
        cls.bl_idname.removeprefix("toehold.") for cls in registration.CLASSES if issubclass(cls, bpy.types.Operator)
    }
    assert {name for names in manual.PAGES.values() for name in names.split()} <= known


def test_without_the_manual_beside_it_the_website_is_opened(
    registered: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manual, "FOLDER", tmp_path / "none")
    assert {opened(name) for name in shown()} == {manual.website()}
    assert manual.website().startswith("https://")


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_pages_lead_to_pages_pictures_and_headings_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        name, _, heading = target.partition("#")
        place = page.parent / name if name else page
        assert place.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}, target


def test_the_manual_has_every_page_in_its_contents() -> None:
    contents = (DOCS / "README.md").read_text(encoding="utf-8")
    assert not [
        page.name for page in DOCS.glob("*.md") if page.name != "README.md" and f"({page.name})" not in contents
    ]


def test_the_table_of_keys_has_all_keys() -> None:
    signs = {"RIGHT_ARROW": "→", "LEFT_ARROW": "←", "PERIOD": ".", "COMMA": ","}
    table = (DOCS / "keys.md").read_text(encoding="utf-8")
    for key, _, _ in keymap.KEYS:
        assert f"| Shift Alt {signs.get(key, key)} |" in table
