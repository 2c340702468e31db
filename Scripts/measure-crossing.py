#!/usr/bin/env python3
"""How long a file that is written in A takes to be read in B, for several ways from A to B in turn.

measure-crossing.py EDITS WAYS; WAYS has a line "name, tab, folder A, tab, folder B" for each way.
"""

import random
import sys
import time

PAUSE = 0.2
PATIENCE = 60


def cross(name, a, b, number):
    """Writes in A and waits for it in B; milliseconds, or None when it never came."""
    path = f"f{number % 20}"
    text = f"{name} {number} {time.time_ns()}\n"
    time.sleep(PAUSE)
    began = time.perf_counter()
    with open(f"{a}/{path}", "w") as file:
        file.write(text)
    while time.perf_counter() - began < PATIENCE:
        try:
            with open(f"{b}/{path}") as file:
                if file.read() == text:
                    return (time.perf_counter() - began) * 1000
        except FileNotFoundError:
            pass
        time.sleep(0.0005)
    return None


def main():
    edits = int(sys.argv[1])
    with open(sys.argv[2]) as file:
        ways = [line.rstrip("\n").split("\t") for line in file]
    times = {way[0]: [] for way in ways}
    for number in range(edits):
        for name, a, b in random.sample(ways, len(ways)):
            times[name].append(cross(name, a, b, number))
    print(f"| write on A to visible on B, {edits} edits, in turn | p50 ms | p99 ms | worst ms | lost |")
    print("|---|---|---|---|---|")
    for name, all_times in times.items():
        came = sorted(taken for taken in all_times if taken is not None)
        lost = len(all_times) - len(came)

        def at(share):
            return came[min(len(came) - 1, int(len(came) * share))] if came else 0

        print(f"| {name} | {at(0.5):.1f} | {at(0.99):.1f} | {at(1):.1f} | {lost} |")


main()
