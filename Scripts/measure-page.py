#!/usr/bin/env python3
"""How long the pages of `ui` and `serve --ui` take until something is seen, in headless chromium.

measure-page.py BINARY [--files FILES] [--commits COMMITS] [--conflicts CONFLICTS] [--runs RUNS] [--place FOLDER]
                [--kept FOLDER]

Makes a store in a folder with FILES small files, CONFLICTS open conflicts and COMMITS commits, and opens each page
RUNS times. Shown are medians in milliseconds since the navigation began: the first paint, the first contentful
paint, the first view in place, as the browser says; then each other view, from its link to its heading, and to the
moment when no part of it is being read. A larger number of files or commits must not change the first three. With
--kept the store is made in that folder if it is not there yet, and stays.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from urllib.request import Request, urlopen

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "Tests", "Browser"))
from browser import Browser  # noqa: E402
from measured import temporary_home

PER_FOLDER = 100
PAINTS = """
    const paints = Object.fromEntries(performance.getEntriesByType('paint').map((entry) => [entry.name, entry.startTime]));
    const view = performance.getEntriesByName('view')[0];
    return view && paints['first-contentful-paint'] !== undefined
        && [paints['first-paint'], paints['first-contentful-paint'], view.startTime];"""
# Follows a link, and keeps the times of its heading and of its last part.
FOLLOW = """
    const [link] = [...document.querySelectorAll('nav a')].filter((link) => link.innerText === arguments[0]);
    const begun = performance.now();
    window.seen = {};
    const look = () => {
        if (document.querySelector('main h2')?.innerText !== arguments[0]) return;
        window.seen.heading ??= performance.now() - begun;
        if (!document.querySelector('main [aria-busy=true]')) window.seen.whole ??= performance.now() - begun;
    };
    new MutationObserver(look).observe(document.getElementById('main'), { childList: true, subtree: true, attributes: true });
    link.click();"""


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--conflicts", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--place", default=None)
    parser.add_argument("--kept", default=None)
    return parser.parse_args()


class Place:
    """A store, its two replicas, and the server's tokens."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.store, self.here, self.there = (f"{folder}/{name}" for name in ("store", "a", "b"))

    def run(self, *words):
        done = subprocess.run([self.binary, *words, "-q"], capture_output=True, text=True)
        # 3: there are conflicts.
        if done.returncode not in (0, 3):
            raise SystemExit(f"filesinki {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self, tree, folder, count, text):
        for number in range(count):
            parent = f"{tree}/{folder}/{number // PER_FOLDER}"
            os.makedirs(parent, exist_ok=True)
            with open(f"{parent}/file-{number}.txt", "w") as file:
                file.write(f"{text} {number}\n")

    def fill(self, options):
        for tree in (self.here, self.there):
            os.makedirs(tree)
            self.run("init", tree, "--remote", self.store)
        self.write(self.here, "files", options.files, "first")
        self.write(self.here, "both", options.conflicts, "base")
        self.run("sync", self.here)
        self.run("sync", self.there)
        self.write(self.here, "both", options.conflicts, "here")
        self.write(self.there, "both", options.conflicts, "there")
        self.run("sync", self.there)
        self.run("sync", self.here)
        self.commit(options.commits)
        self.run("sync", self.here)

    def commit(self, count):
        """Makes commits by one process, which costs a tenth of a process for each."""
        command = [self.binary, "rpc", "--root", self.there]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for number in range(count):
                parameters = {"path": f"note-{number % 20}.txt", "content": f"note {number}\n"}
                request = {"jsonrpc": "2.0", "id": number, "method": "files.save", "params": parameters}
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                if "error" in json.loads(process.stdout.readline()):
                    raise SystemExit("files.save failed")
            process.stdin.close()

    def start(self, *words):
        return subprocess.Popen(
            [self.binary, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


class Times:
    def __init__(self):
        self.rows = {}

    def add(self, name, *values):
        self.rows.setdefault(name, []).append(values)

    def show(self, title, heads):
        print(f"| {title} | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
        for name, rows in self.rows.items():
            print(f"| {name} | {' | '.join(f'{statistics.median(column):.0f}' for column in zip(*rows))} |")
        print(flush=True)


def open_page(browser, address, first, views):
    browser.ask("POST", "/url", {"url": address})
    first.append(browser.until("the first view is painted", PAINTS))
    for view, times in views.items():
        browser.script(FOLLOW, view)
        seen = browser.until(f"{view} is whole", "return window.seen.whole !== undefined && window.seen")
        times.append((seen["heading"], seen["whole"]))


def measure(place, title, runs, names, opened):
    """`opened` starts a server and returns its process, and the address for a browser that it prepared."""
    first, views = [], {name: [] for name in names}
    for _ in range(runs):
        browser = Browser()
        process, address = opened(browser)
        try:
            open_page(browser, address, first, views)
        finally:
            browser.end()
            process.terminate()
            process.wait()
    paints, others = Times(), Times()
    for row in first:
        paints.add(title, *row)
    for name, rows in views.items():
        for row in rows:
            others.add(name, *row)
    paints.show("page, ms", ["first paint", "first contentful paint", "first view"])
    others.show("view, ms", ["heading", "whole"])


def measure_replica(place, runs):
    def opened(_):
        process = place.start("ui", place.here)
        return process, json.loads(process.stdout.readline())["address"]

    measure(place, "ui", runs, ["Conflicts", "History", "Deleted files", "Devices", "Space"], opened)


def measure_store(place, runs):
    token = f"{place.folder}/token"
    if not os.path.exists(token):
        place.run("serve", "token", "make", place.store, "anna", "--rights", "read", "-o", token)

    def opened(browser):
        process = place.start("serve", place.store, "--listen", "127.0.0.1:0", "--ui")
        address = json.loads(process.stdout.readline())["page"]
        with open(token) as file:
            body = file.read().strip().encode()
        with urlopen(Request(address + "session", data=body, method="POST")) as reply:
            name, value = reply.headers["Set-Cookie"].split(";")[0].split("=", 1)
        # A cookie belongs to a page that is open. The calls that read the log for the first time are not measured.
        browser.ask("POST", "/url", {"url": address + "icon.svg"})
        browser.ask("POST", "/cookie", {"cookie": {"name": name, "value": value, "path": "/ui"}})
        browser.ask("POST", "/url", {"url": address})
        browser.until("the log is read", PAINTS)
        return process, address

    measure(place, "serve --ui", runs, ["Files", "Deleted files", "Devices", "Space"], opened)


def main():
    options = parsed()
    with temporary_home("page", options.place) as folder:
        place = Place(os.path.realpath(options.binary), options.kept or f"{folder}/store")
        if not os.path.exists(place.here):
            place.fill(options)
        measure_replica(place, options.runs)
        measure_store(place, options.runs)


main()
