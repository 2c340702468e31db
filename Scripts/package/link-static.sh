#!/bin/sh
# Links a product again, without any shared library: link-static.sh BUILD PRODUCT MODULE OUTPUT
# The objects are those of the release build, so that this takes seconds. See Docs/Packages.md.
set -eu
build=$1
product=$2
module=$3
output=$4
swift=${SWIFT:-swift}
swiftc=$(dirname "$(command -v "$swift")")/swiftc
objects=$build/release/$product.product/Objects.LinkFileList
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A static executable with an address of its own choice (static-pie): glibc finds the tables for unwinding
# then, where a plain static executable sorts them at each start. Only lld, which is Swift's, links it.
# SwiftPM names the entry after the module.
if ! "$swiftc" -static-executable -use-ld=lld -Xclang-linker -static-pie -o "$output" "@$objects" \
    -Xlinker "--defsym=main=${module}_main" -Xlinker --gc-sections -Xlinker -s \
    -lsqlite3 -llzma -lzstd -lz -lexpat -lm >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
