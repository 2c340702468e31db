#!/bin/sh
# Renders the reference of every module of ours, from their doc comments, as a static site:
# docs.sh FOLDER
set -eu
folder=$1
cd "$(dirname "$0")/.."

swift package dump-symbol-graph --minimum-access-level package --skip-synthesized-members \
    >/dev/null
graphs=$(find .build/ -type d -name symbolgraph | head -n 1)
chosen=$(mktemp -d)
trap 'rm -rf "$chosen"' EXIT
for graph in "$graphs"/Filesinki*.symbols.json; do
    case $graph in
        *Tests* | *FilesinkiTesting*) continue ;;
    esac
    cp "$graph" "$chosen"
done

rm -rf "$folder"
docc convert --additional-symbol-graph-dir "$chosen" --output-path "$folder" \
    --fallback-display-name filesinki --fallback-bundle-identifier filesinki \
    --transform-for-static-hosting
echo "The reference is in $folder; serve it with: python3 -m http.server -d $folder"
