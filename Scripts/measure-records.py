#!/usr/bin/env python3
"""How long records take, and how that grows with their number.

measure-records.py BINARY [--records N,N,...] [--runs RUNS] [--place FOLDER]

Makes a zone of N records for each N, by one `rec batch` through a remote that is a folder, and then runs each command
RUNS times, by turns with the other numbers of records: from the start of the process to its end, so the start is in all of
them. A record has a number, a title and a text of eight words. The median and the worst are printed. The worst save of some
hundreds writes a checkpoint, which has a row for each record.

The targets at 100,000 records: an equal value 20 ms, a word 50 ms, the index 5 s, one save 50 ms, and as long as at 1,000.
"""

import argparse
import json
import os
import statistics
import subprocess

from measured import Run, temporary_home

# As often as this a word is in some record, whatever the number of records.
FOUND = 10


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--records", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--place", default=None)
    return parser.parse_args()


class Zone:
    """A zone of so many records, and the commands that are measured on it."""

    def __init__(self, binary, place, count):
        self.binary, self.place, self.count = binary, f"{place}/{count}", count
        self.tree = f"{self.place}/a"
        os.makedirs(self.tree)
        subprocess.run([binary, "init", self.tree, "--remote", f"{self.place}/store", "-q"], check=True)
        self.numbers = iter(range(count))
        self.commands = {
            "get of one name": lambda: self.rec("get", "r7"),
            "query, equal value": lambda: self.query("count = 77"),
            f"query, range of {FOUND}": lambda: self.query(f"count >= {count - FOUND}"),
            f"query, a word in {FOUND}": lambda: self.query("self CONTAINS 'rare7'"),
            "query, a word in all, first 10": lambda: self.query("self CONTAINS 'common'", "--limit", "10"),
            "query, sorted, first 10": lambda: self.query("TRUEPREDICATE", "--sort", "-count", "--limit", "10"),
            "save, published": self.save,
        }

    def fill(self):
        batch = f"{self.place}/batch"
        with open(batch, "w") as file:
            for number in range(self.count):
                body = f"common text that all share, rare{number // FOUND} and some more"
                fields = {"title": f"note {number}", "count": number, "body": body}
                operation = {"op": "create", "name": f"r{number}", "type": "Note", "fields": fields}
                file.write(json.dumps(operation) + "\n")
        return self.rec("batch", batch)

    def rec(self, command, *words):
        return Run([self.binary, "rec", command, *words, "--root", self.tree])

    def query(self, where, *words):
        return self.rec("query", "Note", "--where", where, *words)

    def save(self):
        number = next(self.numbers)
        return self.rec("save", "Note", f"r{number * 7919 % self.count}", "--set", f"title=changed {number}")


def main():
    options = parsed()
    binary = os.path.realpath(options.binary)
    with temporary_home("records", options.place) as place:
        zones = [Zone(binary, place, int(word)) for word in options.records.split(",")]
        print("| records | batch s | peak MB | index s | peak MB |\n|---|---|---|---|---|")
        for zone in zones:
            filled, indexed = zone.fill(), zone.rec("index", "rebuild")
            each = [f"{run.wall:.2f} | {run.peak / 1e6:.0f}" for run in (filled, indexed)]
            print(f"| {zone.count} | {each[0]} | {each[1]} |", flush=True)
        found = {name: {zone.count: [] for zone in zones} for name in zones[0].commands}
        for _ in range(options.runs):
            for name, runs in found.items():
                for zone in zones:
                    runs[zone.count].append(zone.commands[name]())
        print(f"\n| {options.runs} runs each: median, worst ms, CPU ms | " + " | ".join(str(zone.count) for zone in zones) + " |")
        print("|---" * (len(zones) + 1) + "|")
        for name, by_count in found.items():
            cells = []
            for runs in by_count.values():
                walls = [run.wall * 1000 for run in runs]
                cpu = statistics.median(run.cpu for run in runs) * 1000
                cells.append(f"{statistics.median(walls):.1f}, {max(walls):.1f}, {cpu:.1f}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


main()
