# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker that speaks the protocol of batch/workers.py without Blender, and dies, fails or grows as its file says.

    python fake_worker.py

Each order's first argument is what to do, the second where to leave a trace: a line for each time it was tried.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue

MARK = "toehold-worker "


def listen(orders: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        orders.put(line)
    os._exit(0)


def main() -> None:
    orders: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=listen, args=(orders,), daemon=True).start()
    print("Blender 5.2, quit by a line that is none of ours", flush=True)
    while True:
        order = json.loads(orders.get())
        what, trace = order["arguments"][0], Path(order["arguments"][1])
        with trace.open("a") as noted:
            noted.write(f"{os.getpid()}\n")
        tries = len(trace.read_text().splitlines())
        if what == "crash" or (what == "crash once" and tries == 1):
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "leave":
            sys.stderr.write("out of memory\n")
            sys.stderr.flush()
            os._exit(3)
        if what == "hang":
            time.sleep(600)
        answer = {
            "number": order["number"],
            "code": 1 if what == "fail" else 0,
            "lines": ["it is broken"] if what == "fail" else [],
            "records": [{"before": {"slide_mm_s": 7.0}}],
            "memory": 10**9 if what == "grow" else 10**6,
        }
        print(MARK + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
