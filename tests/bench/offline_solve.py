# SPDX-License-Identifier: GPL-3.0-or-later
"""The direct solve against 25,000 sweeps of the article's method in compiled C, side by side in one run.

    python tests/bench/offline_solve.py

Prints ratios, never bare times: machines differ, and this one may be busy. The C program is compiled from the text
below with the machine's ``cc``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support import sweeps, walker  # noqa: E402
from toehold.solver.cleanup import CleanupSettings, solve  # noqa: E402
from toehold.solver.clip import Clip  # noqa: E402
from toehold.solver.contact_heights import toe_clearance  # noqa: E402
from toehold.solver.contacts import Contacts  # noqa: E402
from toehold.solver.ground import FlatGround  # noqa: E402
from toehold.solver.rotations import FloatArray  # noqa: E402

FRAMES = 1214

# The same sweep as support/sweeps.py, one frame step after the other. Reads frames, limbs, iterations, soft, hard, then
# root and toes, then planted flags and heights; writes the moved points.
SWEEPS_IN_C = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void read_doubles(double *to, size_t n) { if (fread(to, sizeof *to, n, stdin) != n) exit(1); }
int main(void) {
  double head[5];
  read_doubles(head, 5);
  const int frames = head[0], limbs = head[1], iterations = head[2], points = 1 + limbs;
  const double soft = head[3], hard = head[4];
  const size_t n = (size_t)frames * points * 3;
  double *x = malloc(n * sizeof *x), *given = malloc(n * sizeof *x);
  double *planted = malloc(frames * limbs * sizeof *x), *level = malloc(limbs * sizeof *x);
  read_doubles(given, n);
  read_doubles(planted, frames * limbs);
  read_doubles(level, limbs);
  memcpy(x, given, n * sizeof *x);
  for (int sweep = 0; sweep < iterations; sweep++)
    for (int f = 0; f < frames; f++) {
      double *now = x + (size_t)f * points * 3, *was = given + (size_t)f * points * 3;
      if (f + 1 < frames)
        for (int p = 0; p < points; p++)
          for (int a = 0; a < 3; a++) {
            double *u = now + 3 * p + a, *v = u + 3 * points;
            const double step = was[3 * (points + p) + a] - was[3 * p + a];
            const int both = p && planted[f * limbs + p - 1] && planted[(f + 1) * limbs + p - 1];
            if (both) {
              const double to = a == 2 ? level[p - 1] : 0.5 * (*u + *v);
              *u += hard * (to - *u);
              *v += hard * (to - *v);
            } else {
              double to_u = *v - step, to_v = *u + step;
              if (p && a == 2) { to_u = fmax(to_u, level[p - 1]); to_v = fmax(to_v, level[p - 1]); }
              *u += soft * (to_u - *u);
              *v += soft * (to_v - *v);
            }
          }
      for (int p = 1; p < points; p++) {
        double apart[3], length = 0, wanted = 0;
        for (int a = 0; a < 3; a++) {
          apart[a] = now[a] - now[3 * p + a];
          length += apart[a] * apart[a];
          wanted += (was[a] - was[3 * p + a]) * (was[a] - was[3 * p + a]);
        }
        const double share = soft * (sqrt(wanted / length) - 1);
        for (int a = 0; a < 3; a++) { now[a] += share * apart[a]; now[3 * p + a] -= share * apart[a]; }
      }
    }
  fwrite(x, sizeof *x, n, stdout);
  return 0;
}
"""


def main() -> None:
    walk = walker.walk(strides=30.0, slide_mm_s=175.0)
    clip = walk.clip.during(slice(0, FRAMES))
    contacts = walk.contacts.during(slice(0, FRAMES))
    assert clip.frame_count == FRAMES
    ground = FlatGround()
    with tempfile.TemporaryDirectory() as folder:
        program = _compiled(Path(folder))
        in_c = _fastest(lambda: _swept_in_c(program, walk, clip, contacts), 2)
    direct = _fastest(lambda: solve(clip, walk.limbs, contacts, ground, CleanupSettings()), 5)
    print(f"{FRAMES} frames, 2 legs: {sweeps.ITERATIONS} sweeps in C take {in_c / direct:.1f} times the direct solve")


def _compiled(folder: Path) -> Path:
    source, program = folder / "sweeps.c", folder / "sweeps"
    source.write_text(SWEEPS_IN_C)
    subprocess.run(["cc", "-O2", str(source), "-lm", "-o", str(program)], check=True)
    return program


def _swept_in_c(program: Path, walk: walker.Walk, clip: Clip, contacts: Contacts) -> FloatArray:
    toes = np.stack([clip.positions[:, limb.toe] for limb in walk.limbs], axis=1)
    planted = contacts.toe_planted
    level = np.array(
        [toe_clearance(toes[:, i, 2], planted[:, i], limb.scale(clip)) for i, limb in enumerate(walk.limbs)]
    )
    points = np.concatenate([clip.positions[:, walk.limbs[0].root, None], toes], axis=1)
    head = np.array([clip.frame_count, len(walk.limbs), sweeps.ITERATIONS, sweeps.SOFT, sweeps.HARD])
    numbers = np.concatenate([head, points.ravel(), planted.ravel(), level])
    done = subprocess.run([str(program)], input=numbers.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout)


def _fastest(work: Callable[[], object], times: int) -> float:
    """Return the shortest of several runs in seconds: what the work takes when nothing else is in its way."""
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        durations.append(time.perf_counter() - start)
    return min(durations)


if __name__ == "__main__":
    main()
