# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a user sees is there in four more languages, and says the same."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import bpy
import pytest

from toehold.rig.common.wording import RigError, said, say
from toehold.translations import catalogue

LANGUAGES = ("de_DE", "es", "nl_NL", "zh_HANS")
PLACEHOLDER = re.compile(r"\{(\w+)(:[^}]*)?\}")


@pytest.fixture(scope="module")
def texts(registered: ModuleType) -> dict[str, str]:
    from support.messages import messages

    return messages()


def read(language: str) -> dict[str, str]:
    return catalogue.read(catalogue.FOLDER / f"{language}.po")


def test_there_are_german_spanish_dutch_and_simplified_chinese() -> None:
    assert tuple(path.stem for path in catalogue.languages()) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_its_translation_and_no_translation_is_left_over(texts: dict[str, str], language: str) -> None:
    told = read(language)
    missing = {text: where for text, where in texts.items() if text not in told}
    assert not missing, "run tools/translations.py, and translate"
    assert not told.keys() - texts.keys(), "run tools/translations.py"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_fills_in_what_the_text_does_and_ends_as_it_does(language: str) -> None:
    for text, told in read(language).items():
        assert sorted(PLACEHOLDER.findall(told)) == sorted(PLACEHOLDER.findall(text)), text
        assert told == told.strip()
        assert not told.endswith((".", "。")), text
        assert "\n" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_not_english_still(texts: dict[str, str], language: str) -> None:
    same = [text for text, told in read(language).items() if told == text and len(text.split()) > 3]
    assert not same


def test_blender_is_told_labels_of_operators_too_and_forgets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, dict[str, dict[tuple[str, str], str]]] = {}

    class Translations:
        register = staticmethod(told.__setitem__)
        unregister = staticmethod(lambda name: told.pop(name, None))

    monkeypatch.setattr(catalogue, "bpy", type("Blender", (), {"app": type("App", (), {"translations": Translations})}))
    catalogue.register()
    catalogue.register()
    ((_, languages),) = told.items()
    assert languages["de_DE"]["Toehold", "Clean"] == languages["de_DE"]["*", "Clean"] == "Bereinigen"
    assert languages["de_DE"]["Operator", "Find Legs"] == languages["de_DE"]["*", "Find Legs"] == "Beine finden"
    catalogue.unregister()
    assert not told


def test_values_are_filled_in_after_the_text_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    from toehold.rig.common import wording

    german = read("de_DE")
    monkeypatch.setattr(wording, "pgettext_rpt", lambda text, context: german.get(text, text))
    assert say("frames {first} to {last}", first=3, last=9) == "Einzelbilder 3 bis 9"
    error = RigError('action "{action}" has no keys: choose another action', action="Walk {1}")
    assert str(error) == 'action "Walk {1}" has no keys: choose another action'
    assert said(error) == "Aktion „Walk {1}“ hat keine Schlüsselbilder: eine andere Aktion wählen"
    assert said(RigError("{braces} and nothing to fill in")) == "{braces} and nothing to fill in"


def test_a_file_that_a_translators_tool_has_wrapped_is_read(tmp_path: Path) -> None:
    path = tmp_path / "xx.po"
    path.write_text(
        '# A comment\nmsgid ""\nmsgstr "Language: xx\\n"\n\n#: panels/report.py:3\nmsgid ""\n"Copy "\n"Report"\n'
        'msgstr ""\n"Berie "\n"\\"kopi\\""\n\nmsgid "Later"\nmsgstr ""\n',
        encoding="utf-8",
    )
    assert catalogue.read(path) == {"Copy Report": 'Berie "kopi"'}


def test_blender_can_be_told_and_made_to_forget(registered: ModuleType) -> None:
    assert bpy.app.translations.pgettext_iface("Toehold") == "Toehold"
