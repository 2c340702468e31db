#!/usr/bin/env python3
"""How long each of many writes to one file in A, at a steady rhythm, takes to be read in B.

measure-rhythm.py CHANGES WAYS; WAYS has a line "name, tab, folder A, tab, folder B" for each way. A change that the
next one overtakes counts from its own write to when B shows the later one.
"""

import sys
import threading
import time

PERIODS = [0.11, 0.15, 0.2, 0.5, 1.0]
PATIENCE = 30
FILE = "f0"


def writer(path, period, times):
    begun = time.perf_counter()
    for number in range(len(times)):
        time.sleep(max(0, begun + number * period - time.perf_counter()))
        times[number] = time.perf_counter()
        with open(path, "w") as file:
            file.write(f"{number}\n")


def measure(a, b, period, changes):
    """Milliseconds for each change; None for one that never came."""
    times = [0.0] * changes
    seen = [None] * changes
    thread = threading.Thread(target=writer, args=(f"{a}/{FILE}", period, times))
    thread.start()
    shown = -1
    end = time.perf_counter() + changes * period + PATIENCE
    while shown < changes - 1 and time.perf_counter() < end:
        try:
            with open(f"{b}/{FILE}") as file:
                now = int(file.read() or -1)
        except (FileNotFoundError, ValueError):
            now = shown
        moment = time.perf_counter()
        # What the rhythm before left behind is a higher number.
        if shown < now < changes and (shown >= 0 or now < changes // 2):
            for number in range(shown + 1, now + 1):
                seen[number] = (moment - times[number]) * 1000
            shown = now
        time.sleep(0.001)
    thread.join()
    return seen


def main():
    changes = int(sys.argv[1])
    with open(sys.argv[2]) as file:
        ways = [line.rstrip("\n").split("\t") for line in file]
    print(f"| one file, {changes} changes | every | p50 ms | p99 ms | worst ms | lost |")
    print("|---|---|---|---|---|---|")
    for name, a, b in ways:
        for period in PERIODS:
            with open(f"{a}/{FILE}", "w") as file:
                file.write(f"{changes}\n")
            time.sleep(3)
            all_times = measure(a, b, period, changes)
            came = sorted(taken for taken in all_times if taken is not None)

            def at(share):
                return came[min(len(came) - 1, int(len(came) * share))] if came else 0

            lost = len(all_times) - len(came)
            figures = f"{at(0.5):.1f} | {at(0.99):.1f} | {at(1):.1f} | {lost}"
            print(f"| {name} | {period * 1000:.0f} ms | {figures} |", flush=True)


main()
