#!/bin/sh
# Installs the Debian packages that the build and the tests need; with the argument `package`, those of
# `make package`, too. Says nothing when all are there; without the right to install, says which are missing
# and fails.
set -eu
purpose=${1-}

# A package, and how to see that it is not needed: a header, or a program.
missing() {
    have_header zstd.h || echo libzstd-dev
    have_header zlib.h || echo zlib1g-dev
    have_header lzma.h || echo liblzma-dev
    have_header expat.h || echo libexpat1-dev
    have_header sqlite3.h || echo libsqlite3-dev
    have_header openssl/sha.h || echo libssl-dev
    command -v pkg-config >/dev/null 2>&1 || echo pkg-config
    command -v zstd >/dev/null 2>&1 || echo zstd
    command -v xz >/dev/null 2>&1 || echo xz-utils
    command -v python3 >/dev/null 2>&1 || echo python3
    command -v git >/dev/null 2>&1 || echo git
    command -v diff >/dev/null 2>&1 || echo diffutils
    command -v cc >/dev/null 2>&1 || echo gcc
    [ "$purpose" = package ] || return 0
    command -v dpkg-shlibdeps >/dev/null 2>&1 || echo dpkg-dev
}

have_header() {
    [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ||
        [ -e "/usr/include/$(uname -m)-linux-gnu/$1" ]
}

if ! command -v swift >/dev/null 2>&1; then
    echo "Swift 6.2 or newer is not on the PATH: see https://www.swift.org/install/linux/." >&2
    exit 1
fi

packages=$(missing | tr '\n' ' ')
[ -n "$packages" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing: $packages(Debian's names). Install them with this system's packages." >&2
    exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "Missing: $packages. Run as root: apt-get install $packages" >&2
    exit 1
fi

echo "Installing $packages" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_packages() {
    # shellcheck disable=SC2086 # a list of names
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $packages >"$log" 2>&1
}
if ! install_packages; then
    $as_root apt-get update >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    install_packages || { cat "$log" >&2; exit 1; }
fi
