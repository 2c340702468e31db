#!/usr/bin/env python3
"""Prints the licences of everything that is linked into the programs:

    licenses.py debian BUILD SWIFT PRODUCT...    for a .deb, whose system has the Apache licence
    licenses.py full BUILD SWIFT PRODUCT...      all texts, and those of the libraries of static programs

BUILD is the package's .build, where the release build left the list of each product's objects; SWIFT is
the licence of Swift's runtime. A package without a licence is an error.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The header of the zlib that swift-nio-extras compiles, and the parser that swift-nio does.
ZLIB = "Sources/CNIOExtrasZlib/include/nioextras-zlib.h"
LLHTTP = "Sources/CNIOLLHTTP"
# What static programs contain of Debian's libraries, by the package that has the copyright file.
STATIC = {
    "libc6": "glibc", "libstdc++6": "libstdc++ and libgcc", "libsqlite3-0": "SQLite", "liblzma5": "liblzma",
    "libzstd1": "libzstd", "zlib1g": "zlib", "libexpat1": "expat", "libssl3": "libcrypto of OpenSSL",
}
APACHE = re.compile(r"Apache License\s+Version 2\.0")
EXCEPTION = re.compile(r"^#* *Runtime Library Exception.*", re.S | re.M)
LINE = "\n\n" + "-" * 79 + "\n\n"


def linked_modules(build, products):
    """The modules of which an object is in one of the products."""
    modules = set()
    for product in products:
        objects = build / "release" / (product + ".product") / "Objects.LinkFileList"
        modules.update(re.findall(r"/release/([^/]+)\.build/", objects.read_text(encoding="utf-8")))
    return modules


def linked_packages(build, modules):
    """The checkouts that have the sources of one of the modules."""
    for checkout in sorted((build / "checkouts").iterdir()):
        if any(folder.name.replace("-", "_") in modules for folder in (checkout / "Sources").rglob("*")
               if folder.is_dir()):
            yield checkout


def text_of(folder, kind):
    for name in (kind, kind + ".txt"):
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8").strip("\n")
    return None


def packages(build, products):
    """A name, a licence and a notice, which may be None, of each package that is linked."""
    pins = json.loads((ROOT / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    addresses = {pin["identity"]: pin["location"] for pin in pins}
    for checkout in linked_packages(build, linked_modules(build, products)):
        yield (checkout.name + ", " + addresses[checkout.name], text_of(checkout, "LICENSE"),
               text_of(checkout, "NOTICE"))
        if (checkout / LLHTTP).is_dir():
            yield "llhttp, in " + checkout.name, text_of(checkout / LLHTTP, "LICENSE"), None
        if (checkout / ZLIB).is_file():
            yield "zlib, in " + checkout.name, zlib_license(checkout / ZLIB), None


def by_reference(text):
    """The Apache licence by its place on a Debian system, with the exceptions to it."""
    if not APACHE.search(text):
        return text
    exception = EXCEPTION.search(text)
    return ("Licensed under the Apache License, Version 2.0, which is in\n"
            "/usr/share/common-licenses/Apache-2.0 on a Debian system."
            + ("\n\n" + exception.group(0) if exception else ""))


def sections(entries):
    """Each licence once, below the names of all that are under it; then the notices."""
    names = {}
    for name, license, _ in entries:
        if not license:
            sys.exit("licenses.py: no licence found for %s." % name)
        names.setdefault(license, []).append(name)
    yield from ("\n".join(names[license]) + "\n\n" + license for license in names)
    yield from ("Notice of " + name + "\n\n" + notice for name, _, notice in entries if notice)


def zlib_license(header):
    """zlib's licence is in its header only."""
    text = header.read_text(encoding="utf-8")
    return text[text.index("Copyright"):text.index("The data format used")].rstrip()


def main():
    kind, build, runtime = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    entries = list(packages(build, sys.argv[4:]))
    entries.append(("The Swift runtime, https://www.swift.org", runtime.read_text(encoding="utf-8").strip("\n"),
                    None))
    parts = ["filesinki\n\n" + (ROOT / "LICENSE").read_text(encoding="utf-8").strip("\n"),
             "The programs contain code of other projects, under these licences."]
    if kind == "debian":
        entries.append(("libcrypto of OpenSSL, https://www.openssl.org", "Apache License\nVersion 2.0", None))
        entries = [(name, license and by_reference(license), notice) for name, license, notice in entries]
    parts += sections(entries)
    if kind == "full":
        for package, name in STATIC.items():
            text = text_of(pathlib.Path("/usr/share/doc", package), "copyright")
            if not text:
                sys.exit("licenses.py: /usr/share/doc/%s/copyright is missing." % package)
            parts.append(name + ", from Debian's package " + package + "\n\n" + text)
    print(LINE.join(parts))


main()
