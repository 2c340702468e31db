#!/bin/sh
# Puts the library for C together, or installs it:
#   library.sh LIBRARY PREFIX [FINAL-PREFIX]
# LIBRARY is what was built; FINAL-PREFIX is where the files will be found, if not in PREFIX, as with a
# DESTDIR.
set -eu
library=$1
prefix=$2
final=${3:-$prefix}
here=$(cd "$(dirname "$0")/.." && pwd)

version=$(sh "$here/Scripts/version.sh")
version=${version%% *}

# The name by which programs look for it changes when they could not use a newer one.
install -D -m 755 "$library" "$prefix/lib/libfilesinki.so.1"
ln -sf libfilesinki.so.1 "$prefix/lib/libfilesinki.so"
install -D -m 644 "$here/Sources/CFileSinki/include/filesinki.h" "$prefix/include/filesinki.h"
mkdir -p "$prefix/lib/pkgconfig"
sed "s|@prefix@|$final|; s|@version@|$version|" "$here/Packaging/library/filesinki.pc.in" \
    >"$prefix/lib/pkgconfig/filesinki.pc"
chmod 644 "$prefix/lib/pkgconfig/filesinki.pc"
