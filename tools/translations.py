# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the files of translations up to date with what Toehold says: new texts are added, those that are gone leave.

    python tools/translations.py

A text that has no translation yet is left empty, for a translator to fill in; the tests tell of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import toehold  # noqa: E402
from support.messages import messages  # noqa: E402
from toehold.translations import catalogue  # noqa: E402

HEAD = """# Translation of Toehold, a Blender extension.
# SPDX-License-Identifier: GPL-3.0-or-later
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def main() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    toehold.register()
    try:
        texts = messages()
    finally:
        toehold.unregister()
    for path in catalogue.languages():
        known = catalogue.read(path)
        entries = [f"msgid {_quoted(text)}\nmsgstr {_quoted(known.get(text, ''))}\n" for text in texts]
        path.write_text("\n".join([HEAD.format(language=path.stem), *entries]), encoding="utf-8")
        missing = [text for text in texts if text not in known]
        print(f"{path.name}: {len(texts)} texts, {len(missing)} to translate", *missing, sep="\n  ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    main()
