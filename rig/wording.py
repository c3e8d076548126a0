# SPDX-License-Identifier: GPL-3.0-or-later
"""What Toehold says, in the user's language.

A text with something to fill in is translated first and filled in then, so that each language can put it elsewhere.
"""

from __future__ import annotations

from bpy.app.translations import pgettext_rpt

from .errors import RigError

# In which of Blender's contexts the labels of operators are translated: in this one no word is Blender's own already,
# which would be another one than the same word has elsewhere in Toehold.
CONTEXT = "Toehold"


def say(text: str, **values: object) -> str:
    """Return a text in the user's language, with ``values`` in its ``{placeholders}``."""
    translated = pgettext_rpt(text)
    return translated.format(**values) if values else translated


def said(error: RigError) -> str:
    """Return the line of an error in the user's language."""
    return say(error.text, **error.values)
