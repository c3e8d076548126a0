# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does to contacts by hand, and what is shown for it in the Graph Editor."""
