# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown while a user works: the previewed lock, the followed sliders, the feed of the overlays."""
