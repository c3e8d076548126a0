# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches and single files killed at random times: sources intact, results whole or not there, and all can be resumed.

python tests/drills/batch_killed.py [ROUNDS]
"""

from __future__ import annotations

import hashlib
import random
import signal
import sys
import time
from pathlib import Path

from common import begin, broken, hidden, kill_after, orphans, rows_of, run, takes, verdict

COUNT = 6


def source_hash(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted((folder / "takes").rglob("*.bvh")):
        total.update(path.read_bytes())
    return total.hexdigest()


def batches(folder: Path, rounds: int, number: signal.Signals, longest: float) -> int:
    """Kill batches that go on from each other's results, then let one finish."""
    rows, before = rows_of(folder / "takes" / "a" / "walk.bvh"), source_hash(folder)
    faults: list[str] = []
    for _ in range(rounds):
        seconds = random.uniform(0.2, longest)
        at_work = begin(folder, "clean", "takes", "-o", "out", "--jobs", "2", "--again")
        said = kill_after(at_work, seconds, number)
        orphaned = orphans(folder)  # workers see that their parent is gone
        left = hidden(folder / "out") if number != signal.SIGKILL else []
        fault = [
            f"source changed after {seconds:.2f} s" if source_hash(folder) != before else "",
            f"half-written after {seconds:.2f} s" if broken(folder / "out", rows) else "",
            f"left {left[0].name} after {seconds:.2f} s" if left else "",
            f"workers left after {seconds:.2f} s" if orphaned else "",
            f"traceback after {seconds:.2f} s: {said.strip().splitlines()[-1]}" if "Traceback" in said else "",
        ]
        faults += [one for one in fault if one][:1]
    fell = verdict(f"batches stopped by {number.name}: whole or not there", rounds - len(faults), rounds, faults)
    code, _, said = run(folder, "clean", "takes", "-o", "out", "--jobs", "2")
    done = len(list((folder / "out").rglob("*.bvh")))
    held = code == 0 and done == COUNT and not hidden(folder / "out") and not broken(folder / "out", rows)
    return fell + verdict(f"resumed after {number.name}, and nothing hidden left", int(held), 1, [said] * (not held))


def singles(folder: Path, rounds: int, number: signal.Signals, longest: float) -> int:
    """Kill the command on one file, over a result that is there."""
    rows = rows_of(folder / "takes" / "a" / "walk.bvh")
    faults: list[str] = []
    place = folder / "single"
    place.mkdir(exist_ok=True)
    for _ in range(rounds):
        seconds = random.uniform(0.2, longest)
        at_work = begin(folder, "clean", "takes/a/walk.bvh", "-o", "single/walk.bvh")
        kill_after(at_work, seconds, number)
        left = hidden(place) if number != signal.SIGKILL else []
        if broken(place, rows) or left:
            faults.append(f"after {seconds:.2f} s: {[path.name for path in [*broken(place, rows), *left]]}")
    return verdict(f"single files stopped by {number.name}", rounds - len(faults), rounds, faults)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    fell = 0
    with takes(COUNT) as folder:
        begun = time.monotonic()
        run(folder, "clean", "takes", "-o", "out", "--jobs", "2")
        whole = time.monotonic() - begun
        begun = time.monotonic()
        run(folder, "clean", "takes/a/walk.bvh", "-o", "whole.bvh")
        single = time.monotonic() - begun
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            fell += batches(folder, rounds, number, 1.1 * whole)
            fell += singles(folder, rounds, number, 1.1 * single)
    return min(fell, 1)


if __name__ == "__main__":
    sys.exit(main())
