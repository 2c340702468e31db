#!/bin/sh
# Renders the reference as two static sites: of the library, with its articles, for those who use it, and
# of every module of ours, for those who work on it:
# docs.sh FOLDER
set -eu
folder=$1
cd "$(dirname "$0")/.."
chosen=$(mktemp -d)
trap 'rm -rf "$chosen"' EXIT

graphs() { # LEVEL
    swift package dump-symbol-graph --minimum-access-level "$1" --skip-synthesized-members \
        >/dev/null
    find .build/ -type d -name symbolgraph | head -n 1
}

rm -rf "$folder"
mkdir -p "$folder"
found=$(graphs public)
mkdir "$chosen/library"
cp "$found/FileSinki.symbols.json" "$found/FileSinkiKeyValue.symbols.json" \
    "$found/FileSinkiRecords.symbols.json" "$chosen/library"
# Any link that leads nowhere is an error.
docc convert Sources/FileSinki/FileSinki.docc --additional-symbol-graph-dir "$chosen/library" \
    --output-path "$folder/library" --fallback-bundle-identifier filesinki.library \
    --warnings-as-errors --transform-for-static-hosting

found=$(graphs package)
mkdir "$chosen/modules"
for graph in "$found"/Filesinki*.symbols.json; do
    case $graph in
        *Tests* | *FilesinkiTesting*) continue ;;
    esac
    cp "$graph" "$chosen/modules"
done
docc convert --additional-symbol-graph-dir "$chosen/modules" --output-path "$folder/modules" \
    --fallback-display-name filesinki --fallback-bundle-identifier filesinki \
    --transform-for-static-hosting
echo "The reference is in $folder/library and $folder/modules; to read it:"
echo "python3 -m http.server -d $folder/library"
