#!/usr/bin/env python3
"""Writes an image of a container as an archive: oci.py ROOTFS ARCHIVE NAME VERSION COMMAND...

The archive has the layout of the Open Container Initiative with one layer, the folder ROOTFS. The last
arguments are the program that a container starts, and after a `--` the arguments that it has unless its user
gives others. SOURCE_DATE_EPOCH is the time of everything, so that the same folder gives the same bytes.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
import time

TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
USER = 10001


def layer(root):
    """The folder as an uncompressed archive: sorted, and owned by root but for what the server writes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            entry = archive.gettarinfo(path, arcname=str(path.relative_to(root)))
            entry.mtime, entry.uname, entry.gname = TIME, "", ""
            entry.uid = entry.gid = USER if entry.name == "store" else 0
            # Without the machine's inode numbers a file with two names would come twice.
            if entry.isreg():
                with path.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
    return buffer.getvalue()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def encode(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def blobs(root, name, version, command, arguments):
    """All that the archive holds, by path."""
    plain = layer(root)
    packed = gzip.compress(plain, compresslevel=9, mtime=0)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(TIME))
    files = {}

    def blob(kind, content):
        files["blobs/" + digest(content).replace(":", "/")] = content
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": digest(content), "size": len(content)}

    labels = {"org.opencontainers.image.title": name, "org.opencontainers.image.version": version,
              "org.opencontainers.image.licenses": "MIT", "org.opencontainers.image.created": created}
    config = {
        "created": created, "architecture": "amd64", "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "Env": ["PATH=/usr/bin", "HOME=/tmp", "LC_ALL=C.UTF-8"],
            "Entrypoint": command, "Cmd": arguments, "WorkingDir": "/", "Volumes": {"/store": {}},
            "ExposedPorts": {"8390/tcp": {}}, "Labels": labels, "StopSignal": "SIGTERM",
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
        "history": [{"created": created, "created_by": f"{name} {version}"}],
    }
    manifest = blob("manifest.v1+json", encode({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob("config.v1+json", encode(config)),
        "layers": [blob("layer.v1.tar+gzip", packed)], "annotations": labels,
    }))
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    manifest["platform"] = {"architecture": "amd64", "os": "linux"}
    files["oci-layout"] = encode({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = encode({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]})
    return files


def main():
    root, archive, name, version = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
    words = sys.argv[5:]
    split = words.index("--") if "--" in words else len(words)
    files = blobs(root, name, version, words[:split], words[split + 1:])
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as output:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(files[path]), TIME, 0o644
            output.addfile(entry, io.BytesIO(files[path]))


main()
