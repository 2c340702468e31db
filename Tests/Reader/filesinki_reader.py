#!/usr/bin/env python3
"""Reads a filesinki store that is a folder, from Docs/Format.md alone.

    filesinki_reader.py ls STORE            lists the newest tree
    filesinki_reader.py extract STORE DEST  writes it to a new folder
    filesinki_reader.py verify STORE        checks the chain, the checkpoints and every content

    --zone NAME   another zone than "files"

Needs Python 3.9 and the programs zstd and xz. Prints what is wrong to the standard error; the exit
code is then 1.
"""
import hashlib
import os
import struct
import subprocess
import sys
import threading

MIB = 1 << 20
COMMIT, CHECKPOINT, PART, INDEX, ARCHIVE = 1, 2, 4, 5, 6
LIMITS = {
    COMMIT: 64 * MIB, CHECKPOINT: 1024 * MIB, PART: 64 * MIB, INDEX: MIB, ARCHIVE: 128 * MIB}
FILE, DIRECTORY, SYMLINK, TOMBSTONE = 1, 2, 3, 4


class Bad(Exception):
    """Something in the store is not as the format says."""


class Lost(Bad):
    """A content that a repair has given up."""


def need(condition, message):
    if not condition:
        raise Bad(message)


def sha256(data):
    return hashlib.sha256(data).digest()


# Protocol Buffers: as much of the encoding as the schema uses.


def varint(data, at):
    value = shift = 0
    while True:
        need(at < len(data) and shift < 70, "a number is cut short")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at


def fields(data):
    """The fields of a message: number -> list of values (numbers or bytes)."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            length, at = varint(data, at)
            need(at + length <= len(data), "a field is cut short")
            value, at = data[at:at + length], at + length
        else:
            raise Bad("a field has an unknown type")
        found.setdefault(tag >> 3, []).append(value)
    return found


def numbers(message, number):
    """A repeated number, packed or not."""
    result = []
    for value in message.get(number, []):
        if isinstance(value, int):
            result.append(value)
            continue
        at = 0
        while at < len(value):
            item, at = varint(value, at)
            result.append(item)
    return result


def last(message, number, default):
    return message.get(number, [default])[-1]


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def signed(value):
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


# Envelopes and compression.


def feed(pipe, data):
    try:
        with pipe:
            pipe.write(data)
    except OSError:
        pass  # the program has stopped reading; its exit code says why


def decompress(codec, data, length):
    """The plain bytes: exactly `length`, and never more in memory."""
    if codec == 0:
        plain = data
    else:
        need(codec in (1, 2), "the codec %d is not known" % codec)
        command = [["zstd", "-dcq", "--memory=128MB"], ["xz", "-dcq", "--memlimit=64MiB"]][codec - 1]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            feeder = threading.Thread(target=feed, args=(process.stdin, data))
            feeder.start()
            plain = process.stdout.read(length + 1)
            process.stdout.close()
            feeder.join()
        need(process.returncode == 0, "it cannot be decompressed")
    need(len(plain) == length, "it has another length than it says")
    return plain


def open_envelope(stored, kind):
    need(len(stored) >= 48 and stored[:3] == b"fsk", "this is not a record")
    forms = {INDEX: (1,), COMMIT: (0, 1)}.get(kind, (0,))
    need(stored[3:4] == b"1" and stored[6] == 0 and stored[7] in forms,
         "the record is of a newer format")
    need(stored[4] == kind, "another kind of record is in this place")
    length = struct.unpack_from("<Q", stored, 8)[0]
    payload = len(stored) - 48
    need(length <= LIMITS[kind] and length < 65536 + 1024 * (payload + 1), "it is too long")
    plain = decompress(stored[5], stored[48:], length)
    need(sha256(plain) == stored[16:48], "the record is not what its checksum says")
    return fields(plain)


# Rows: paths and entries.


class Row:
    def __init__(self, path, kind, mode, time, size, version, content, target):
        self.path, self.kind, self.mode, self.time = path, kind, mode, time
        self.size, self.version, self.content, self.target = size, version, content, target

    def state(self):
        return (self.path, self.kind, self.mode, self.time, self.size, self.content, self.target)


def read_paths(message, count):
    shared, rest, data = numbers(message, 1), numbers(message, 2), last(message, 3, b"")
    need(len(shared) == len(rest) == count, "a column of paths is too short")
    paths, path, at = [], b"", 0
    for keep, more in zip(shared, rest):
        need(keep <= len(path) and at + more <= len(data), "a path is cut short")
        path, at = path[:keep] + data[at:at + more], at + more
        paths.append(path)
    need(at == len(data), "bytes of paths are left over")
    return paths


def flaw(path):
    names = path.split(b"/")
    if not path or len(path) > 4096 or b"\0" in path or any(len(n) > 255 for n in names):
        return "the path is impossible"
    if any(name in (b"", b".", b"..") for name in names):
        return "the path leaves the root"
    if names[0].lower().rstrip(b". ") == b".filesinki":
        return "the path leads into the state folder"
    return None


def read_rows(data, refuse):
    message = fields(data)
    count = last(message, 1, 0)
    paths = read_paths(fields(last(message, 2, b"")), count)
    kinds, contents = last(message, 3, b""), last(message, 9, b"")
    modes, nanos = numbers(message, 4), numbers(message, 6)
    seconds = [zigzag(value) for value in numbers(message, 5)]
    sizes, versions, targets = numbers(message, 7), numbers(message, 8), message.get(10, [])
    columns = [kinds, modes, seconds, nanos, sizes, versions]
    need(all(len(column) == count for column in columns), "a column has another length")
    rows, second, content_at, target_at = [], 0, 0, 0
    for index, path in enumerate(paths):
        second = signed(second + seconds[index])
        content = target = b""
        if kinds[index] & 0x10:
            content = contents[content_at:content_at + 32]
            content_at += 32
        if kinds[index] & 0x20:
            need(target_at < len(targets), "a target is missing")
            target, target_at = targets[target_at], target_at + 1
        kind = kinds[index] & 0xCF
        wrong = flaw(path)
        if kind not in (FILE, DIRECTORY, SYMLINK, TOMBSTONE):
            wrong = wrong or "the kind is not known"
        if nanos[index] > 999999999 or sizes[index] >> 63:
            wrong = wrong or "the time or the size is impossible"
        if (kind == FILE and len(content) != 32) or (kind == SYMLINK and not target):
            wrong = wrong or "the entry is not complete"
        if wrong:
            refuse(path, wrong)
            continue
        mode = modes[index] & 0o777 if kind in (FILE, DIRECTORY) else 0
        rows.append(Row(
            path, kind, mode, second * 10**9 + nanos[index], sizes[index] if kind == FILE else 0,
            versions[index], content if kind == FILE else b"", target if kind == SYMLINK else b""))
    need(content_at == len(contents) and target_at == len(targets), "a column is too long")
    return rows


# Packs.


class Pack:
    MAGIC = b"fspack\r\n"

    def __init__(self, store, message):
        name = last(message, 1, b"").hex()
        place = "packs" if store.zone == "files" else "zones/%s/packs" % store.zone
        self.file = os.path.join(store.root, place, name[:2], name)
        size, index_hash = last(message, 2, 0), last(message, 3, b"")
        need(os.path.getsize(self.file) == size, "the pack %s has another size" % name)
        trailer = self.read(size - 64, 64)
        at, stored, plain, hash_, version, zero, magic = struct.unpack("<QII32sII8s", trailer)
        need(magic == self.MAGIC == self.read(0, 8) and zero == 0, "%s is not a pack" % name)
        need(version == 1, "the pack %s is of a newer format" % name)
        need(at + stored + 64 == size and plain <= 64 * MIB, "the pack's trailer is wrong")
        index = decompress(1, self.read(at, stored), plain)
        need(sha256(index) == hash_ == index_hash, "the index of the pack %s is wrong" % name)
        blocks, members = struct.unpack_from("<II", index)
        need(len(index) == 8 + 20 * blocks + 48 * members, "the index has another length")
        self.blocks = [struct.unpack_from("<QIIB3x", index, 8 + 20 * n) for n in range(blocks)]
        self.members = {}
        for number in range(members):
            id_, block, offset, length, kind = struct.unpack_from(
                "<32sIIIB3x", index, 8 + 20 * blocks + 48 * number)
            need(block < blocks, "a member is outside of all blocks")
            self.members[id_] = (block, offset, length, kind)
        self.newest = (None, b"")

    def read(self, at, length):
        with open(self.file, "rb") as file:
            file.seek(at)
            return file.read(length)

    def member(self, id_):
        """The kind (0 chunk, 1 recipe) and the bytes of a member."""
        block, offset, length, kind = self.members[id_]
        if self.newest[0] != block:
            at, stored, plain, codec = self.blocks[block]
            need(plain <= 64 * MIB, "a block is too long")
            self.newest = (block, decompress(codec, self.read(at, stored), plain))
        need(offset + length <= len(self.newest[1]), "a member is outside of its block")
        return kind, self.newest[1][offset:offset + length]


# The store.


class Store:
    def __init__(self, root, zone):
        self.root, self.zone, self.problems = root, zone, []
        self.id = self.read_format()
        self.tree, self.inline, self.packs = {}, {}, {}
        self.sequence, self.hash = 0, self.id + bytes(16)
        # The commits before the checkpoint, and how many of them were searched.
        self.before, self.searched = 0, 0
        self.archive = 0, 0, {}
        self.lost, self.ended = set(), 0

    def refuse(self, path, message):
        self.problems.append("%s: %s" % (path.decode("utf-8", "backslashreplace"), message))

    def load(self, key):
        try:
            with open(os.path.join(self.root, key, "c"), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def slot(self, folder, sequence):
        return "zones/%s/%s/%020d" % (self.zone, folder, sequence)

    def read_format(self):
        text = self.load("filesinki")
        need(text is not None, "there is no store in this folder")
        body, _, checksum = text.rstrip(b"\n").rpartition(b"\n")
        need(body.startswith(b"filesinki store\n"), "this is not a store")
        need(checksum == b"sha256 = " + hashlib.sha256(body + b"\n").hexdigest().encode(),
             "the store's description is damaged")
        values = dict(line.split(b" = ", 1) for line in body.split(b"\n")[1:])
        need(values[b"format"] == b"1", "the store is of a newer format")
        return bytes.fromhex(values[b"id"].decode())

    def checkpoints(self):
        try:
            names = os.listdir(os.path.join(self.root, "zones", self.zone, "checkpoints"))
        except FileNotFoundError:
            return []
        return sorted(int(name) for name in names if len(name) == 20 and name.isdigit())

    def read_checkpoint(self, sequence):
        """A checkpoint's tree, hash and packs; remembers which commits hold contents."""
        stored = self.load(self.slot("checkpoints", sequence))
        need(stored is not None, "the checkpoint %d is gone" % sequence)
        is_index = len(stored) > 4 and stored[4] == INDEX
        message = open_envelope(stored, INDEX if is_index else CHECKPOINT)
        self.need_place(message, sequence)
        hash_, tree = last(message, 4, b""), {}
        for record in self.parts(message, sequence) if is_index else [message]:
            need(last(record, 4, b"") == hash_, "a part is of another checkpoint")
            self.take_checkpoint(record, tree)
        return tree, hash_

    def need_place(self, message, sequence):
        need(last(message, 1, b"") == self.id and last(message, 2, b"") == self.zone.encode()
             and last(message, 3, 0) == sequence, "the checkpoint %d is another" % sequence)

    def parts(self, index, sequence):
        """The records that a checkpoint's index lists."""
        for data in index.get(5, []):
            hash_ = last(fields(data), 1, b"")
            name = hash_.hex()
            file = os.path.join(self.root, "zones", self.zone, "parts", name[:2], name)
            with open(file, "rb") as opened:
                stored = opened.read(65 * MIB)
            need(sha256(stored) == hash_, "the part %s is damaged" % name)
            record = open_envelope(stored, PART)
            self.need_place(record, sequence)
            yield record

    def take_checkpoint(self, message, tree):
        for row in read_rows(last(message, 5, b""), self.refuse):
            tree[row.path] = row
        ids = last(message, 9, b"")
        for number, commit in enumerate(numbers(message, 10)):
            self.inline[ids[32 * number:32 * number + 32]] = commit
        self.add_packs(message.get(8, []))
        lost = last(message, 12, b"")
        self.lost.update(lost[at:at + 32] for at in range(0, len(lost), 32))

    def archives(self):
        """The last commit of each archive, and its folder and name, ascending."""
        folder = os.path.join(self.root, "zones", self.zone, "archives")
        if not os.path.isdir(folder):
            return []
        return sorted((int(last), os.path.join(folder, last, name))
                      for last in os.listdir(folder)
                      for name in os.listdir(os.path.join(folder, last)) if name[0] != ".")

    def read_archived(self, sequence):
        """A commit's plain bytes and its hash; None when it is not archived."""
        if not self.archive[0] <= sequence < self.archive[1]:
            found = [file for end, file in self.archives() if end >= sequence][:1]
            if not found:
                return None
            with open(found[0], "rb") as opened:
                message = open_envelope(opened.read(130 * MIB), ARCHIVE)
            need(last(message, 1, b"") == self.id and last(message, 2, b"") == self.zone.encode(),
                 "an archive is of another store or zone")
            first, hashes, commits = last(message, 3, 0), last(message, 5, b""), message.get(6, [])
            need(0 < first <= sequence < first + len(commits) and len(hashes) == 32 * len(commits),
                 "the archive of commit %d is inconsistent" % sequence)
            self.archive = first, first + len(commits), {
                first + index: (commit, hashes[32 * index:32 * index + 32])
                for index, commit in enumerate(commits)}
        return self.archive[2][sequence]

    def read_commit(self, sequence):
        archived = self.read_archived(sequence)
        if archived is not None:
            message, hash_ = fields(archived[0]), archived[1]
        else:
            stored = self.load(self.slot("log", sequence))
            if stored is None:
                return None
            message, hash_ = open_envelope(stored, COMMIT), sha256(stored)
        need(last(message, 1, b"") == self.id and last(message, 2, b"") == self.zone.encode()
             and last(message, 3, 0) == sequence, "the commit %d is another" % sequence)
        return message, hash_

    def add_packs(self, references):
        for data in references:
            message = fields(data)
            self.packs.setdefault(last(message, 1, b""), message)

    def advance(self):
        """Applies the next commit; false when there is none."""
        found = self.read_commit(self.sequence + 1)
        if found is None:
            return False
        message, hash_ = found
        self.sequence += 1
        need(last(message, 5, b"") == self.hash, "the commit %d has another parent" % self.sequence)
        self.hash = hash_
        for row in read_rows(last(message, 10, b""), self.refuse):
            row.version = self.sequence
            self.tree[row.path] = row
        for data in message.get(15, []):
            self.inline.setdefault(last(fields(data), 1, b""), self.sequence)
        self.add_packs(message.get(16, []))
        for data in message.get(21, []):
            prune = fields(data)
            retired, lost = last(prune, 1, b""), last(prune, 4, b"")
            for at in range(0, len(retired), 16):
                self.packs.pop(retired[at:at + 16], None)
            self.lost.update(lost[at:at + 32] for at in range(0, len(lost), 32))
            self.ended = max(self.ended, last(prune, 5, 0))
        return True

    def fold(self):
        """Reads the newest checkpoint and the log from there on."""
        for sequence in self.checkpoints()[-1:]:
            self.tree, self.hash = self.read_checkpoint(sequence)
            self.sequence = self.before = sequence
        while self.advance():
            pass

    def contents(self, id_):
        """The content's bytes, piece by piece; each piece from a pack is checked."""
        if id_ not in self.inline and not any(id_ in pack.members for pack in self.opened()):
            self.search(id_)
        if id_ in self.inline:
            message, _ = self.read_commit(self.inline[id_])
            for data in message.get(15, []):
                item = fields(data)
                if last(item, 1, b"") == id_:
                    yield last(item, 2, b"")
                    return
        kind, data = self.member(id_)
        if kind == 0:
            yield data
            return
        need(data[:1] == b"\1" and len(data) % 36 == 1, "a recipe is damaged")
        for at in range(1, len(data), 36):
            chunk_kind, chunk = self.member(data[at:at + 32])
            need(chunk_kind == 0 and sha256(chunk) == data[at:at + 32], "a chunk is damaged")
            yield chunk

    def search(self, id_):
        """Looks for an old content, which a checkpoint need not list, in the commits before it."""
        while id_ not in self.inline and self.searched < self.before:
            self.searched += 1
            message, _ = self.read_commit(self.searched) or ({}, b"")
            for data in message.get(15, []):
                self.inline.setdefault(last(fields(data), 1, b""), self.searched)

    def opened(self):
        """The packs, opened one after the other."""
        for name, pack in self.packs.items():
            if isinstance(pack, dict):
                pack = self.packs[name] = Pack(self, pack)
            yield pack

    def member(self, id_):
        for pack in self.opened():
            if id_ in pack.members:
                return pack.member(id_)
        if id_ in self.lost:
            raise Lost("the content %s was lost" % id_.hex())
        raise Bad("the content %s is nowhere" % id_.hex())

    def copy(self, row, write):
        """Writes a file's content, and checks it as a whole."""
        hasher, size = hashlib.sha256(), 0
        for piece in self.contents(row.content):
            hasher.update(piece)
            size += len(piece)
            write(piece)
        need(hasher.digest() == row.content and size == row.size, "the content is damaged")

    def rows(self):
        return [self.tree[path] for path in sorted(self.tree)
                if self.tree[path].kind != TOMBSTONE]


# The commands.


def command_ls(store):
    store.fold()
    for row in store.rows():
        name = row.path.decode("utf-8", "backslashreplace").encode("unicode_escape").decode()
        print("%s %03o %12d %19d %s" % (" fdl"[row.kind], row.mode, row.size, row.time, name))


def command_extract(store, destination):
    store.fold()
    os.makedirs(destination)
    base = os.fsencode(destination)
    rows = store.rows()
    # Links come last, so that nothing is ever written through one.
    for row in sorted(rows, key=lambda row: (row.kind != DIRECTORY, row.kind == SYMLINK, row.path)):
        try:
            extract(store, row, os.path.join(base, row.path))
        except (Bad, OSError) as error:
            store.refuse(row.path, str(error))
    for row in reversed(rows):
        if row.kind == DIRECTORY:
            place = os.path.join(base, row.path)
            os.chmod(place, row.mode)
            os.utime(place, ns=(row.time, row.time))


def extract(store, row, place):
    if row.kind == DIRECTORY:
        os.makedirs(place, exist_ok=True)
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if row.kind == SYMLINK:
        os.symlink(row.target, place)
        os.utime(place, ns=(row.time, row.time), follow_symlinks=False)
        return
    with open(place, "xb") as file:
        store.copy(row, file.write)
        os.fchmod(file.fileno(), row.mode)
    os.utime(place, ns=(row.time, row.time))


def command_verify(store):
    checkpoints = store.checkpoints()
    if store.load(store.slot("log", 1)) is None and checkpoints:
        store.tree, store.hash = store.read_checkpoint(checkpoints[-1])
        store.sequence = checkpoints[-1]
    while store.advance():
        if store.sequence in checkpoints:
            tree, hash_ = store.read_checkpoint(store.sequence)
            for path in [p for p, r in store.tree.items()
                         if r.kind == TOMBSTONE and r.version <= store.ended and p not in tree]:
                del store.tree[path]
            same = {p: r.state() + (r.version,) for p, r in tree.items()} == {
                p: r.state() + (r.version,) for p, r in store.tree.items()}
            if not same or hash_ != store.hash:
                store.problems.append("the checkpoint %d is not the tree" % store.sequence)
    for row in store.rows():
        if row.kind == FILE:
            try:
                store.copy(row, lambda piece: None)
            except Lost:
                pass
            except (Bad, OSError) as error:
                store.refuse(row.path, str(error))
    print("%d commits, %d paths, %d packs, tip %s" % (
        store.sequence, len(store.rows()), len(store.packs), store.hash.hex()))


def main(arguments):
    zone = "files"
    if "--zone" in arguments:
        at = arguments.index("--zone")
        zone = arguments[at + 1]
        del arguments[at:at + 2]
    commands = {"ls": (command_ls, 2), "extract": (command_extract, 3), "verify": (command_verify, 2)}
    if not arguments or arguments[0] not in commands or len(arguments) != commands[arguments[0]][1]:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        store = Store(arguments[1], zone)
        commands[arguments[0]][0](store, *arguments[2:])
        problems = store.problems
    except (Bad, OSError, KeyError, ValueError, struct.error) as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
