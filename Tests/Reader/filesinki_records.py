#!/usr/bin/env python3
"""Reads the records of a filesinki store that is a folder, from Docs/Format.md and Docs/Records.md alone.

    filesinki_records.py STORE [ZONE]   prints the records of a zone, in the order of their names

ZONE is the zone's name in the store, "rec-default" if it is omitted. A line is a record as `filesinki rec get --json`
prints it, without what is of a device: its tag, and the zone. Every asset that a record names is read from the packs of
the zone and checked. Needs what filesinki_reader.py beside it needs. The exit code is 1 if something is wrong.
"""
import base64
import datetime
import json
import math
import struct
import sys
import urllib.parse

sys.dont_write_bytecode = True
from filesinki_reader import FILE, Bad, Row, Store, need, sha256

TYPES = ["string", "int", "double", "data", "date", "location", "reference", "asset"]
LIST = 128


class Bytes:
    """The bytes of a record, read from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        need(self.at + count <= len(self.data), "a record is cut short")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def name(self):
        return self.take(self.number("B")).decode("ascii")

    def stamp(self):
        return self.number("q"), self.take(16).hex()


def moment(nanoseconds, digits):
    seconds, rest = divmod(nanoseconds, 10**9)
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return "%s.%0*dZ" % (day.strftime("%Y-%m-%dT%H:%M:%S"), digits, rest // 10**(9 - digits))


def double(number):
    need(not math.isnan(number), "a number is NaN")
    return ("-inf" if number < 0 else "inf") if math.isinf(number) else number


def value(data, kind, assets):
    if kind == "string":
        return data.take(data.number("I")).decode("utf-8")
    if kind == "int":
        return data.number("q")
    if kind == "double":
        return double(data.number("d"))
    if kind == "data":
        return base64.b64encode(data.take(data.number("I"))).decode()
    if kind == "date":
        return moment(data.number("q") * 10**6, 3)
    if kind == "location":
        return {"latitude": data.number("d"), "longitude": data.number("d")}
    if kind == "reference":
        action = data.number("B")
        need(action in (0, 1), "a reference has an unknown action")
        return {"name": data.name(), "action": "delete" if action else "none"}
    content, size = data.take(32), data.number("Q")
    assets.append((content, size))
    return {"sha256": content.hex(), "size": size}


def record(data, assets):
    need(data.number("B") == 1, "a record is of a newer format")
    created, modified = data.stamp(), data.stamp()
    name, kind = data.name(), data.name()
    fields, before = {}, ""
    for _ in range(data.number("I")):
        field = data.name()
        need(before < field, "fields are not in the order of their names")
        before = field
        data.stamp()
        code = data.number("B")
        need(code & ~LIST < len(TYPES), "a field has an unknown type")
        one = TYPES[code & ~LIST]
        if code & LIST:
            items = [value(data, one, assets) for _ in range(data.number("I"))]
            fields[field] = {"type": one + "-list", "value": items}
        else:
            fields[field] = {"type": one, "value": value(data, one, assets)}
    need(data.at == len(data.data), "a record has bytes behind its end")
    return modified[0], {
        "name": name, "type": kind,
        "created": {"time": moment(created[0], 9), "device": created[1]},
        "modified": {"time": moment(modified[0], 9), "device": modified[1]}, "fields": fields}


def content(store, row):
    pieces = []
    store.copy(row, pieces.append)
    return b"".join(pieces)


def check_asset(store, id_, size):
    """Reads an asset as a file of this content."""
    if size == 0:
        return need(id_ == sha256(b""), "an empty asset has another content")
    store.copy(Row(b"", FILE, 0, 0, size, 0, id_, b""), lambda piece: None)


def records(store):
    """The records by their names."""
    found = {}
    for row in store.rows():
        key = urllib.parse.unquote_to_bytes(row.path.replace(b"/", b"")).decode()
        stored = content(store, row)
        need(stored[:1] == b"\1", "a row is of a newer format")
        if stored[1:2] == b"\2":
            need(key == "_schema", "a schema is in the place of a record")
            continue
        need(stored[1:2] == b"\1", "a row is neither a record nor the schema")
        assets = []
        time, one = record(Bytes(stored[2:]), assets)
        need(one["name"] == key and time == row.time, "a record is in another's place")
        for id_, size in assets:
            check_asset(store, id_, size)
        found[key] = one
    return found


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        store = Store(arguments[0], (arguments + ["rec-default"])[1])
        store.fold()
        for _, one in sorted(records(store).items()):
            print(json.dumps(one, ensure_ascii=False, separators=(",", ":")))
        problems = store.problems
    except (Bad, OSError, KeyError, ValueError, struct.error) as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
