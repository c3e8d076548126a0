# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of array that the solver computes with. Shapes are said in each docstring, frames first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
