# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the manual's picture of a batch's summary: walks by formula, one of them broken, and a page in Chromium.

PYTHONPATH=tests python tools/summary_picture.py docs
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "drills"))

from common import run, save_walk


def main() -> None:
    out = Path(sys.argv[1]).absolute() / "summary.png"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, slide in (
            ("monday/walk_01.bvh", 250.0),
            ("monday/walk_02.bvh", 60.0),
            ("tuesday/walk_01.bvh", 140.0),
        ):
            save_walk(folder / "takes" / name, slide)
        (folder / "takes" / "tuesday" / "cut_off.bvh").write_text("HIERARCHY\nROOT Hips\n{")
        run(folder, "clean", "takes", "-o", "cleaned")
        shot = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1240,930"]
        page = folder / "cleaned" / "toehold-summary.html"
        subprocess.run([*shot, f"--screenshot={out}", page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
