# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and outputs that fail: a full disk, folders that cannot be written, output that is closed, full or ASCII.

    python tests/drills/batch_places.py

A full disk wants the right to mount a small tmpfs, read-only folders a user other than root; what cannot be tried here
is said.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from common import COMMAND, broken, hidden, rows_of, run, takes, verdict


def full_disk(folder: Path) -> int:
    """Clean into file systems that are too small for all results, then into one that is large enough."""
    rows = rows_of(folder / "takes" / "a" / "walk.bvh")
    held, tried, faults = 0, 0, []
    for kilobytes in (16, 64, 128, 200, 300):
        with tempfile.TemporaryDirectory() as place:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place]
            if subprocess.run(mount, capture_output=True, check=False).returncode:
                print("full disk: no right to mount a tmpfs here; not tried")
                return 0
            try:
                tried += 1
                code, _, said = run(folder, "clean", "takes", "-o", place, "--jobs", "2")
                at_fault = "Traceback" in said or "report it" in said or code == 0
                if at_fault or broken(Path(place), rows) or hidden(Path(place)):
                    faults.append(f"{kilobytes} kB: exit {code}: {said.strip()[-200:]}")
                    continue
                grown = ["mount", "-o", "remount,size=8m", place]
                subprocess.run(grown, check=True)
                code, _, said = run(folder, "clean", "takes", "-o", place, "--jobs", "2")
                if code or len(list(Path(place).rglob("*.bvh"))) != len(list((folder / "takes").rglob("*.bvh"))):
                    faults.append(f"{kilobytes} kB, with more room: exit {code}: {said.strip()[-200:]}")
                    continue
                held += 1
            finally:
                subprocess.run(["umount", "-l", place], check=True)
    return verdict("full disk: told, whole or not there, done with more room", held, tried, faults)


def file_limit(folder: Path) -> int:
    """Clean with a limit on the size of files, which each result exceeds."""
    rows = rows_of(folder / "takes" / "a" / "walk.bvh")
    done = subprocess.run(
        [*COMMAND, "clean", "takes", "-o", "limited", "--jobs", "2"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    place = folder / "limited"
    held = (
        done.returncode in (1, 2) and "Traceback" not in done.stderr and not broken(place, rows) and not hidden(place)
    )
    return verdict("ulimit -f: told, and nothing half-written", int(held), 1, [done.stderr[-300:]] * (not held))


def read_only(folder: Path) -> int:
    """Clean into a folder, and below one, that cannot be written."""
    if os.geteuid() == 0:
        places = ["/proc/toehold", "/sys/kernel"]
    else:
        locked = folder / "locked"
        locked.mkdir()
        locked.chmod(0o555)
        places = [str(locked), str(locked / "below")]
    faults = []
    for place in places:
        code, _, said = run(folder, "clean", "takes", "-o", place)
        if code != 2 or len(said.strip().splitlines()) != 1 or "Traceback" in said:
            faults.append(f"{place}: exit {code}: {said.strip()[-200:]}")
    return verdict("folders that cannot be written: one line, exit 2", len(places) - len(faults), len(places), faults)


def outputs(folder: Path) -> int:
    """Clean with each kind of output that fails, one file and a folder: what is written is no error."""
    sent = (">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1", "| true", "| head -c 5")
    words = " ".join(f"'{word}'" for word in COMMAND)
    jobs = (
        "clean takes/a/walk.bvh -o one.bvh --json one.json",
        "clean takes -o many --again --verbose --json many.json",
    )
    faults = []
    for job in jobs:
        for ending in sent:
            for name in ("one.json", "many.json"):
                (folder / name).unlink(missing_ok=True)
            line = f"{words} {job} {ending}; exit ${{PIPESTATUS[0]}}"
            done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
            told = folder / ("one.json" if "one.json" in job else "many.json")
            if done.returncode or not told.exists() or "Traceback" in done.stderr or "report it" in done.stderr:
                faults.append(f"{job} {ending}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
    count = len(sent) * len(jobs)
    return verdict("output closed, full or cut off: results are no errors", count - len(faults), count, faults)


def languages(folder: Path) -> int:
    """Clean files with names of other scripts where the terminal knows ASCII only."""
    odd = folder / "odd"
    odd.mkdir()
    for name in ("wälk.bvh", "歩く.bvh", "-dash.bvh", "two words.bvh", "walk[1].bvh", "quote'\".bvh"):
        (odd / name).write_bytes((folder / "takes" / "a" / "walk.bvh").read_bytes())
    faults = []
    for number, settings in enumerate(({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C.UTF-8"})):
        done = subprocess.run(
            [*COMMAND, "clean", "odd", "-o", f"odd out {number}", "--verbose"],
            cwd=folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        made = {path.name for path in (folder / f"odd out {number}").glob("*.bvh")}
        if done.returncode or made != {path.name for path in odd.iterdir()}:
            faults.append(f"{settings}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
    return verdict("odd names, ASCII terminals", 3 - len(faults), 3, faults)


def main() -> int:
    with takes(4) as folder:
        return min(sum(drill(folder) for drill in (full_disk, file_limit, read_only, outputs, languages)), 1)


if __name__ == "__main__":
    sys.exit(main())
