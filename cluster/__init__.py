# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch on the machines of a dask cluster. It asks the network, so it is in the Python package and not in the zip."""
