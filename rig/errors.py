# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that Toehold raises for something that a user can mend."""


class RigError(Exception):
    """One line for the user: what is wrong, where, and what to do. Nothing has been changed when it is raised."""
