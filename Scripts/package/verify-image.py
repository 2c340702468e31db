#!/usr/bin/env python3
"""Verifies an unpacked image: verify-image.py FOLDER

Each part must have the digest and the size that it is named with. Prints the command that a container runs, and
the path of each layer, from the lowest on.
"""

from hashlib import sha256
from json import loads
from pathlib import Path
from sys import argv

root = Path(argv[1])


def place(descriptor):
    return root / "blobs" / descriptor["digest"].replace(":", "/")


def blob(descriptor):
    content = place(descriptor).read_bytes()
    assert sha256(content).hexdigest() == place(descriptor).name, f"{place(descriptor)}: another digest"
    assert len(content) == descriptor["size"], f"{place(descriptor)}: another size"
    return content


manifest = loads(blob(loads((root / "index.json").read_bytes())["manifests"][0]))
config = loads(blob(manifest["config"]))
assert len(config["rootfs"]["diff_ids"]) == len(manifest["layers"]), "the layers are others than in the configuration"
print(*config["config"]["Entrypoint"], *config["config"]["Cmd"])
for layer in manifest["layers"]:
    blob(layer)
    print(place(layer))
