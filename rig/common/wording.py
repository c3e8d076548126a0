# SPDX-License-Identifier: GPL-3.0-or-later
"""What Toehold says, in the user's language; and the one error, which says what a user can mend.

A text with something to fill in is translated first and filled in then, so that each language can put it elsewhere.
"""

from __future__ import annotations

from bpy.app.translations import pgettext_rpt

# The translation context of whatever Toehold says: in it no word is Blender's own, whose catalogue is asked first
# and may have the same word for another thing.
CONTEXT = "Toehold"


class RigError(Exception):
    """One line for the user: what is wrong, where, and what to do. Nothing has been changed when it is raised.

    text : in English, with ``{placeholders}`` for ``values``: so it can still be translated where it is told.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format(**values) if values else text)
        self.text, self.values = text, values


def say(text: str, **values: object) -> str:
    """Return a text in the user's language, with ``values`` in its ``{placeholders}``."""
    translated = pgettext_rpt(text, CONTEXT)
    return translated.format(**values) if values else translated


def said(error: RigError) -> str:
    """Return the line of an error in the user's language."""
    return say(error.text, **error.values)
