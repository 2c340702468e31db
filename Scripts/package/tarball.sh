#!/bin/sh
# Builds the archive of static programs: tarball.sh BINARIES LICENSES VERSION OUTPUT
# It is unpacked anywhere, or over /usr/local. SOURCE_DATE_EPOCH is the time of all files.
set -eu
binaries=$1
licenses=$2
name=filesinki-$3-$(uname -m)-linux
output=$(cd "$4" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The units name the program where the archive is unpacked over /usr/local.
sh "$root/Scripts/install.sh" "$binaries/filesinki" "$place/$name" /usr/local/bin >/dev/null
install -D -m 644 "$licenses" "$place/$name/share/doc/filesinki/LICENSES"
tar -C "$place" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" -c "$name" | xz -6 -T1 >"$output/$name.tar.xz"
