#!/bin/sh
# Prints the version of this folder, and its commit:
#   version.sh            "0.2.0-5-g1a2b3c4 1a2b3c4"; without the commit where it is not known
#   version.sh --write    puts both where the next release build reads them, if they changed
# They are from git's tags; in an archive of git's from the file that it filled in.
set -eu
cd "$(dirname "$0")/.."
archive=Sources/CVersion/archive.h
generated=Sources/CVersion/generated.h

value() { # NAME: a constant of the archive's file
    sed -n "s/^#define $1 \"\(.*\)\"$/\1/p" "$archive"
}

version=
commit=
# Not the commit of a repository that this folder only lies in.
if [ -e .git ] && git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    commit=$(git rev-parse --short HEAD)
    version=$(git describe --tags --match 'v[0-9]*' 2>/dev/null || true)
    # A file that was only touched is not a change.
    git update-index -q --refresh >/dev/null 2>&1 || true
    git diff-index --quiet HEAD -- 2>/dev/null || commit=$commit-dirty
else
    case $(value FSK_ARCHIVE_COMMIT) in
        '$'*) ;;
        *)
            commit=$(value FSK_ARCHIVE_COMMIT)
            version=$(value FSK_ARCHIVE_VERSION)
            ;;
    esac
fi
version=${version#v}
[ -n "$version" ] || version=$(value FSK_NUMBER)-dev

if [ "${1-}" != --write ]; then
    echo "$version${commit:+ $commit}"
    exit 0
fi
text=$(printf '#define FSK_VERSION "%s"\n#define FSK_COMMIT "%s"' "$version" "$commit")
[ "$(cat "$generated" 2>/dev/null)" != "$text" ] || exit 0
# A build that ran before the file was there does not look for it again.
[ -e "$generated" ] || touch Sources/CVersion/version.c
printf '%s\n' "$text" >"$generated"
