# SPDX-License-Identifier: GPL-3.0-or-later
"""The offline clean-up: the smallest, smoothest change of a whole clip that makes its contacts true.

Holden's constraints (*Inverse Kinematics and Foot Locking*, offline part) as one sparse nonlinear least-squares
problem, solved directly (docs/mathematics.md, 5). Read in this order:

problem.py      the objective, term by term, and the unknowns
constraints.py  what contacts ask of each toe: the objective's steps, rises and lowest heights
cleanup.py      the way in: solves the problem over the whole clip, in laps where the clip repeats
solution.py     where roots and feet have to go, at any strength, and the clip that does it
ground_fit.py   what comes before all of it on a ground of objects: feet turned to slopes and moved out of risers
"""

from .cleanup import apply, clean, solve
from .settings import CleanupSettings
from .solution import Solution

__all__ = ["CleanupSettings", "Solution", "apply", "clean", "solve"]
