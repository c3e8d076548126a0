# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that Toehold raises for something that a user can mend."""

from __future__ import annotations


class RigError(Exception):
    """One line for the user: what is wrong, where, and what to do. Nothing has been changed when it is raised.

    text : in English, with ``{placeholders}`` for ``values``: so it can still be translated where it is told.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format(**values) if values else text)
        self.text, self.values = text, values
