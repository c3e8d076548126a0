# SPDX-License-Identifier: GPL-3.0-or-later
"""Toehold finds when each foot is planted, shows it as a curve, and makes it true."""


def register() -> None:
    from . import registration

    registration.register()


def unregister() -> None:
    from . import registration

    registration.unregister()
