#!/usr/bin/env python3
"""Decrypts a filesinki store that is a folder, from Docs/Format.md alone.

    filesinki_unseal.py STORE DEST --passphrase TEXT | --key-file FILE

DEST is then a plain store, for filesinki_reader.py. Needs Python 3.9 and nothing else: AES and GCM are written out
here, as slow as that is, so that no library can share a mistake with the program.
"""
import argparse
import hashlib
import hmac
import os
import struct
import sys

FRAME = 16384
OVERHEAD = 29


def need(condition, message):
    if not condition:
        raise SystemExit("filesinki_unseal: " + message)


# AES-256: FIPS 197.


def double(value):
    return (value << 1) ^ (0x11B if value & 0x80 else 0)


def make_boxes():
    box, p, q = [0] * 256, 1, 1
    while True:
        p = (p ^ double(p)) & 0xFF
        for shift in (1, 2, 4):
            q ^= (q << shift) & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q
        for shift in (1, 2, 3, 4):
            turned ^= ((q << shift) | (q >> (8 - shift))) & 0xFF
        box[p] = turned ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    inverse = [0] * 256
    for index, value in enumerate(box):
        inverse[value] = index
    return box, inverse


BOX, INVERSE = make_boxes()


def expand(key):
    words, round_constant = [list(key[i:i + 4]) for i in range(0, 32, 4)], 1
    while len(words) < 60:
        word = list(words[-1])
        if len(words) % 8 == 0:
            word = [BOX[b] for b in word[1:] + word[:1]]
            word[0] ^= round_constant
            round_constant = double(round_constant)
        elif len(words) % 8 == 4:
            word = [BOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[-8], word)])
    return [sum(words[i:i + 4], []) for i in range(0, 60, 4)]


def multiply(value, factor):
    result = 0
    while factor:
        if factor & 1:
            result ^= value
        value, factor = double(value), factor >> 1
    return result


def mix(state, factors):
    out = []
    for column in range(0, 16, 4):
        for row in range(4):
            value = 0
            for k in range(4):
                value ^= multiply(state[column + k], factors[(k - row) % 4])
            out.append(value)
    return out


TWO = [double(value) for value in range(256)]


def encrypt_block(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number in range(1, 15):
        state = [BOX[state[(index + 4 * (index % 4)) % 16]] for index in range(16)]
        if number < 14:
            mixed = []
            for column in range(0, 16, 4):
                a, b, c, d = state[column:column + 4]
                every = a ^ b ^ c ^ d
                mixed += [a ^ every ^ TWO[a ^ b], b ^ every ^ TWO[b ^ c],
                          c ^ every ^ TWO[c ^ d], d ^ every ^ TWO[d ^ a]]
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[number])]
    return bytes(state)


def decrypt_block(keys, block):
    state = [a ^ b for a, b in zip(block, keys[14])]
    for number in range(13, -1, -1):
        state = [INVERSE[state[(index - 4 * (index % 4)) % 16]] for index in range(16)]
        state = [a ^ b for a, b in zip(state, keys[number])]
        if number:
            state = mix(state, (14, 11, 13, 9))
    return bytes(state)


# GCM: NIST SP 800-38D.


def gcm_tables(hash_key):
    """For each of the 16 bytes of a number, its product with the hash key."""
    powers, value = [], int.from_bytes(hash_key, "big")
    for _ in range(128):
        powers.append(value)
        value = (value >> 1) ^ (0xE1 << 120 if value & 1 else 0)
    tables = []
    for place in range(16):
        table = [0] * 256
        for byte in range(256):
            for bit in range(8):
                if byte & (0x80 >> bit):
                    table[byte] ^= powers[8 * place + bit]
        tables.append(table)
    return tables


class GCM:
    def __init__(self, key):
        self.keys = expand(key)
        self.tables = gcm_tables(encrypt_block(self.keys, bytes(16)))

    def digest(self, additional, sealed):
        value = 0
        for data in (additional, sealed):
            for at in range(0, len(data), 16):
                value ^= int.from_bytes(data[at:at + 16].ljust(16, b"\0"), "big")
                value = self.times(value)
        value ^= (8 * len(additional)) << 64 | 8 * len(sealed)
        return self.times(value)

    def times(self, value):
        result = 0
        for table, byte in zip(self.tables, value.to_bytes(16, "big")):
            result ^= table[byte]
        return result

    def open(self, nonce, sealed, additional):
        body, tag = sealed[:-16], sealed[-16:]
        counter = int.from_bytes(nonce + b"\0\0\0\1", "big")
        mask = int.from_bytes(encrypt_block(self.keys, counter.to_bytes(16, "big")), "big")
        if (self.digest(additional, body) ^ mask).to_bytes(16, "big") != tag:
            return None
        plain = bytearray()
        for number, at in enumerate(range(0, len(body), 16)):
            pad = encrypt_block(self.keys, (counter + number + 1).to_bytes(16, "big"))
            plain += bytes(a ^ b for a, b in zip(body[at:at + 16], pad))
        return bytes(plain)


# The store.


def read_text(data, title):
    """The values of a text of lines, after its checksum was compared."""
    body, _, checksum = data.rstrip(b"\n").rpartition(b"\n")
    need(body.startswith(title + b"\n"), "this is not a %s" % title.decode())
    need(checksum == b"sha256 = " + hashlib.sha256(body + b"\n").hexdigest().encode(),
         "the text is damaged")
    return dict(line.split(b" = ", 1) for line in body.split(b"\n")[1:]), body


def write_text(lines):
    body = b"".join(line + b"\n" for line in lines)
    return body + b"sha256 = " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def find_key(root, secret, kind, fingerprint):
    folder = os.path.join(root, "keys")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            values, body = read_text(file.read(), b"filesinki key")
        if values[b"store-key"] != fingerprint or values[b"secret"] != kind:
            continue
        n, r, p = (int(number) for number in values[b"scrypt"].split())
        unlocking = hashlib.scrypt(
            secret, salt=bytes.fromhex(values[b"salt"].decode()), n=n, r=r, p=p,
            maxmem=256 * n * r, dklen=32)
        sealed = bytes.fromhex(values[b"sealed"].decode())
        additional = write_text(body.split(b"\n")[:-1])
        key = GCM(unlocking).open(sealed[:12], sealed[12:], additional)
        if key is not None:
            return key
    raise SystemExit("filesinki_unseal: the secret opens no key")


def derive(purpose, key):
    return hmac.new(key, purpose, hashlib.sha256).digest()


def unseal(key, name, stored):
    need(stored[:8] == b"fsseal\r\n", "%s is not sealed" % name)
    gcm = GCM(derive(name.encode(), derive(b"filesinki objects 1", key)))
    plain, at, index, flag = b"", 8, 0, 0
    while at < len(stored):
        frame = stored[at:at + FRAME + OVERHEAD]
        need(flag == 0 and len(frame) >= OVERHEAD, "%s goes on after its last frame" % name)
        flag = frame[0]
        part = gcm.open(frame[1:13], frame[13:], struct.pack("<QB", index, flag))
        need(part is not None, "%s is not what was sealed" % name)
        plain, at, index = plain + part, at + len(frame), index + 1
    need(flag == 1, "%s was cut off" % name)
    return plain


def plain_name(key, name):
    """The name of a part of a checkpoint is encrypted: two blocks, chained, from zeros."""
    names = name.split("/")
    if len(names) != 5 or names[0] != "zones" or names[2] != "parts":
        return name
    keys, sealed = expand(derive(b"filesinki names 1", key)), bytes.fromhex(names[4])
    first = decrypt_block(keys, sealed[:16])
    second = bytes(a ^ b for a, b in zip(decrypt_block(keys, sealed[16:]), sealed[:16]))
    plain = (first + second).hex()
    return "/".join(names[:3] + [plain[:2], plain])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("store")
    parser.add_argument("dest")
    parser.add_argument("--passphrase")
    parser.add_argument("--key-file")
    options = parser.parse_args()
    if options.key_file:
        with open(options.key_file, "rb") as file:
            secret, kind = file.read(), b"key-file"
    else:
        secret, kind = options.passphrase.encode(), b"passphrase"
    with open(os.path.join(options.store, "filesinki", "c"), "rb") as file:
        values, _ = read_text(file.read(), b"filesinki store")
    need(values[b"encryption"] == b"aes-256-gcm" and values[b"format"] == b"2", "another encryption")
    key = find_key(options.store, secret, kind, values[b"key"])
    need(derive(b"filesinki fingerprint 1", key)[:16].hex().encode() == values[b"key"], "another key")
    for folder, _, files in os.walk(options.store):
        for file in files:
            place = os.path.join(folder, file)
            name = os.path.relpath(place, options.store)
            if name.split("/")[0] not in ("packs", "zones", "devices"):
                continue
            with open(place, "rb") as opened:
                stored = opened.read()
            name = plain_name(key, name)
            target = os.path.join(options.dest, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as opened:
                opened.write(unseal(key, name, stored))
    os.makedirs(os.path.join(options.dest, "filesinki"), exist_ok=True)
    with open(os.path.join(options.dest, "filesinki", "c"), "wb") as opened:
        opened.write(write_text([
            b"filesinki store", b"format = 1", b"id = " + values[b"id"],
            b"epoch = " + values[b"epoch"], b"slots = " + values[b"slots"]]))


if __name__ == "__main__":
    sys.exit(main())
