#!/bin/sh
# Runs the tests (the arguments are the command) and, where the output is no terminal, says at the end
# again what failed: among thousands of lines it is not seen, and of a log often only the end is kept.
set -eu

[ ! -t 1 ] || exec "$@"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    status=0
    "$@" 2>&1 || status=$?
    echo "$status" >"$folder/status"
} | tee "$folder/log"

status=$(cat "$folder/status")
if [ "$status" -ne 0 ]; then
    echo "What failed:"
    grep -A 3 'recorded an issue' "$folder/log" | grep -E '✘|↳' | cut -c 1-500 | tail -n 40 || true
    grep -E '✘ Test run|error:' "$folder/log" | cut -c 1-500 | tail -n 5 || true
fi
exit "$status"
