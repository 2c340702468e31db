#!/bin/sh
# Times the merges beside git merge-file and sqldiff: bench-merges.sh BINARY
# Each pair runs alternately; the numbers are medians of wall time, the last one is the ratio. sqldiff
# finds the differences of one side and merges nothing.
set -eu
binary=$(realpath "$1")
place=$(mktemp -d "${TMPDIR:-/tmp}/filesinki-bench.XXXXXX")
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 - "$binary" <<'PYTHON'
import copy, json, os, random, shutil, sqlite3, statistics, subprocess, sys, time

binary = sys.argv[1]
chance = random.Random(5)
words = ["word%d" % number for number in range(3000)]


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def some_json():
    items = [
        {"id": n, "name": chance.choice(words), "tags": chance.choices(words, k=4),
         "value": chance.random(), "note": " ".join(chance.choices(words, k=6))}
        for n in range(4200)
    ]
    here, there = copy.deepcopy(items), copy.deepcopy(items)
    for n in chance.sample(range(0, len(items), 2), 300):
        here[n]["name"] = "here %d" % n
    for n in chance.sample(range(1, len(items), 2), 300):
        there[n]["value"] = n
    for name, value in (("base", items), ("here", here), ("there", there)):
        write(name + ".json", json.dumps({"items": value}, indent=2) + "\n")


def some_text():
    base = [" ".join(chance.choices(words, k=6)) for _ in range(193000)]
    here, there = list(base), list(base)
    for n in chance.sample(range(0, len(base), 4), 300):
        here[n] = "here " + here[n]
    for n in chance.sample(range(2, len(base), 4), 300):
        there[n] = "there " + there[n]
    for name, lines in (("base", base), ("here", here), ("there", there)):
        write(name + ".txt", "\n".join(lines) + "\n")


def some_database():
    with sqlite3.connect("base.db") as base:
        base.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INT)")
        base.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)",
            ((n, "%030x" % chance.getrandbits(120), "%0140x" % chance.getrandbits(560), n)
             for n in range(1000000)))
        base.execute("CREATE INDEX i ON t(n)")
    base.close()
    for parity, name in enumerate(("here", "there")):
        shutil.copy("base.db", name + ".db")
        with sqlite3.connect(name + ".db") as side:
            for n in chance.sample(range(parity, 1000000, 2), 1000):
                side.execute("UPDATE t SET a = ? WHERE id = ?", (name, n))
        side.close()


def once(command):
    start = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.DEVNULL)
    if result.returncode:
        sys.exit("%s failed" % " ".join(command))
    return (time.perf_counter() - start) * 1000


def pair(title, ending, strategy, peer, rounds):
    names = [name + ending for name in ("base", "here", "there")]
    own = [binary, "merge", "--strategy", strategy] + names
    times, others = [], []
    for _ in range(rounds):
        times.append(once(own))
        if shutil.which(peer[0]):
            others.append(once(peer))
    size = os.path.getsize(names[0]) / 1e6
    line = "%-14s %6.1f MB %8.0f ms" % (title, size, statistics.median(times))
    if others:
        other = statistics.median(others)
        line += "   %s %8.0f ms   %.2f" % (peer[0], other, statistics.median(times) / other)
    print(line)


some_json()
some_text()
some_database()
for strategy, ending in (("json", ".json"), ("text", ".txt")):
    peer = ["git", "merge-file", "-p", "here" + ending, "base" + ending, "there" + ending]
    pair("merge " + strategy, ending, strategy, peer, 7)
pair("merge sqlite", ".db", "sqlite", ["sqldiff", "--summary", "base.db", "here.db"], 3)
PYTHON
