"""Writes what the page compares other than by lines: a picture, a database and a table.

versions.py FOLDER NUMBER
  NUMBER is the red of the picture, and a cell of `stock.db` and of `table.csv`.
"""

import os
import sqlite3
import struct
import sys
import zlib


def picture(*colour):
    def part(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    # 8 x 8 pixels of 8 bits in red, green and blue; each row begins with the number of its filter.
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(colour) * 8) * 8)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


def main(folder, number):
    with open(os.path.join(folder, "photo.png"), "wb") as file:
        file.write(picture(number, 0, 0))
    with open(os.path.join(folder, "table.csv"), "w") as file:
        file.write(f"kind,id,count\nfruit,1,{number}\nfruit,2,4\n")
    database = sqlite3.connect(os.path.join(folder, "stock.db"))
    with database:
        database.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, count INTEGER)")
        database.execute("INSERT OR REPLACE INTO item VALUES (1, ?)", (number,))
    database.close()


main(sys.argv[1], int(sys.argv[2]))
