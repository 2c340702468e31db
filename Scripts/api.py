#!/usr/bin/env python3
"""Writes the public declarations of the libraries as text, a line each, so that a review shows what changes.

api.py GRAPHS TEXT [write]

GRAPHS is the folder of the symbol graphs that `swift package dump-symbol-graph` has written. Compares them with
the file TEXT, and fails with the differences; with "write", writes the file. Called by make api.
"""

import difflib
import json
import pathlib
import sys

LIBRARIES = ["FileSinki", "FileSinkiKeyValue", "FileSinkiRecords"]

# What the compiler gives every type that does not refuse it.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def declaration(symbol):
    """A declaration on one line, without what is indented in it."""
    fragments = symbol.get("declarationFragments", [])
    return " ".join("".join(part["spelling"] for part in fragments).split())


def lines_of(graph, library):
    """The lines of a graph: each declaration by its place, and each conformance of a type of the library's own."""
    found = set()
    names = {}
    for symbol in graph["symbols"]:
        if symbol["accessLevel"] not in ("public", "open"):
            continue
        place = ".".join(symbol["pathComponents"])
        names[symbol["identifier"]["precise"]] = place
        found.add(f"{library} {place}: {declaration(symbol)}")
    for relation in graph["relationships"]:
        if relation["kind"] == "conformsTo" and relation["source"] in names:
            protocol = relation.get("targetFallback") or names.get(relation["target"])
            if protocol and protocol not in IMPLIED:
                found.add(f"{library} {names[relation['source']]} conforms to {protocol}")
    return found


def public_declarations(folder):
    """All lines, in order. A library without a graph is an error: the text would seem to be empty of it."""
    found = set()
    for library in LIBRARIES:
        graphs = [folder / f"{library}.symbols.json", *sorted(folder.glob(f"{library}@*.symbols.json"))]
        for path in graphs:
            found |= lines_of(json.loads(path.read_text()), library)
    return sorted(found)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["write"]):
        sys.exit(__doc__)
    graphs, text = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    lines = [line + "\n" for line in public_declarations(graphs)]
    if sys.argv[3:]:
        text.write_text("".join(lines))
        return
    known = text.read_text().splitlines(keepends=True) if text.exists() else []
    changes = list(difflib.unified_diff(known, lines, str(text), "the libraries", n=0))
    if changes:
        sys.stdout.writelines(changes)
        sys.exit(f"The public declarations are not those of {text}. If that is meant: make api WRITE=yes")


if __name__ == "__main__":
    main()
